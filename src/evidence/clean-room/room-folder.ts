import { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { entriesOf, fsPath } from '../../system/file-names.ts'
import { removeFolder } from '../../system/remove-folder.ts'
import { isSettled, sameStat } from '../baseline/content-id.ts'
import { ChangedWhileCopied, type CopiedFile, copyExactly } from './copy-file.ts'
import { RoomList, type Row, readList } from './room-list.ts'

/** What belongs at one path of a room. */
export type RoomEntry =
  | CopiedFile
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly key: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }

/** What belongs into a room, by path. An entry of a large tree is made when it is needed. */
export interface RoomEntries extends Iterable<readonly [path: string, entry: RoomEntry]> {
  get(path: string): RoomEntry | undefined
}

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
  async sync(entries: RoomEntries): Promise<number> {
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

  async #sync(entries: RoomEntries): Promise<number> {
    const folders = foldersOf(entries)
    const kept = await this.#keepUntouched(entries, folders)
    const made = new Set<string>()
    const list = new RoomList(this.#list, kept.values())
    let copied = 0
    try {
      for (const folder of folders) makeFolder(this.tree, folder, made)
      for (const [path, entry] of entries) {
        if (kept.has(path) || entry.kind === 'folder') continue
        list.add(this.#add(path, entry))
        copied += 1
        await this.#letOthersRun()
      }
      list.keep()
    } finally {
      list.close()
    }
    return copied
  }

  /** Removes what a command wrote, added or linked, and whatever is not wanted any more. Returns the lines of the other files. */
  async #keepUntouched(entries: RoomEntries, folders: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const before = readList(this.#list)
    const kept = new Map<string, string>()
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
        const [entry, line] = [entries.get(path), before.get(path)]
        if (entry !== undefined && line !== undefined && isUntouched(full, keyOf(entry), line)) kept.set(path, line)
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

  #add(path: string, entry: Exclude<RoomEntry, { kind: 'folder' }>): Row {
    const full = join(this.tree, path)
    if (entry.kind === 'link') symlinkSync(fsPath(entry.target), fsPath(full))
    else if (entry.kind === 'bytes') writeFileSync(fsPath(full), entry.bytes, { flag: 'wx', mode: 0o600 })
    else copyExactly(path, entry, full)
    const { size, mtimeMs, ctimeMs, ino } = lstatSync(fsPath(full))
    return [path, isCoarse(ctimeMs) ? '' : keyOf(entry), size, mtimeMs, ctimeMs, ino]
  }
}

function isUntouched(full: string, key: string, line: string): boolean {
  const [, then, size, mtimeMs, ctimeMs, ino] = JSON.parse(line) as Row
  return key !== '' && key === then && sameStat(lstatSync(fsPath(full)), { size, mtimeMs, ctimeMs, ino })
}

function foldersOf(entries: RoomEntries): ReadonlySet<string> {
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
