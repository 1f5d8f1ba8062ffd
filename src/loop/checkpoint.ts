import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { askGit, repositoryPath } from '../system/git.ts'
import { removeFolderSync } from '../system/remove-folder.ts'
import { fillIndex, type Git, withoutFilters } from './checkpoint-index.ts'
import { ownPaths } from './gather-options.ts'

export interface CheckpointOptions {
  readonly run: string
  readonly iteration: number
  readonly message: string
  /** The branch has at most one commit with this message: one of a process that died before recording it is used or replaced. */
  readonly once?: true
  /** Paths from the workspace, or prefixes that end in `/`, that are not the agent's work: files of the older systems. */
  readonly ignore: readonly string[]
  /** Told in a sentence what had to be left out. */
  readonly warn?: (text: string) => void
}

interface Checkpoint {
  readonly branch: string
  readonly commit: string
}

/** Neither the user's name nor a key of theirs: they did not make this commit. */
const AUTHOR = { NAME: 'exitgate', EMAIL: 'exitgate@localhost' }
export const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(AUTHOR).map(([name, value]) => [`GIT_${role}_${name}`, value]),
  ),
)

/** CRLF that a person would be asked about is taken as it is. */
const SETTINGS = [
  'core.safecrlf=false',
  'core.untrackedCache=false',
  'commit.gpgSign=false',
  'i18n.commitEncoding=UTF-8',
]
const PLAIN = SETTINGS.flatMap((setting) => ['-c', setting])

const NO_GIT = new Set(['Git or the directory is missing.', 'This is not a git repository.'])

/** The checkpoint of the iteration after this state: one commit, however often it is tried. A problem goes to `warn`. */
export async function checkpointIteration(
  dir: string,
  { run = '', iterations }: State,
  config: Config,
  warn: (text: string) => void,
): Promise<Checkpoint | undefined> {
  const iteration = iterations + 1
  const message = `exitgate: iteration ${iteration} of run ${run}`
  const kept = await checkpoint(dir, { run, iteration, message, once: true, ignore: ownPaths(config), warn })
  if (kept === undefined || !('problem' in kept)) return kept
  warn(kept.problem)
  return undefined
}

/**
 * Commits everything that is not ignored to a branch of the run's own, through an index of our own: the user's index, stash, HEAD,
 * files and hooks are left alone. Nothing when there is no git, or nothing has changed since the last time.
 */
export async function checkpoint(
  dir: string,
  options: CheckpointOptions,
): Promise<Checkpoint | { readonly problem: string } | undefined> {
  const asked = await askGit(dir, ['rev-parse', '--git-path', 'index'])
  if (asked.problem !== undefined && NO_GIT.has(asked.problem)) {
    options.warn?.('there is no git repository here, so no checkpoint is made')
    return undefined
  }
  if (asked.problem !== undefined) return notKept(options, asked.problem)
  const { top, prefix } = repositoryPath(dir) ?? { top: dir, prefix: '' }
  const index = asked.out.replace(/\n$/, '')
  let folder: string | undefined
  try {
    folder = temporaryFolder(top)
    const copy = join(folder, 'index')
    const plain: Git = (args, input) =>
      askGit(top, args, process.env, { ...input, own: { GIT_INDEX_FILE: copy, ...IDENTITY } })
    const filters = await withoutFilters(plain)
    if (typeof filters === 'string') return notKept(options, filters)
    const git: Git = (args, input) => plain([...PLAIN, ...filters, ...args], input)
    const ignore = ['.exitgate/', ...options.ignore].map((path) => prefix + path)
    return await commit(git, options, {
      top,
      copy,
      index: resolve(dir, index),
      ignore: [...ignore, `${relative(top, folder).split(sep).join('/')}/`],
    })
  } catch (error) {
    return notKept(options, error instanceof Error ? error.message : String(error))
  } finally {
    if (folder !== undefined) removeFolderSync(folder)
  }
}

async function commit(git: Git, options: CheckpointOptions, place: Parameters<typeof fillIndex>[1]) {
  const branch = `exitgate/${branchName(options.run)}`
  const ref = `refs/heads/${branch}`
  const trap = await trapIn(git, ref, branch)
  if (trap !== undefined) return notKept(options, trap)
  const filled = await fillIndex(git, place)
  if ('out' in filled) return notKept(options, filled.problem ?? 'Git gave no reason.')
  const words = leftOut(filled.left)
  const tree = await git(['write-tree', '--missing-ok'])
  if (tree.problem !== undefined) return notKept(options, tree.problem)
  const tip = await readCommit(git, ref)
  const unrecorded = options.once === true && tip?.subject === options.message
  if (unrecorded && tip.tree === tree.out.trim()) return { branch, commit: tip.commit }
  const before = unrecorded ? tip.parent : (tip ?? (await readCommit(git, 'HEAD')))
  if (typeof before === 'object' && before.tree === tree.out.trim()) return undefined
  const message = [options.message, ...(words === undefined ? [] : [words])].join('\n\n')
  const parent = typeof before === 'object' ? before.commit : before
  const parents = parent ? ['-p', parent] : []
  const made = await git(['commit-tree', tree.out.trim(), ...parents, '-F', '-'], {
    input: Buffer.from(`${message}\n`),
  })
  if (made.problem !== undefined) return notKept(options, made.problem)
  const oid = made.out.trim()
  // With the value it had before: whoever moved the branch in between is not overwritten.
  const moved = await git([
    'update-ref',
    '--no-deref',
    '-m',
    `exitgate: iteration ${options.iteration}`,
    ref,
    oid,
    tip?.commit ?? '',
  ])
  if (moved.problem !== undefined) return notKept(options, moved.problem)
  if (words !== undefined) options.warn?.(words)
  return { branch, commit: oid }
}

/** The branch must be ours alone: where it is checked out, or stands for another one, moving it would move the user's work. */
async function trapIn(git: Git, ref: string, branch: string): Promise<string | undefined> {
  const link = await git(['symbolic-ref', '-q', ref])
  if (link.problem === undefined) return `The branch ${branch} stands for ${link.out.trim()}; delete it.`
  if ((await readCommit(git, 'refs/heads/exitgate')) !== undefined)
    return `The branch exitgate stands in the way of ${branch}; rename it.`
  const trees = await git(['worktree', 'list', '--porcelain'])
  if (trees.problem !== undefined) return trees.problem
  const isOut = trees.out.split('\n').includes(`branch ${ref}`)
  return isOut ? `The branch ${branch} is checked out; check out another one.` : undefined
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

function notKept({ iteration }: CheckpointOptions, why: string): { readonly problem: string } {
  return { problem: `The work of iteration ${iteration} was not kept as a checkpoint: ${why}` }
}

function leftOut(left: readonly string[]): string | undefined {
  if (left.length === 0) return undefined
  const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
  return `Left out of the checkpoint: ${left.slice(0, 3).join(', ')}${more}.`
}

/** What git takes for a part of a name. */
function branchName(run: string): string {
  const plain = run
    .replace(/[^\w.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|(?:\.lock|\.)+$/g, '')
  return plain === '' ? 'run' : plain
}

/** Always the same one for a workspace, so that what a killed process left behind is cleared away by the next. */
function temporaryFolder(top: string): string {
  const uid = process.getuid?.() ?? 0
  const name = `exitgate-checkpoint-${uid}-${createHash('sha256').update(top).digest('hex').slice(0, 16)}`
  const folder = join(tmpdir(), name)
  const found = lstatSync(folder, { throwIfNoEntry: false })
  // Everyone may write there: what is not our own is not touched.
  if (found !== undefined && (!found.isDirectory() || (process.getuid !== undefined && found.uid !== uid)))
    return mkdtempSync(join(tmpdir(), 'exitgate-checkpoint-'))
  removeFolderSync(folder)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}
