import { join } from 'node:path'
import { entriesOf } from '../system/file-names.ts'
import { globBase, globMatcher, isGlob } from '../system/glob.ts'
import { pathInside } from '../system/read-file.ts'
import type { Workspace } from './types.ts'

const MOST_FILES = 50_000

/**
 * Files that match a path or glob, sorted. Build output is mostly ignored and in no list, so a folder that the glob names is read
 * from disk. `**` at the very start finds only listed files.
 */
export function findFiles(workspace: Workspace, listed: readonly string[], glob: string): readonly string[] {
  const path = glob.replace(/^\.\//, '')
  const fits = globMatcher(path)
  const found = new Set(listed.filter(fits))
  if (!isGlob(path)) {
    if (isThere(workspace, path)) found.add(path)
  } else if (globBase(path) !== '') {
    for (const file of filesUnder(workspace.dir, globBase(path))) if (fits(file)) found.add(file)
  }
  return [...found].sort()
}

const isThere = (workspace: Workspace, path: string) =>
  pathInside(workspace.dir, path) !== undefined || workspace.read(path) !== undefined

/** Files in a folder of the workspace, including ignored ones; links to folders are not followed. */
export function filesUnder(dir: string, base: string): readonly string[] {
  const files: string[] = []
  const folders = pathInside(dir, base) === undefined ? [] : [base]
  for (let folder = folders.pop(); folder !== undefined && files.length < MOST_FILES; folder = folders.pop()) {
    for (const entry of entriesOf(join(dir, folder))) {
      const path = `${folder}/${entry.name}`
      if (!entry.isDirectory) files.push(path)
      else if (entry.name !== '.git') folders.push(path)
    }
  }
  return files
}
