import { join } from 'node:path'
import { decodeText } from '../../system/decode-text.ts'
import { bytesOf, isContent, type Stat } from './content-id.ts'
import { readObjects } from './objects.ts'
import type { FullBaseline, Recorded } from './recorded.ts'
import { BaselineError, readBaseline, readCopy } from './store.ts'

export interface OpenBaselineOptions {
  /** The id that was noted when it was taken: another baseline, or none, is then a fault instead of a surprise. */
  readonly expect?: string
}

/** Of the last record that was read, for as long as that is kept. */
const opened = new WeakMap<Recorded, { readonly dir: string; readonly baseline: FullBaseline }>()

/**
 * The baseline of a run's state folder; undefined when none was ever taken. A damaged one throws a BaselineError whose
 * message says so.
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

/** The record with its ways of reading: a copy, else the file itself while it is unchanged, else git's object. */
export function fullBaseline(dir: string, recorded: Recorded, id: string): FullBaseline {
  const { workspace, copies } = recorded
  const entries = Object.entries(recorded.files)
  const files = Object.fromEntries(entries.map(([path, [content]]) => [path, content]))
  const fetched = new Map<string, Buffer | undefined>()
  const unchanged = (path: string): Buffer | undefined => {
    const bytes = bytesOf(join(workspace, path))
    return bytes !== undefined && isContent(bytes, files[path]!) ? bytes : undefined
  }
  const preload = (paths: readonly string[]) => {
    const wanted = paths.filter((path) => Object.hasOwn(files, path) && !Object.hasOwn(copies, path))
    const lost = wanted.filter((path) => !fetched.has(files[path]!) && unchanged(path) === undefined)
    const objects = readObjects(
      workspace,
      lost.map((path) => files[path]!),
    )
    if (fetched.size > MOST_CACHED) fetched.clear()
    for (const path of lost) fetched.set(files[path]!, objects.get(files[path]!))
  }
  const bytes = (path: string): Buffer | undefined => {
    if (!Object.hasOwn(files, path)) return undefined
    const copy = readCopy(dir, recorded, path)
    if (copy !== undefined) return copy
    const content = files[path]!
    const now = unchanged(path)
    if (now !== undefined) return now
    if (!fetched.has(content)) preload([path])
    return fetched.get(content)
  }
  const read = (path: string): string | undefined => {
    const found = bytes(path)
    return found && decodeText(found)
  }
  const { at, tree, head, commands, tests, evidence, rules, notKept, problems } = recorded
  return {
    id,
    at,
    tree,
    ...(head !== undefined && { head }),
    commands,
    ...(tests !== undefined && { tests }),
    evidence,
    workspace,
    files,
    stats: statsOf(entries),
    rules,
    notKept,
    problems,
    preload,
    read,
  }
}

function statsOf(entries: readonly (readonly [string, Recorded['files'][string]])[]): Map<string, Stat> {
  const stats = new Map<string, Stat>()
  for (const [path, [, size, mtimeMs, ctimeMs, ino]] of entries) {
    if (size === undefined || mtimeMs === undefined || ctimeMs === undefined || ino === undefined) continue
    stats.set(path, { size, mtimeMs, ctimeMs, ino })
  }
  return stats
}
