import { join } from 'node:path'
import { entriesOf } from '../system/file-names.ts'
import { baseOf, globMatcher, isGlob } from '../system/glob.ts'
import { insideOf } from '../system/read-file.ts'
import type { Workspace } from './types.ts'

const MOST_FILES = 50_000

/**
 * Files that fit a path or glob, sorted. What is built is mostly ignored and therefore in no list, so a folder that the
 * glob names is looked into itself; `**` at the very start finds only what is listed.
 */
export function findFiles(workspace: Workspace, listed: readonly string[], glob: string): readonly string[] {
  const path = glob.replace(/^\.\//, '')
  const fits = globMatcher(path)
  const found = new Set(listed.filter(fits))
  if (!isGlob(path)) {
    if (isThere(workspace, path)) found.add(path)
  } else if (baseOf(path) !== '') {
    for (const file of filesUnder(workspace.dir, baseOf(path))) if (fits(file)) found.add(file)
  }
  return [...found].sort()
}

const isThere = (workspace: Workspace, path: string) =>
  insideOf(workspace.dir, path) !== undefined || workspace.read(path) !== undefined

/** Files of a folder of the workspace, ignored ones too; a folder that a link leads to is not entered. */
export function filesUnder(dir: string, base: string): readonly string[] {
  const files: string[] = []
  const folders = insideOf(dir, base) === undefined ? [] : [base]
  for (let folder = folders.pop(); folder !== undefined && files.length < MOST_FILES; folder = folders.pop()) {
    for (const entry of entriesOf(join(dir, folder))) {
      const path = `${folder}/${entry.name}`
      if (!entry.isDirectory) files.push(path)
      else if (entry.name !== '.git') folders.push(path)
    }
  }
  return files
}
