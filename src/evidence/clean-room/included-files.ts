import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf } from '../../system/file-names.ts'
import { bytesOf } from '../baseline/content-id.ts'
import { findFiles } from '../find-files.ts'
import type { Workspace } from '../types.ts'
import { foldersToSearch, foldersWithFiles } from './dependencies.ts'
import { BUILD_FILES, BUILD_OUTPUT, DEPENDENCIES, isCompiled, REPOSITORY_FOLDERS } from './folder-names.ts'
import type { RoomEntry } from './room-folder.ts'

/** Local settings that tools read from the project's folder. */
const LOCAL_SETTINGS =
  /^\.env(?:\.[\w.-]+)?$|^\.flaskenv$|^\.python-version$|^\.node-version$|^\.nvmrc$|^\.tool-versions$/
const MOST = { files: 2_000, fileBytes: 2 * 1024 * 1024, bytes: 32 * 1024 * 1024 }

type Files = ReadonlyMap<string, Buffer>

/** Files that the user names, and local settings such as `.env`, by their path from the top. */
export function namedFiles(
  workspace: Workspace,
  listed: readonly string[],
  globs: readonly string[],
  prefix: string,
): Files {
  const known = new Set(listed)
  const wanted = globs.flatMap((glob) => findFiles(workspace, listed, glob)).filter((path) => !known.has(path))
  return contentsOf(workspace.dir, [...settingsIn(workspace.dir, listed), ...wanted], prefix)
}

function settingsIn(dir: string, listed: readonly string[]): readonly string[] {
  const known = new Set(listed)
  return [...foldersToSearch(listed)].flatMap((folder) =>
    entriesOf(join(dir, folder)).flatMap(({ name, isDirectory }) => {
      const path = folder === '' ? name : `${folder}/${name}`
      return !isDirectory && LOCAL_SETTINGS.test(name) && !known.has(path) ? [path] : []
    }),
  )
}

/** All ignored files that are small enough, without dependencies, build output and caches. */
export function otherIgnored(dir: string, listed: readonly string[], prefix: string): Files {
  const known = new Set(listed)
  const tracked = foldersWithFiles(listed)
  const found: string[] = []
  const open = ['']
  for (let folder = open.pop(); folder !== undefined && found.length < MOST.files; folder = open.pop()) {
    for (const { name, isDirectory } of entriesOf(join(dir, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (isDirectory && (tracked.has(path) || isOther(join(dir, path), name))) open.push(path)
      else if (!isDirectory && !known.has(path) && !BUILD_FILES.test(name) && !isCompiled(dir, path)) found.push(path)
    }
  }
  return contentsOf(dir, found, prefix)
}

const isOther = (full: string, name: string) =>
  name !== 'node_modules' &&
  !existsSync(join(full, 'pyvenv.cfg')) &&
  ![REPOSITORY_FOLDERS, DEPENDENCIES, BUILD_OUTPUT].some((names) => names.has(name))

function contentsOf(dir: string, paths: readonly string[], prefix: string): Files {
  const contents = new Map<string, Buffer>()
  let bytes = 0
  for (const path of paths) {
    const content = bytesOf(join(dir, path), MOST.fileBytes)
    if (content === undefined || contents.size >= MOST.files || bytes + content.length > MOST.bytes) continue
    bytes += content.length
    contents.set(prefix + path, content)
  }
  return contents
}

/** As entries of a room. */
export const includedEntries = (files: Files): ReadonlyMap<string, RoomEntry> =>
  new Map(
    [...files].map(([path, bytes]) => {
      const key = createHash('sha256').update(bytes).digest('hex')
      return [path, { kind: 'bytes', bytes, key }] as const
    }),
  )
