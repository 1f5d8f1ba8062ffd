import { existsSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Environment } from './environment.ts'
import { type GitRun, runGit } from './run-git.ts'
import { realPath } from './sandbox/sandbox.ts'

/** The output of git, or the reason there is none. */
export interface GitAnswer {
  readonly out: string
  readonly problem?: string
}

/**
 * Settings that keep the repository from running, redirecting or hiding anything, because the agent can write its configuration.
 * The last three make git read files whose timestamps were reset.
 */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.quotePath=false',
  'core.alternateRefsCommand=',
  'core.useReplaceRefs=false',
  'credential.helper=',
  'protocol.allow=never',
  'gc.auto=0',
  'log.showSignature=false',
  'color.ui=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.ignoreStat=false',
]
const FIXED = ['--no-pager', '--no-optional-locks', ...SETTINGS.flatMap((setting) => ['-c', setting])]

/** Without these options, git would start programs configured by the repository. */
const SHOWS_DIFFS = new Set(['diff', 'log', 'show'])

/** PATH without the folders of the project: a program there, for example one named git, would be the agent's. */
export function pathOutside(dir: string, path: string): string {
  const project = realPath(repositoryRoot(dir) ?? dir)
  const outside = (folder: string) => isAbsolute(folder) && relative(project, realPath(folder)).startsWith('..')
  return path.split(delimiter).filter(outside).join(delimiter)
}

/** The folder that contains `.git`. A git setting could point to another tree; this can't. */
export function repositoryRoot(folder: string): string | undefined {
  const place = join(folder, '.git')
  if (statSync(place, { throwIfNoEntry: false })?.isFile() || existsSync(join(place, 'HEAD'))) return folder
  return dirname(folder) === folder ? undefined : repositoryRoot(dirname(folder))
}

/**
 * The top of the repository, and the path from there: empty, or with a trailing slash. Doesn't use git, whose output is ambiguous
 * for names with line breaks.
 */
export function repositoryPath(folder: string): { readonly top: string; readonly prefix: string } | undefined {
  const top = repositoryRoot(folder)
  if (top === undefined) return undefined
  const way = relative(top, folder).split(sep).join('/')
  return { top, prefix: way === '' ? '' : `${way}/` }
}

function gitEnvironment(dir: string, top: string | undefined, env: Environment): Record<string, string> {
  const kept = Object.entries(env)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('GIT_'))
    .map(([name, value]) => [name, /^path$/i.test(name) ? pathOutside(dir, value) : value])
  return {
    ...Object.fromEntries(kept),
    ...(top !== undefined && { GIT_WORK_TREE: top }),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  }
}

/** What a caller passes to git in addition to the arguments. */
export interface GitInput {
  /** Git's own variables, which are never inherited from the environment. */
  readonly own?: Readonly<Record<string, string>>
  readonly input?: Buffer
  /** Decode one character per byte, because file names may not be UTF-8. */
  readonly bytes?: boolean
  /** Writing many files may take more than a minute. */
  readonly deadlineMs?: number
}

const NO_REPOSITORY: GitAnswer = { out: '', problem: 'This is not a git repository.' }

/** Runs git in a folder without hooks, pagers, prompts, monitors, network and optional locks. */
export async function askGit(
  dir: string,
  args: readonly string[],
  env: Environment = process.env,
  { own = {}, input, bytes = false, deadlineMs }: GitInput = {},
): Promise<GitAnswer> {
  const named = args[0] === '-C' ? 3 : 1
  const top = repositoryRoot(args[0] === '-C' ? resolve(dir, args[1] ?? '') : dir)
  // Git would report the same, but this saves a process.
  if (top === undefined && existsSync(dir) && args[0] !== 'version') return NO_REPOSITORY
  const plain = SHOWS_DIFFS.has(args[named - 1] ?? '') ? ['--no-ext-diff', '--no-textconv'] : []
  const all = [...FIXED, ...args.slice(0, named), ...plain, ...args.slice(named)]
  const ran = await runGit(all, {
    cwd: dir,
    env: { ...gitEnvironment(dir, top, env), ...own },
    input,
    encoding: bytes ? 'latin1' : args.includes('-z') ? 'names' : 'utf8',
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  })
  const problem = problemOf(ran)
  return problem === undefined ? { out: ran.out } : { out: '', problem }
}

function problemOf({ code, said, error, cut }: GitRun): string | undefined {
  if (error?.code === 'ENOENT') return 'Git or the directory is missing.'
  if (cut !== undefined) return cut === 'late' ? 'Git did not answer in time.' : 'Git did not finish.'
  if (code === 0) return undefined
  const lines = said.split('\n')
  const first = lines.find((line) => line.startsWith('fatal:')) ?? lines[0] ?? ''
  if (/not a git repository|must be run in a work tree/.test(first)) return 'This is not a git repository.'
  const why = error?.message ?? (code === null ? 'it was ended by a signal' : `exit ${code}`)
  return `Git failed: ${first.trim() || why}.`
}
