import type { Answer, Evidence } from '../core/types.ts'
import { type GitWords, type Status, statusOf } from './git-status.ts'
import { isIdentity, treeIdentity } from './tree-identity.ts'
import type { Workspace } from './types.ts'
import { openWorkspace } from './workspace.ts'

export interface GitEvidence {
  readonly changed: Evidence
  readonly clean: Evidence
  /** The commit checked out; absent before the first one. */
  readonly head?: string
  /** Identity of the content of the workspace; empty when git cannot tell. */
  readonly tree: string
}

export interface GitOptions {
  /** Paths from the top of the repository, or prefixes that end in `/`, that are not the agent's work: our own files. */
  readonly ignore?: readonly string[]
  /** What git said a moment ago, where it was asked already. */
  readonly words?: GitWords
}

/** Untracked and added files are created, the rest is told by the letters of its change. */
function kinds(letters: readonly string[]): Record<string, number> {
  const deleted = letters.filter((letter) => letter.includes('D')).length
  const created = letters.filter((letter) => /[?A]/.test(letter) && !letter.includes('D')).length
  return { files: letters.length, created, modified: letters.length - created - deleted, deleted }
}

const some = (paths: readonly string[]) =>
  paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '')

type Found = [answer: Answer, detail: string, counts?: Record<string, number>]
const SAME: Found = ['no', 'Nothing has changed since the start.', kinds([])]

/** What git showed at one moment: whoever asks several questions about that moment looks once. */
export interface GitLook {
  readonly workspace: Workspace
  /** Without our own files; a sentence when git says nothing. */
  readonly status: Status | string
  readonly tree: string
  readonly ours: (path: string) => boolean
  readonly ms: number
}

export async function lookAtGit(place: Workspace | string, options: GitOptions = {}): Promise<GitLook> {
  const { ignore = [], words } = options
  const started = performance.now()
  const workspace = typeof place === 'string' ? openWorkspace(place) : place
  const ours = (path: string) => ignore.some((name) => path === name || (name.endsWith('/') && path.startsWith(name)))
  const found = await statusOf(workspace, undefined, words)
  const status =
    typeof found === 'string' ? found : { ...found, entries: found.entries.filter((entry) => !ours(entry.path)) }
  const tree = typeof status === 'string' ? '' : await treeIdentity(workspace, status)
  return { workspace, status, tree, ours, ms: performance.now() - started }
}

/** What git shows of the work since a commit, or since the `tree` of an earlier call; work already dirty then is not new. */
export async function collectGit(
  place: Workspace | string,
  since?: string,
  options: GitOptions = {},
): Promise<GitEvidence> {
  return gitEvidence(await lookAtGit(place, options), since)
}

export async function gitEvidence(look: GitLook, since?: string): Promise<GitEvidence> {
  const started = performance.now()
  const { workspace, status, tree, ours } = look
  const answer = (check: string, [found, detail, counts]: Found): Evidence => {
    const ms = Math.round(look.ms + performance.now() - started)
    return { check, answer: found, detail, ...(counts !== undefined && { counts }), ms, tree }
  }
  if (typeof status === 'string') {
    const unknown: Found = ['unknown', status]
    return { changed: answer('changed', unknown), clean: answer('clean', unknown), tree }
  }
  const { head, hidden, entries } = status
  const dirty = entries.map((entry) => entry.path)
  const now = kinds(entries.map(({ status: line }) => line.split(' ')[1] ?? '?'))

  const changed = async (): Promise<Found> => {
    if (since !== undefined && isIdentity(since)) {
      if (since === tree) return SAME
      return ['yes', dirty.length > 0 ? `Changed: ${some(dirty)}.` : 'The content has changed since the start.', now]
    }
    if (dirty.length > 0) return ['yes', `Changed and not committed: ${some(dirty)}.`, now]
    if (since === undefined)
      return ['unknown', 'Nothing is uncommitted; without a starting point commits do not tell.', now]
    return since.startsWith('-')
      ? ['unknown', 'The starting point is not a commit.']
      : committed(workspace, since, ours)
  }
  const isClean = (): Found => {
    if (dirty.length > 0) return ['no', `Uncommitted: ${some(dirty)}.`, now]
    if (hidden.length > 0) return ['unknown', `Git was told to take ${some(hidden)} for unchanged.`, now]
    return ['yes', 'Nothing is uncommitted.', now]
  }
  return {
    changed: answer('changed', await changed()),
    clean: answer('clean', isClean()),
    ...(head !== undefined && { head }),
    tree,
  }
}

async function committed(workspace: Workspace, since: string, ours: (path: string) => boolean): Promise<Found> {
  const out = await workspace.git(['diff', '--name-status', '-z', '--no-renames', since, 'HEAD', '--', '.'])
  if (out === undefined) return ['unknown', `The starting point ${since} is not known here.`]
  const fields = out.split('\0')
  const changes = fields.flatMap((letter, at) =>
    at % 2 === 0 && letter !== '' ? [[letter, fields[at + 1]!] as const] : [],
  )
  const work = changes.filter(([, path]) => !ours(path))
  if (work.length === 0) return SAME
  const paths = work.map(([, path]) => path)
  return ['yes', `Committed since the start: ${some(paths)}.`, kinds(work.map(([letter]) => letter))]
}
