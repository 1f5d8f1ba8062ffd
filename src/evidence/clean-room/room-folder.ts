import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { entriesOf, fsPath } from '../../system/file-names.ts'
import { removeFolder } from '../../system/remove-folder.ts'
import { isSettled, type Stat, sameStat } from '../baseline/content-id.ts'
import { ChangedWhileCopied, type CopiedFile, copyExactly } from './copy-file.ts'

/** What belongs at one path of a room. */
export type RoomEntry =
  | CopiedFile
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly key: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }

interface Kept {
  /** What was copied: equal keys mean equal content. */
  readonly key: string
  /** The stat of the copy. A program that writes to the file can't restore it. */
  readonly stat: Stat
}

/** A line of the list. */
type Row = [path: string, key: string, size: number, mtimeMs: number, ctimeMs: number, ino: number]

const PART = 1024 * 1024
/** A clock that counts seconds does not show a change within one. */
const isCoarse = (ms: number) => ms % 1000 === 0
/** Kernels update file times a few milliseconds late. */
const CLOCK_TICK_MS = 50
/** Files between two moments in which the process can react, for example to Ctrl+C. */
const FILES_AT_ONCE = 200

/**
 * A folder that is brought to exactly the given entries, again and again. Files that no program touched since the last time stay,
 * everything else is removed and copied again.
 */
export class RoomFolder {
  readonly tree: string
  readonly #list: string
  readonly #signal: AbortSignal | undefined
  #files = 0

  constructor(tree: string, list: string, signal?: AbortSignal) {
    this.tree = tree
    this.#list = list
    this.#signal = signal
  }

  /** Returns the number of files that were copied. Throws a ChangedWhileCopied, or the reason of the signal. */
  async sync(entries: ReadonlyMap<string, RoomEntry>): Promise<number> {
    mkdirSync(this.tree, { recursive: true, mode: 0o700 })
    try {
      return await this.#sync(entries)
    } catch (error) {
      if (error instanceof ChangedWhileCopied || this.#signal?.aborted) throw error
      // A command may have taken permissions away. Starting over always works, or shows the real reason.
      await removeFolder(this.tree)
      mkdirSync(this.tree, { recursive: true, mode: 0o700 })
      return this.#sync(entries)
    }
  }

  async #sync(entries: ReadonlyMap<string, RoomEntry>): Promise<number> {
    const folders = foldersOf(entries)
    const kept = await this.#keepUntouched(entries, folders)
    const made = new Set<string>()
    let copied = 0
    for (const folder of folders) makeFolder(this.tree, folder, made)
    for (const [path, entry] of entries) {
      if (kept.has(path) || entry.kind === 'folder') continue
      kept.set(path, this.#add(path, entry))
      copied += 1
      await this.#letOthersRun()
    }
    if (copied > 0) this.#write(kept)
    return copied
  }

  /** Removes what a command wrote, added or linked, and whatever is not wanted any more. */
  async #keepUntouched(
    entries: ReadonlyMap<string, RoomEntry>,
    folders: ReadonlySet<string>,
  ): Promise<Map<string, Kept>> {
    const before = this.#read()
    const kept = new Map<string, Kept>()
    const open = ['']
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { name, isDirectory } of entriesOf(join(this.tree, folder))) {
        const path = folder === '' ? name : `${folder}/${name}`
        const full = join(this.tree, path)
        await this.#letOthersRun()
        if (isDirectory) {
          if (folders.has(path)) open.push(path)
          else await removeFolder(full)
          continue
        }
        const [entry, was] = [entries.get(path), before.get(path)]
        const key = entry === undefined ? '' : keyOf(entry)
        if (was !== undefined && key !== '' && key === was.key && sameStat(lstatSync(fsPath(full)), was.stat))
          kept.set(path, was)
        else unlinkSync(fsPath(full))
      }
    }
    return kept
  }

  /** Copying 100,000 files takes up to a minute. Without this, the process would not notice Ctrl+C in that time. */
  async #letOthersRun(): Promise<void> {
    this.#files += 1
    if (this.#files % FILES_AT_ONCE !== 0) return
    await setImmediate()
    this.#signal?.throwIfAborted()
  }

  #add(path: string, entry: Exclude<RoomEntry, { kind: 'folder' }>): Kept {
    const full = join(this.tree, path)
    if (entry.kind === 'link') symlinkSync(fsPath(entry.target), fsPath(full))
    else if (entry.kind === 'bytes') writeFileSync(fsPath(full), entry.bytes, { flag: 'wx', mode: 0o600 })
    else copyExactly(path, entry, full)
    const { size, mtimeMs, ctimeMs, ino } = lstatSync(fsPath(full))
    return { key: isCoarse(ctimeMs) ? '' : keyOf(entry), stat: { size, mtimeMs, ctimeMs, ino } }
  }

  #read(): ReadonlyMap<string, Kept> {
    const before = new Map<string, Kept>()
    try {
      for (const line of readFileSync(this.#list, 'utf8').split('\n').slice(0, -1)) {
        const [path, key, size, mtimeMs, ctimeMs, ino] = JSON.parse(line) as Row
        before.set(path, { key, stat: { size, mtimeMs, ctimeMs, ino } })
      }
      return before
    } catch {
      return new Map()
    }
  }

  /** In parts, because the text of 100,000 files at once takes a lot of memory. */
  #write(kept: ReadonlyMap<string, Kept>): void {
    const list = openSync(this.#list, 'w', 0o600)
    try {
      let part = ''
      for (const [path, { key, stat }] of kept) {
        const { size, mtimeMs, ctimeMs, ino } = stat
        const row: Row = [path, key, size, mtimeMs, ctimeMs, ino]
        part += `${JSON.stringify(row)}\n`
        if (part.length < PART) continue
        writeFileSync(list, part)
        part = ''
      }
      writeFileSync(list, part)
    } finally {
      closeSync(list)
    }
  }
}

function foldersOf(entries: ReadonlyMap<string, RoomEntry>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const [path, { kind }] of entries) {
    if (kind === 'folder') folders.add(path)
    for (let at = path.lastIndexOf('/'); at > 0 && !folders.has(path.slice(0, at)); at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at))
  }
  return folders
}

function makeFolder(tree: string, folder: string, made: Set<string>): void {
  if (folder === '' || made.has(folder)) return
  made.add(folder)
  makeFolder(tree, folder.slice(0, Math.max(folder.lastIndexOf('/'), 0)), made)
  if (!lstatSync(fsPath(join(tree, folder)), { throwIfNoEntry: false })?.isDirectory())
    mkdirSync(fsPath(join(tree, folder)))
}

/** Empty if an equal key would not mean an equal content. */
function keyOf(entry: RoomEntry): string {
  if (entry.kind === 'link') return `link ${entry.target}`
  if (entry.kind === 'bytes') return entry.key
  if (entry.kind === 'folder') return 'folder'
  const { size, mtimeMs, ctimeMs, ino } = entry.stat
  const isClear = !isCoarse(ctimeMs) && ctimeMs < Date.now() - CLOCK_TICK_MS
  return isClear || isSettled(entry.stat, Date.now()) ? `${size} ${mtimeMs} ${ctimeMs} ${ino} ${entry.from}` : ''
}

/** Where a link of the tree points to. */
export const targetOf = (full: string): string => readlinkSync(fsPath(full))
