import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Environment } from './environment.ts'
import { type GitFolder, gitFolderOf, mayNamePrograms, namedGitFolder } from './git-folder.ts'
import { type GitCall, type GitRun, runGit } from './run-git.ts'
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
const SETTINGS = (
  'core.fsmonitor=false core.hooksPath=/dev/null core.pager=cat core.quotePath=false core.alternateRefsCommand= ' +
  'core.useReplaceRefs=false credential.helper= protocol.allow=never gc.auto=0 log.showSignature=false color.ui=false ' +
  'diff.noprefix=false diff.mnemonicPrefix=false core.trustctime=true core.checkStat=default core.ignoreStat=false core.untrackedCache=false'
).split(' ')
const FIXED = '--no-pager --no-optional-locks --no-replace-objects'
  .split(' ')
  .concat(SETTINGS.flatMap((setting) => ['-c', setting]))

/**
 * Without these options, git would start programs configured by the repository. For the state of a submodule it starts another git there,
 * which follows the configuration of the submodule and none of our settings.
 */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  diff: ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'],
  log: ['--no-ext-diff', '--no-textconv'],
  show: ['--no-ext-diff', '--no-textconv'],
  status: ['--ignore-submodules=dirty'],
}

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
    // If the repository there is broken, git would use one further up.
    ...(top !== undefined && !top.includes(delimiter) && { GIT_CEILING_DIRECTORIES: dirname(top) }),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A file in the repository could give commits other parents.
    GIT_GRAFT_FILE: devNull,
    // Unlike the setting, this also overrides what the repository allows for a single protocol.
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  }
}

/**
 * Subcommands that don't read the files of the workspace or write an index. So they start no filter and no merge driver. `write-tree`
 * does both: when it writes the index, git reads files that are as new as the index again.
 */
const STARTS_NOTHING =
  /^(?:rev-parse|rev-list|ls-tree|cat-file|config|version|symbolic-ref|for-each-ref|check-ignore|merge-base|commit-tree|mktree|update-ref|log|show)$/

/** Where the subcommand is, after `-C FOLDER` and `-c SETTING`. */
function subcommandAt(args: readonly string[]): number {
  let at = 0
  while (args[at] === '-C' || args[at] === '-c') at += 2
  return at
}

function mayStartPrograms([name = '', ...rest]: readonly string[]): boolean {
  if (name === 'ls-files') return rest.some((arg) => /^(?:-m|--modified)$/.test(arg))
  // Without a path, git knows of no filter for the content.
  if (name === 'hash-object') return !rest.includes('--no-filters') && rest.some((arg) => !/^(?:--stdin|-w)$/.test(arg))
  return !STARTS_NOTHING.test(name)
}

/** git-lfs is the one filter that users commonly install in a repository. */
const TRUSTED = new Set(['git-lfs clean -- %f', 'git-lfs filter-process', 'git-lfs smudge -- %f', 'true', 'false'])

/**
 * Settings that turn off the programs named in the repository's configuration, because the agent can edit it. Programs from the
 * user's own settings stay. Returns a sentence if one can't be turned off.
 */
function withoutPrograms(listed: string): readonly string[] | string {
  const fields = listed.split('\0')
  const off = new Set<string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at] !== 'local' && fields[at] !== 'worktree') continue
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n')
    const filter = /^filter\.(.+)\.(?:clean|process|smudge|required)$/s.exec(key)?.[1]
    const driver = /^merge\.(.+)\.driver$/s.exec(key)?.[1]
    const name = filter ?? driver ?? ''
    if (/[=\n]/.test(name))
      return `The ${filter === undefined ? 'merge driver' : 'filter'} ${JSON.stringify(name)} in the repository's git configuration can't be turned off.`
    if (filter !== undefined && !TRUSTED.has(value.join('\n')))
      for (const setting of ['clean=', 'smudge=', 'process=', 'required=false']) off.add(`filter.${name}.${setting}`)
    if (driver !== undefined) off.add(`merge.${name}.driver=false`)
  }
  return [...off].flatMap((setting) => ['-c', setting])
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

/**
 * Runs git in a folder without hooks, pagers, prompts, monitors, network and optional locks. It starts no program that the
 * repository's settings name, because an agent may have written them.
 */
export async function askGit(
  dir: string,
  args: readonly string[],
  env: Environment = process.env,
  { own = {}, input, bytes = false, deadlineMs }: GitInput = {},
): Promise<GitAnswer> {
  const at = subcommandAt(args)
  const [before, rest] = [args.slice(0, at), args.slice(at)]
  const place = before.indexOf('-C')
  const folder = place < 0 ? dir : resolve(dir, before[place + 1] ?? '')
  const top = repositoryRoot(folder)
  // Git would report the same, but this saves a process.
  if (top === undefined && existsSync(dir) && rest[0] !== 'version') return NO_REPOSITORY
  const call = {
    cwd: dir,
    env: { ...gitEnvironment(dir, top, env), ...own },
    input,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  }
  const off = mayStartPrograms(rest) ? await programsOff(before, folder, top, call) : []
  if (typeof off === 'string') return { out: '', problem: off }
  const plain = OPTIONS[rest[0] ?? ''] ?? []
  const all = [...FIXED, ...before, ...off, ...rest.slice(0, 1), ...plain, ...rest.slice(1)]
  const encoding = bytes ? 'latin1' : args.includes('-z') ? 'names' : 'utf8'
  const ran = await runGit(all, { ...call, encoding })
  const problem = problemOf(ran)
  return problem === undefined ? { out: ran.out } : { out: '', problem }
}

async function programsOff(
  before: readonly string[],
  folder: string,
  top: string | undefined,
  call: Omit<GitCall, 'encoding'>,
): Promise<readonly string[] | string> {
  const repository = repositoryFor(before, folder, top, call.env)
  if (repository !== undefined && !mayNamePrograms(repository)) return []
  const args = [...FIXED, ...before, 'config', '-z', '--show-scope', '--list']
  const listed = await runGit(args, { ...call, input: undefined, encoding: 'utf8' })
  return problemOf(listed) ?? withoutPrograms(listed.out)
}

/** The repository that git will use; undefined if only git can tell. */
function repositoryFor(
  before: readonly string[],
  folder: string,
  top: string | undefined,
  env: GitCall['env'],
): GitFolder | undefined {
  const { GIT_DIR, GIT_COMMON_DIR } = env
  if (GIT_COMMON_DIR !== undefined) return undefined
  if (GIT_DIR !== undefined) return namedGitFolder(GIT_DIR)
  // Together with a link, `..` leads git to another folder than the one we resolved.
  const isPlain =
    before.lastIndexOf('-C') === before.indexOf('-C') && !before.some((arg) => /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(arg))
  return top !== undefined && isPlain ? gitFolderOf(folder, top) : undefined
}

const MOST_BYTES = 256 * 1024 * 1024

/** Objects by id, as `git cat-file --batch` prints them. Empty if there is no repository. */
export function printObjects(dir: string, ids: readonly string[]): Buffer {
  const top = repositoryRoot(dir)
  if (top === undefined) return Buffer.alloc(0)
  const call = { cwd: dir, env: gitEnvironment(dir, top, process.env), input: `${ids.join('\n')}\n` }
  const done = spawnSync('git', [...FIXED, 'cat-file', '--batch'], { ...call, maxBuffer: MOST_BYTES, timeout: 60_000 })
  return done.stdout ?? Buffer.alloc(0)
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
