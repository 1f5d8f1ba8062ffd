import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { entriesOf } from '../../system/file-names.ts'
import { realPath } from '../../system/sandbox/sandbox.ts'
import { statOf } from '../baseline/content-id.ts'
import type { DependencyFolder } from '../baseline/dependency-folders.ts'
import { isInside } from '../baseline/inside.ts'
import { CACHES } from './folder-names.ts'
import type { RoomEntry } from './room-folder.ts'

/** A folder with one of these may have dependencies next to it. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|Pipfile|composer\.json|Gemfile|Podfile|mix\.exs|go\.mod|Cargo\.toml|elm\.json|bower\.json)$/

/** In the sandbox, node_modules is readable below this folder. In the room it is a folder of links, so that tools can write caches. */
const MODULES_PLACE = '/tmp/exitgate-dependencies'

/** A folder that the room gets from the project, only to read. */
export interface Mount {
  readonly from: string
  readonly to: string
}

export interface DependencyPlace {
  /** The project. */
  readonly top: string
  /** The room as its commands see it: the project's own path if the sandbox can put it there. */
  readonly seenAs: string
}

export interface SharedDependencies {
  readonly entries: ReadonlyMap<string, RoomEntry>
  readonly mounts: readonly Mount[]
}

/** Installed packages of a tree. They are not in any list of files, because git ignores them. */
export function sharedDependencies(
  folders: readonly DependencyFolder[],
  paths: readonly string[],
  { top, seenAs }: DependencyPlace,
): SharedDependencies {
  const entries = new Map<string, RoomEntry>()
  const mounts: Mount[] = []
  const isMounted = top === seenAs
  const listed = foldersWithFiles(paths)
  for (const { path: full, real, kind } of folders) {
    const path = relative(top, full)
    // Outside the project it has the same path for everyone. Files that are listed are copied like any other.
    if (!isInside(full, top) || listed.has(path)) continue
    if (kind === 'node') shareModules(path, real)
    else share(path, real)
  }
  return { entries, mounts }

  function share(path: string, from: string): void {
    if (isMounted) {
      entries.set(path, { kind: 'folder' })
      mounts.push({ from, to: join(seenAs, path) })
    } else if (existsSync(join(from, 'composer', 'installed.json'))) copyFolder(path)
    else entries.set(path, { kind: 'link', target: from })
  }

  /** PHP resolves the real path of its loader, and would load the original sources from there. */
  function copyFolder(path: string): void {
    const open = [path]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { name, isDirectory } of entriesOf(join(top, folder))) {
        const inner = `${folder}/${name}`
        const stat = statOf(join(top, inner))
        if (isDirectory) open.push(inner)
        else if (stat?.isFile()) entries.set(inner, { kind: 'file', from: join(top, inner), stat })
      }
    }
  }

  function shareModules(path: string, from: string): void {
    const place = isMounted ? `${MODULES_PLACE}/${mounts.length}/node_modules` : from
    if (isMounted) mounts.push({ from, to: place })
    entries.set(path, { kind: 'folder' })
    for (const { name, isDirectory } of entriesOf(from)) {
      if (CACHES.has(name)) continue
      if (isDirectory && (name === '.bin' || name.startsWith('@')))
        for (const inner of entriesOf(join(from, name))) shareModule(path, `${name}/${inner.name}`, from, place)
      else shareModule(path, name, from, place)
    }
  }

  /** A package of the project itself is a link to its sources, which must be those of the room. */
  function shareModule(path: string, name: string, from: string, place: string): void {
    const real = realPath(join(from, name))
    const own = isInside(real, top) && !/(?:^|\/)node_modules(?:\/|$)/.test(relative(top, real))
    entries.set(`${path}/${name}`, {
      kind: 'link',
      target: own ? join(seenAs, relative(top, real)) : `${place}/${name}`,
    })
  }
}

/** Folders in which dependencies and local settings may be. */
export function foldersToSearch(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set([''])
  for (const path of paths) if (MANIFEST.test(path)) folders.add(path.slice(0, Math.max(path.lastIndexOf('/'), 0)))
  return folders
}

export function foldersWithFiles(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of paths)
    for (let at = path.lastIndexOf('/'); at > 0 && !folders.has(path.slice(0, at)); at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at))
  return folders
}
