import { existsSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Environment } from './environment.ts'
import { type GitRun, runGit } from './run-git.ts'

/** What git said, or in a sentence why it said nothing. */
export interface GitAnswer {
  readonly out: string
  readonly problem?: string
}

/**
 * What the repository brings along must not run, redirect or hide anything: the agent can write its settings.
 * The last three make git look at files whose times were put back.
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

/** These start programs of the repository's choice unless they are told not to. */
const SHOWS_DIFFS = new Set(['diff', 'log', 'show'])

/** A program called git inside the workspace is the agent's, not ours. */
function pathOutside(dir: string, path: string): string {
  const outside = (folder: string) => isAbsolute(folder) && relative(dir, folder).startsWith('..')
  return path.split(delimiter).filter(outside).join(delimiter)
}

/** The folder that holds `.git`. A setting can point git to another tree than the one we look at; this cannot. */
export function topOf(folder: string): string | undefined {
  const place = join(folder, '.git')
  if (statSync(place, { throwIfNoEntry: false })?.isFile() || existsSync(join(place, 'HEAD'))) return folder
  return dirname(folder) === folder ? undefined : topOf(dirname(folder))
}

/** The repository's top, and the way from there: empty, or ending in a slash. Not asked of git, whose answer a line break in a name makes unreadable. */
export function placeOf(folder: string): { readonly top: string; readonly prefix: string } | undefined {
  const top = topOf(folder)
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

/** What a caller gives to git besides the arguments. */
export interface GitInput {
  /** Variables of git's own, which are never taken from the environment. */
  readonly own?: Readonly<Record<string, string>>
  readonly input?: Buffer
  /** One character for each byte of the answer: names of files need not be UTF-8. */
  readonly bytes?: boolean
  /** Where files are written, a minute may not be enough. */
  readonly deadlineMs?: number
}

const NO_REPOSITORY: GitAnswer = { out: '', problem: 'This is not a git repository.' }

/** git in a folder, with hooks, pagers, prompts, monitors, the network and optional locks off. */
export async function askGit(
  dir: string,
  args: readonly string[],
  env: Environment = process.env,
  { own = {}, input, bytes = false, deadlineMs }: GitInput = {},
): Promise<GitAnswer> {
  const named = args[0] === '-C' ? 3 : 1
  const top = topOf(args[0] === '-C' ? resolve(dir, args[1] ?? '') : dir)
  // Git would say the same, after a process was started for it.
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
  if (cut !== undefined) return cut === 'late' ? 'Git did not answer in time.' : 'Git did not come to an end.'
  if (code === 0) return undefined
  const lines = said.split('\n')
  const first = lines.find((line) => line.startsWith('fatal:')) ?? lines[0] ?? ''
  if (/not a git repository|must be run in a work tree/.test(first)) return 'This is not a git repository.'
  const why = error?.message ?? (code === null ? 'it was ended by a signal' : `exit ${code}`)
  return `Git failed: ${first.trim() || why}.`
}
