import { diffOfFiles } from '../../packages/exitgate/src/tree/line-diff.ts'
import type { FileDiff } from '../core/file-diff.ts'
import { decodeText } from '../system/decode-text.ts'
import { askGit } from '../system/git.ts'
import { changedSince } from './baseline/changed.ts'
import { readObjects } from './baseline/objects.ts'
import { idInBaseline, isFull } from './baseline/stored-baseline.ts'
import type { Baseline, Workspace } from './types.ts'

const NOT_TEXT = 'binary, or larger than 2 MB'
const SAME_LINES = 'only line endings, the mode or the file type changed'
const MODE_ONLY = 'only the mode changed'
const NOT_KEPT = 'the version from before the run was not kept'
const TOO_MANY = 'left out, because the run changed many files'
/** More files are listed without their hunks. */
const MOST_COMPARED = 3_000
const MOST_BYTES = 2 * 1024 * 1024

/** What changed from the start of the run until now. It is made from the files, because the agent can write git's settings. */
export async function diffSince(baseline: Baseline, workspace: Workspace): Promise<readonly FileDiff[]> {
  const files = await changedSince(baseline, workspace)
  if (isFull(baseline)) baseline.preload(files.slice(0, MOST_COMPARED))
  const now = new Set(await workspace.list())
  return files.map((path, at) => {
    const was = idInBaseline(baseline, path) !== undefined
    const is = now.has(path) || workspace.read(path) !== undefined
    if (at >= MOST_COMPARED) return { path, status: statusOf(was, is), added: 0, removed: 0, why: TOO_MANY }
    const before = was ? baseline.read(path) : ''
    if (before === undefined && isFull(baseline) && baseline.bytes(path) === undefined)
      return { path, status: statusOf(was, is), added: 0, removed: 0, why: NOT_KEPT }
    return fileDiff(path, statusOf(was, is), before, is ? workspace.read(path) : '')
  })
}

const statusOf = (was: boolean, is: boolean): FileDiff['status'] => (was ? (is ? 'modified' : 'deleted') : 'added')

function fileDiff(path: string, status: FileDiff['status'], before?: string, after?: string): FileDiff {
  if (before === undefined || after === undefined) return { path, status, added: 0, removed: 0, why: NOT_TEXT }
  const hunks = diffOfFiles(before, after)
  if (hunks === '') return { path, status, added: 0, removed: 0, why: status === 'modified' ? SAME_LINES : 'empty' }
  return { path, status, ...linesIn(hunks), hunks }
}

/** How many lines hunks add and remove. */
export function linesIn(hunks: string): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0]
  for (let at = hunks.indexOf('\n'); at >= 0; at = hunks.indexOf('\n', at + 1)) {
    if (hunks[at + 1] === '+') added += 1
    else if (hunks[at + 1] === '-') removed += 1
  }
  return { added, removed }
}

/** A commit and what it changed compared with its first parent. */
export interface CommitDiff {
  readonly commit: string
  readonly at: number
  readonly subject: string
  readonly files: readonly FileDiff[]
}

/** `:100644 100644 BEFORE AFTER M`, then the path. */
const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/
const SUBMODULE = '160000'

/** The commits after one commit up to another, newest first, each with its files. One call of git lists them all. */
export async function diffsOfCommits(
  dir: string,
  from: string | undefined,
  to: string,
  most: number,
): Promise<readonly CommitDiff[]> {
  const what = ['--first-parent', '--raw', '--no-abbrev', '--no-renames', '-m', '-z', `--max-count=${most}`]
  const range = from === undefined ? [to] : [`${from}..${to}`]
  const { out, problem } = await askGit(dir, ['log', ...what, '--format=%x01%H%x02%ct%x02%s', ...range, '--'])
  return problem === undefined ? withHunks(dir, out.split('\u0001').slice(1).map(commitOf)) : []
}

/** What changed between two commits. */
export async function diffOfCommits(dir: string, from: string, to: string): Promise<readonly FileDiff[] | undefined> {
  const { out, problem } = await askGit(dir, ['diff', '--raw', '--no-abbrev', '--no-renames', '-z', from, to, '--'])
  if (problem !== undefined) return undefined
  const [made] = withHunks(dir, [{ commit: to, at: 0, subject: '', raw: rawFiles(out.split('\0')) }])
  return made?.files
}

/** Files with another mode than at that commit. The baseline has contents only, so this comes from git. */
export async function modesSince(dir: string, from: string): Promise<ReadonlyMap<string, FileDiff['mode']>> {
  const { out, problem } = await askGit(dir, [
    'diff',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '--relative',
    '-z',
    from,
    '--',
  ])
  const files = problem === undefined ? rawFiles(out.split('\0')) : []
  return new Map(files.flatMap(({ path, modes }) => (modes === undefined ? [] : [[path, modes]])))
}

/** The diff with the changed modes, including files of which nothing else changed. */
export function withModes(
  files: readonly FileDiff[],
  modes: ReadonlyMap<string, FileDiff['mode']>,
): readonly FileDiff[] {
  if (modes.size === 0) return files
  const left = new Map(modes)
  const known = files.map((file) => {
    const mode = file.status === 'modified' ? left.get(file.path) : undefined
    left.delete(file.path)
    return mode === undefined ? file : { ...file, mode }
  })
  const only = [...left].flatMap(([path, mode]): FileDiff[] =>
    mode === undefined ? [] : [{ path, status: 'modified', mode, added: 0, removed: 0, why: MODE_ONLY }],
  )
  return [...known, ...only].sort((one, other) => (one.path < other.path ? -1 : 1))
}

interface RawFile {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly status: FileDiff['status']
  readonly submodule: boolean
  readonly modes: FileDiff['mode']
}

type RawCommit = Omit<CommitDiff, 'files'> & { readonly raw: readonly RawFile[] }

function commitOf(text: string): RawCommit {
  const [head = '', ...fields] = text.split('\0')
  const [commit = '', seconds = '', ...subject] = head.split('\u0002')
  return { commit, at: 1000 * Number(seconds), subject: subject.join(' ').trim(), raw: rawFiles(fields) }
}

function rawFiles(fields: readonly string[]): readonly RawFile[] {
  const files: RawFile[] = []
  for (let at = 0; at < fields.length; at++) {
    const [, old = '', mode = '', before = '', after = '', letter] = RAW.exec((fields[at] ?? '').trimStart()) ?? []
    if (letter === undefined) continue
    const status = letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified'
    const modes = status === 'modified' && old !== mode ? ([old, mode] as const) : undefined
    files.push({ path: fields[++at] ?? '', before, after, status, submodule: mode === SUBMODULE, modes })
  }
  return files
}

function withHunks(dir: string, commits: readonly RawCommit[]): readonly CommitDiff[] {
  const compared = commits.flatMap(({ raw }) => raw).slice(0, MOST_COMPARED)
  const contents = readObjects(
    dir,
    compared.flatMap(({ before, after }) => [before, after]),
  )
  const text = (id: string): string | undefined => {
    if (/^0+$/.test(id)) return ''
    const bytes = contents.get(id)
    return bytes === undefined || bytes.length > MOST_BYTES ? undefined : decodeText(bytes)
  }
  const wanted = new Set(compared)
  return commits.map(({ raw, ...about }) => ({
    ...about,
    files: raw.map((file) => {
      const { path, status } = file
      if (!wanted.has(file)) return { path, status, added: 0, removed: 0, why: TOO_MANY }
      if (file.submodule) return { path, status, added: 0, removed: 0, why: 'a submodule' }
      const mode = file.modes && { mode: file.modes }
      if (mode && file.before === file.after) return { path, status, added: 0, removed: 0, ...mode, why: MODE_ONLY }
      return { ...fileDiff(path, status, text(file.before), text(file.after)), ...mode }
    }),
  }))
}
