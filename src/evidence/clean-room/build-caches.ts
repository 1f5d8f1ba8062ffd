import { constants, cpSync, existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entriesOf } from '../../system/file-names.ts'
import { makeFolder } from '../../system/files.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { statOf } from '../baseline/content-id.ts'
import type { RoomEntry } from './room-folder.ts'
import { roomsFolder } from './room-places.ts'

/**
 * What compilers made before the first iteration, kept out of the agent's reach. Every room gets it again as it was then: nothing
 * that ran in a room after that can leave anything in it.
 */
export interface BuildCaches {
  /** Output inside the tree. */
  readonly tree: ReadonlyMap<string, RoomEntry>
  /** Folders that a variable names. */
  readonly folders: ReadonlyMap<string, RoomEntry>
}

const FOLDER = 'caches'
/** A larger cache is not kept: the room then builds from the start. */
const MOST = { files: 60_000, bytes: 4 * 1024 ** 3 }

/** Compilers whose cache is in the home, which a room does not have. */
export const CACHE_VARIABLES: readonly (readonly [variable: string, manifest: RegExp])[] = [
  ['GOCACHE', /(?:^|\/)go\.mod$/],
]

/** Cargo keeps its output next to the manifest. */
const outputFolders = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => /(?:^|\/)Cargo\.toml$/.test(path)).map((path) => join(dirname(path), 'target'))

/** Keeps what the room's commands built. */
export function keepCaches(
  rooms: string,
  room: { readonly tree: string; readonly folders: string },
  paths: readonly string[],
): void {
  const [kept, next] = [join(rooms, FOLDER), join(rooms, `${FOLDER}-new`)]
  for (const folder of [kept, next]) removeFolderSync(folder)
  const found = outputFolders(paths).filter((path) => entriesBelow(join(room.tree, path)) !== undefined)
  const isBuilt = entriesBelow(room.folders)
  if (found.length === 0 && (isBuilt?.size ?? 0) === 0) return
  makeFolder(next)
  for (const path of found) copyFolder(join(room.tree, path), join(next, 'tree', path))
  if (isBuilt !== undefined) copyFolder(room.folders, join(next, 'folders'))
  renameSync(next, kept)
}

const copyFolder = (from: string, to: string): void => {
  if (existsSync(from))
    cpSync(from, to, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    })
}

/** When the run is over: nothing else is in the folder, except rooms of other processes. */
export function removeCaches(stateDir: string): void {
  const rooms = roomsFolder(stateDir)
  for (const { name } of entriesOf(rooms)) if (!name.startsWith('exitgate-')) removeFolderSync(join(rooms, name))
}

export function keptCaches(rooms: string): BuildCaches {
  const folder = join(rooms, FOLDER)
  const none = new Map<string, RoomEntry>()
  return {
    tree: entriesBelow(join(folder, 'tree')) ?? none,
    folders: entriesBelow(join(folder, 'folders')) ?? none,
  }
}

/** Undefined if there is nothing, or too much. */
function entriesBelow(top: string): ReadonlyMap<string, RoomEntry> | undefined {
  const entries = new Map<string, RoomEntry>()
  let bytes = 0
  const open = existsSync(top) ? [''] : []
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const { name, isDirectory } of entriesOf(join(top, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const stat = isDirectory ? undefined : statOf(join(top, path))
      if (isDirectory) open.push(path)
      else if (stat?.isFile()) entries.set(path, { kind: 'file', from: join(top, path), stat })
      bytes += stat?.size ?? 0
      if (entries.size > MOST.files || bytes > MOST.bytes) return undefined
    }
  }
  return entries.size === 0 ? undefined : entries
}
