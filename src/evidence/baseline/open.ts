import { join } from 'node:path'
import { decodeText } from '../../system/decode-text.ts'
import { bytesOf, isContent } from './content-id.ts'
import type { InstalledFiles } from './dependencies.ts'
import { filesOf, rowOf } from './file-table.ts'
import { readObjects } from './objects.ts'
import { BaselineError, readBaseline, readCopy, readDependencies } from './store.ts'
import type { FullBaseline, StoredBaseline } from './stored-baseline.ts'

export interface OpenBaselineOptions {
  /** The id recorded when the baseline was taken. If another baseline, or none, is there now, opening fails. */
  readonly expect?: string
}

/** For the last record that was read, as long as it is cached. */
const opened = new WeakMap<StoredBaseline, { readonly dir: string; readonly baseline: FullBaseline }>()

/**
 * The baseline of a run's state folder; undefined if none was ever taken. A damaged one throws a BaselineError that explains it.
 */
export function openBaseline(dir: string, options: OpenBaselineOptions = {}): FullBaseline | undefined {
  const found = readBaseline(dir)
  const { expect } = options
  if (expect !== undefined && found?.id !== expect) {
    const what = found === undefined ? 'is gone' : 'is not the one that was taken when the run began'
    throw new BaselineError(`The baseline in ${dir} ${what}.`)
  }
  if (found === undefined) return undefined
  const before = opened.get(found.recorded)
  if (before?.dir === dir) return before.baseline
  const baseline = fullBaseline(dir, found.recorded, found.id)
  opened.set(found.recorded, { dir, baseline })
  return baseline
}

const MOST_CACHED = 2_000

/** Adds the ways to read a text: a copy, otherwise the file itself while it is unchanged, otherwise git's object. */
export function fullBaseline(dir: string, recorded: StoredBaseline, id: string): FullBaseline {
  const { files: table, included = {}, ...about } = recorded
  const { workspace, copies } = about
  const idOf = (path: string) => table.ids[rowOf(table.paths, path)]
  let files: Readonly<Record<string, string>> | undefined
  let installed: { readonly files: readonly InstalledFiles[] | undefined } | undefined
  const fetched = new Map<string, Buffer | undefined>()
  const unchanged = (path: string): Buffer | undefined => {
    const bytes = bytesOf(join(workspace, path))
    return bytes !== undefined && isContent(bytes, idOf(path)!) ? bytes : undefined
  }
  const preload = (paths: readonly string[]) => {
    const wanted = paths.filter((path) => !Object.hasOwn(copies, path))
    const lost = wanted.flatMap((path) => {
      const id = idOf(path)
      return id === undefined || fetched.has(id) || unchanged(path) !== undefined ? [] : [id]
    })
    const objects = readObjects(workspace, lost)
    if (fetched.size > MOST_CACHED) fetched.clear()
    for (const id of lost) fetched.set(id, objects.get(id))
  }
  const bytes = (path: string): Buffer | undefined => {
    const content = idOf(path)
    if (content === undefined) return undefined
    const copy = readCopy(dir, recorded, path)
    if (copy !== undefined) return copy
    const now = unchanged(path)
    if (now !== undefined) return now
    if (!fetched.has(content)) preload([path])
    return fetched.get(content)
  }
  const read = (path: string): string | undefined => {
    const found = bytes(path)
    return found && decodeText(found)
  }
  return {
    ...about,
    id,
    get files() {
      files ??= filesOf(table)
      return files
    },
    table,
    included: () => new Map(Object.keys(included).map((path) => [path, readCopy(dir, recorded, path, included)!])),
    dependencies() {
      installed ??= { files: readDependencies(dir, recorded) }
      return installed.files
    },
    preload,
    bytes,
    read,
  }
}

/** The files of a baseline, with another commit as the start of the work. A copy of it would list every file by name. */
export function sinceCommit(
  baseline: FullBaseline,
  commit: Pick<FullBaseline, 'tree' | 'head'> | undefined,
): FullBaseline {
  const { tree = '', head } = commit ?? {}
  return Object.create(baseline, {
    tree: { value: tree, enumerable: true },
    head: { value: head, enumerable: true },
  }) as FullBaseline
}
