import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { askGit, repositoryPath } from '../system/git.ts'
import { removeFolderSync } from '../system/remove-folder.ts'
import { fillIndex, type Git } from './checkpoint-index.ts'
import { ownPaths } from './gather-options.ts'

export interface CheckpointOptions {
  readonly run: string
  readonly iteration: number
  readonly message: string
  /** At most one commit with this message: a commit that a dead process made but did not record is reused or replaced. */
  readonly once?: true
  /** Paths in the workspace, or prefixes that end in `/`, that exitgate writes itself. */
  readonly ignore: readonly string[]
  /** Called with a sentence about files that were left out. */
  readonly warn?: (text: string) => void
}

interface Checkpoint {
  readonly branch: string
  readonly commit: string
}

/** Not the user's name: they didn't make this commit. */
const AUTHOR = { NAME: 'exitgate', EMAIL: 'exitgate@localhost' }
export const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(AUTHOR).map(([name, value]) => [`GIT_${role}_${name}`, value]),
  ),
)

/** Line endings are committed as they are, without a warning. */
const SETTINGS = [
  'core.safecrlf=false',
  'core.untrackedCache=false',
  'commit.gpgSign=false',
  'i18n.commitEncoding=UTF-8',
]
const PLAIN = SETTINGS.flatMap((setting) => ['-c', setting])

const NO_GIT = new Set(['Git or the directory is missing.', 'This is not a git repository.'])

/** Commits the current iteration once, even if called again. Problems go to `warn`. */
export async function checkpointIteration(
  dir: string,
  { run = '', iterations }: State,
  config: Config,
  warn: (text: string) => void,
): Promise<Checkpoint | undefined> {
  const iteration = iterations + 1
  const message = `exitgate: iteration ${iteration} of run ${run}`
  const made = await checkpoint(dir, { run, iteration, message, once: true, ignore: ownPaths(config), warn })
  if (made === undefined || !('problem' in made)) return made
  warn(made.problem)
  return undefined
}

/**
 * Commits everything that is not ignored to a branch of this run. It uses a separate index and doesn't touch the user's index,
 * stash, HEAD, files or hooks. Returns undefined if there is no git repository or nothing changed.
 */
export async function checkpoint(
  dir: string,
  options: CheckpointOptions,
): Promise<Checkpoint | { readonly problem: string } | undefined> {
  const asked = await askGit(dir, ['rev-parse', '--git-path', 'index'])
  if (asked.problem !== undefined && NO_GIT.has(asked.problem)) {
    options.warn?.('This is not a git repository, so no checkpoint was made.')
    return undefined
  }
  if (asked.problem !== undefined) return failed(options, asked.problem)
  const { top, prefix } = repositoryPath(dir) ?? { top: dir, prefix: '' }
  const index = asked.out.replace(/\n$/, '')
  let folder: string | undefined
  try {
    folder = temporaryFolder(dir)
    const copy = join(folder, 'index')
    const git: Git = (args, input) =>
      askGit(top, [...PLAIN, ...args], process.env, { ...input, own: { GIT_INDEX_FILE: copy, ...IDENTITY } })
    const ignore = ['.exitgate/', ...options.ignore].map((path) => prefix + path)
    return await commit(git, options, {
      top,
      copy,
      index: resolve(dir, index),
      ignore: [...ignore, `${relative(top, folder).split(sep).join('/')}/`],
    })
  } catch (error) {
    return failed(options, error instanceof Error ? error.message : String(error))
  } finally {
    if (folder !== undefined) removeFolderSync(folder)
  }
}

async function commit(git: Git, options: CheckpointOptions, place: Parameters<typeof fillIndex>[1]) {
  const branch = `exitgate/${branchName(options.run)}`
  const ref = `refs/heads/${branch}`
  const unsafe = await branchProblem(git, ref, branch)
  if (unsafe !== undefined) return failed(options, unsafe)
  const filled = await fillIndex(git, place)
  if ('out' in filled) return failed(options, filled.problem ?? 'Git gave no reason.')
  const omitted = leftOut(filled.left)
  const tree = await git(['write-tree', '--missing-ok'])
  if (tree.problem !== undefined) return failed(options, tree.problem)
  const tip = await readCommit(git, ref)
  const unrecorded = options.once === true && tip?.subject === options.message
  if (unrecorded && tip.tree === tree.out.trim()) return { branch, commit: tip.commit }
  const before = unrecorded ? tip.parent : (tip ?? (await readCommit(git, 'HEAD')))
  if (typeof before === 'object' && before.tree === tree.out.trim()) return undefined
  const message = [options.message, ...(omitted === undefined ? [] : [omitted])].join('\n\n')
  const parent = typeof before === 'object' ? before.commit : before
  const parents = parent ? ['-p', parent] : []
  const made = await git(['commit-tree', tree.out.trim(), ...parents, '-F', '-'], {
    input: Buffer.from(`${message}\n`),
  })
  if (made.problem !== undefined) return failed(options, made.problem)
  const oid = made.out.trim()
  // With the expected old value, so that a branch moved in the meantime is not overwritten.
  const moved = await git([
    'update-ref',
    '--no-deref',
    '-m',
    `exitgate: iteration ${options.iteration}`,
    ref,
    oid,
    tip?.commit ?? '',
  ])
  if (moved.problem !== undefined) return failed(options, moved.problem)
  if (omitted !== undefined) options.warn?.(omitted)
  return { branch, commit: oid }
}

/** Moving the branch must not touch the user's work, so it may not be checked out or be a symbolic ref. */
async function branchProblem(git: Git, ref: string, branch: string): Promise<string | undefined> {
  const link = await git(['symbolic-ref', '-q', ref])
  if (link.problem === undefined) return `The branch ${branch} is a symbolic ref to ${link.out.trim()}. Delete it.`
  if ((await readCommit(git, 'refs/heads/exitgate')) !== undefined)
    return `The branch "exitgate" prevents creating ${branch}. Rename it.`
  const trees = await git(['worktree', 'list', '--porcelain'])
  if (trees.problem !== undefined) return trees.problem
  const isOut = trees.out.split('\n').includes(`branch ${ref}`)
  return isOut ? `The branch ${branch} is checked out. Check out another one.` : undefined
}

interface Commit {
  readonly commit: string
  readonly tree: string
  /** Empty for the first commit of a history. */
  readonly parent: string
  readonly subject: string
}

async function readCommit(git: Git, name: string): Promise<Commit | undefined> {
  const { out, problem } = await git(['rev-list', '--max-count=1', '--format=%H%n%T%n%P%n%s', `${name}^{commit}`, '--'])
  if (problem !== undefined) return undefined
  const [, commit = '', tree = '', parent = '', subject = ''] = out.split('\n')
  return { commit, tree, parent, subject }
}

function failed({ iteration }: CheckpointOptions, why: string): { readonly problem: string } {
  return { problem: `No checkpoint of iteration ${iteration}: ${why}` }
}

function leftOut(left: readonly string[]): string | undefined {
  if (left.length === 0) return undefined
  const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
  return `Left out of the checkpoint: ${left.slice(0, 3).join(', ')}${more}.`
}

/** A run's name as a valid part of a branch name. */
function branchName(run: string): string {
  const plain = run
    .replace(/[^\w.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|(?:\.lock|\.)+$/g, '')
  return plain === '' ? 'run' : plain
}

/** One fixed folder per workspace, so that the next run removes what a killed process left there. */
function temporaryFolder(workspace: string): string {
  const uid = process.getuid?.() ?? 0
  const name = `exitgate-checkpoint-${uid}-${createHash('sha256').update(workspace).digest('hex').slice(0, 16)}`
  const folder = join(tmpdir(), name)
  const found = lstatSync(folder, { throwIfNoEntry: false })
  // The temporary folder is shared: don't touch what belongs to another user.
  if (found !== undefined && (!found.isDirectory() || (process.getuid !== undefined && found.uid !== uid)))
    return mkdtempSync(join(tmpdir(), 'exitgate-checkpoint-'))
  removeFolderSync(folder)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}
