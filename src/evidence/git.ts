import { createHash, type Hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, Evidence } from '../core/types.ts'
import { digest } from '../system/digest.ts'
import { fsPath } from '../system/file-names.ts'
import type { FileTable } from './baseline/file-table.ts'
import { type CallersFiles, callersFiles, type Differing } from './callers-files.ts'
import { type GitOutput, type Status, type StatusEntry, statusOf } from './git-status.ts'
import type { Workspace } from './types.ts'
import { openWorkspace } from './workspace.ts'

const MOST_BYTES = 1024 * 1024
const SAMPLE = 64 * 1024
const MOST_FILES = 2_000
/** Repositories inside repositories. */
const DEEPEST = 4

/** Small files are hashed completely, large ones by size and both ends: cheap, and enough to notice work. */
function addContent(hash: Hash, path: string, hashContent: boolean): void {
  try {
    const stat = lstatSync(fsPath(path))
    hash.update(`\0${stat.isSymbolicLink() ? readlinkSync(fsPath(path)) : stat.size}\0${stat.mode & 0o111}\0`)
    if (!stat.isFile() || !hashContent) return
    if (stat.size <= MOST_BYTES) {
      hash.update(readFileSync(fsPath(path)))
      return
    }
    const file = openSync(fsPath(path), 'r')
    const part = Buffer.alloc(SAMPLE)
    for (const at of [0, stat.size - SAMPLE]) hash.update(part.subarray(0, readSync(file, part, 0, SAMPLE, at)))
    closeSync(file)
  } catch {
    hash.update('\0gone')
  }
}

/** A submodule with changes, or an unknown repository inside this one: git only reports that there is something. */
const isRepository = (entry: { status: string; path: string }) => / S\S/.test(entry.status) || entry.path.endsWith('/')

/** Identity of the folder's content: the committed tree, and the content of everything that differs from it. */
async function treeIdentity(workspace: Workspace, status: Status, depth = 0): Promise<string> {
  const { head, tree, top, entries, hidden, prefix } = status
  const base = head === undefined ? 'unborn' : (tree ?? head)
  const hash = createHash('sha256').update(base)
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const [index, entry] of sorted.entries()) {
    hash.update(`\0${entry.status}\0${entry.path}`)
    if (isRepository(entry) && depth < DEEPEST) {
      const there = await statusOf(workspace, join(top, entry.path))
      hash.update(typeof there === 'string' ? there : await treeIdentity(workspace, there, depth + 1))
    } else addContent(hash, join(top, entry.path), index < MOST_FILES)
  }
  for (const path of hidden) addContent(hash.update(`\0hidden\0${path}`), join(top, prefix, path), true)
  return `${base}-${hash.digest('hex').slice(0, 16)}`
}

const IDENTITY = /^(?:[0-9a-f]{40,64}|unborn)-[0-9a-f]{16}$/

/** Whether a starting point is such an identity, and not a commit. */
const isIdentity = (since: string): boolean => IDENTITY.test(since)

/** The same without git, from the files themselves. */
function filesIdentity(dir: string, { paths, ids }: FileTable, about: CallersFiles): string {
  const all = paths.map((path) => ({ path, isNew: true }))
  // Looking for the agent's words in every file would take too long.
  const callers = callersFiles(dir, all, { ...about, said: '', run: '' })
  const files = paths.flatMap((path, row) => (callers.has(path) ? [] : [`${path}\0${ids[row]}`]))
  return `files-${digest(files.join('\0')).slice(0, 16)}`
}

export interface GitEvidence {
  readonly changed: Evidence
  readonly clean: Evidence
  /** The commit checked out; absent before the first one. */
  readonly head?: string
  /** Identity of the content of the workspace; empty if git is not available. */
  readonly tree: string
}

export interface GitOptions extends CallersFiles {
  /** Git's output from a moment ago, if the caller already has it. */
  readonly output?: GitOutput
  /** The files, which identify the tree where git can't. */
  readonly files?: FileTable
}

/** Untracked and added files are created; the status letters classify the rest. */
export function kinds(letters: readonly string[]): Record<string, number> {
  const deleted = letters.filter((letter) => letter.includes('D')).length
  const created = letters.filter((letter) => /[?A]/.test(letter) && !letter.includes('D')).length
  return { files: letters.length, created, modified: letters.length - created - deleted, deleted }
}

export const some = (paths: readonly string[]) =>
  paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '')

export type Found = [answer: Answer, detail: string, counts?: Record<string, number>]

/** Nothing changed, apart from files of the caller. */
export function nothingChanged(callers: ReadonlySet<string>): Found {
  const shown = [...callers].filter((path) => !path.startsWith('.exitgate/'))
  const aside = shown.length === 0 ? '' : ` Not counted: ${some(shown)} (output of the loop, or its prompt).`
  return ['no', `No changes since the start.${aside}`, kinds([])]
}

/** What git showed at one moment, so that several questions about it need only one look. */
export interface GitSnapshot {
  readonly workspace: Workspace
  /** Without the caller's files; a sentence if git has no status. */
  readonly status: Status | string
  readonly tree: string
  readonly callers: (files: readonly Differing[]) => ReadonlySet<string>
  /** Files of the caller that are not committed. */
  readonly ours: ReadonlySet<string>
  readonly ms: number
}

export async function takeGitSnapshot(place: Workspace | string, options: GitOptions = {}): Promise<GitSnapshot> {
  const { output, files } = options
  const started = performance.now()
  const workspace = typeof place === 'string' ? openWorkspace(place) : place
  const { dir } = workspace
  const callers = (all: readonly Differing[]) => callersFiles(dir, all, options)
  const found = await statusOf(workspace, undefined, output)
  if (typeof found === 'string') {
    const tree = files === undefined ? '' : filesIdentity(dir, files, options)
    return { workspace, status: found, tree, callers, ours: new Set(), ms: performance.now() - started }
  }
  const pathOf = ({ path }: StatusEntry) => path.slice(found.prefix.length)
  const ours = callers(
    found.entries.map((entry) => ({ path: pathOf(entry), isNew: /^\?|^\d [.A]*A/.test(entry.status) })),
  )
  const status = { ...found, entries: found.entries.filter((entry) => !ours.has(pathOf(entry))) }
  const tree = await treeIdentity(workspace, status)
  return { workspace, status, tree, callers, ours, ms: performance.now() - started }
}

/**
 * What git shows of the work since a commit, or since the `tree` of an earlier call. Files that were already dirty then are not new
 * work.
 */
export async function collectGit(
  place: Workspace | string,
  since?: string,
  options: GitOptions = {},
): Promise<GitEvidence> {
  return gitEvidence(await takeGitSnapshot(place, options), since)
}

export async function gitEvidence(snapshot: GitSnapshot, since?: string): Promise<GitEvidence> {
  const started = performance.now()
  const { status, tree, ours } = snapshot
  const answer = (check: string, [found, detail, counts]: Found): Evidence => {
    const ms = Math.round(snapshot.ms + performance.now() - started)
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
      if (since === tree) return nothingChanged(ours)
      return ['yes', dirty.length > 0 ? `Changed: ${some(dirty)}.` : 'Files have changed since the start.', now]
    }
    if (dirty.length > 0) return ['yes', `Changed, not committed: ${some(dirty)}.`, now]
    if (since === undefined)
      return ['unknown', 'Nothing is uncommitted, and there is no starting point to compare commits with.', now]
    return since.startsWith('-') ? ['unknown', 'The starting point is not a commit.'] : committed(snapshot, since)
  }
  const isClean = (): Found => {
    if (dirty.length > 0) return ['no', `Uncommitted: ${some(dirty)}.`, now]
    if (hidden.length > 0) return ['unknown', `Git is set to treat these as unchanged: ${some(hidden)}.`, now]
    return ['yes', 'No uncommitted changes.', now]
  }
  return {
    changed: answer('changed', await changed()),
    clean: answer('clean', isClean()),
    ...(head !== undefined && { head }),
    tree,
  }
}

async function committed({ workspace, callers, ours: dirty }: GitSnapshot, since: string): Promise<Found> {
  const names = ['--name-status', '-z', '--no-renames', '--relative']
  const out = await workspace.git(['diff', ...names, since, 'HEAD', '--', '.'])
  if (out === undefined) return ['unknown', `The starting point ${since} is not in this repository.`]
  const fields = out.split('\0')
  const changes = fields.flatMap((letter, at) =>
    at % 2 === 0 && letter !== '' ? [[letter, fields[at + 1]!] as const] : [],
  )
  const ours = callers(changes.map(([letter, path]) => ({ path, isNew: letter === 'A' })))
  const work = changes.filter(([, path]) => !ours.has(path))
  if (work.length === 0) return nothingChanged(new Set([...dirty, ...ours]))
  const paths = work.map(([, path]) => path)
  return ['yes', `Committed since the start: ${some(paths)}.`, kinds(work.map(([letter]) => letter))]
}
