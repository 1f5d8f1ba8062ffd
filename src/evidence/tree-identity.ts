import { createHash, type Hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Status, statusOf } from './git-status.ts'
import type { Workspace } from './types.ts'

const WHOLE = 1024 * 1024
const SAMPLE = 64 * 1024
const MOST_FILES = 2_000
/** Repositories inside repositories. */
const DEEPEST = 4

/** Small files whole, large ones by size and both ends: cheap, and different enough to notice work. */
function addContent(hash: Hash, path: string, whole: boolean): void {
  try {
    const stat = lstatSync(path)
    hash.update(`\0${stat.isSymbolicLink() ? readlinkSync(path) : stat.size}\0${stat.mode & 0o111}\0`)
    if (!stat.isFile() || !whole) return
    if (stat.size <= WHOLE) {
      hash.update(readFileSync(path))
      return
    }
    const file = openSync(path, 'r')
    const part = Buffer.alloc(SAMPLE)
    for (const at of [0, stat.size - SAMPLE]) hash.update(part.subarray(0, readSync(file, part, 0, SAMPLE, at)))
    closeSync(file)
  } catch {
    hash.update('\0gone')
  }
}

/** A submodule with work in it, or a repository that this one does not know: git only says that there is something. */
const isRepository = (entry: { status: string; path: string }) => / S\S/.test(entry.status) || entry.path.endsWith('/')

/** Identity of what lies in the folder: the committed tree, and the content of everything that differs from it. */
export async function treeIdentity(workspace: Workspace, status: Status, depth = 0): Promise<string> {
  const { head, tree, top, entries, hidden, prefix } = status
  const base = head === undefined ? 'unborn' : (tree ?? head)
  const hash = createHash('sha256').update(base)
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const [index, entry] of sorted.entries()) {
    hash.update(`\0${entry.status}\0${entry.path}`)
    if (isRepository(entry) && depth < DEEPEST) {
      const there = await statusOf(workspace, join(top, entry.path))
      hash.update(typeof there === 'string' ? there : await treeIdentity(workspace, there, depth + 1))
    } else addContent(hash, join(top, entry.path), index < MOST_FILES)
  }
  for (const path of hidden) addContent(hash.update(`\0hidden\0${path}`), join(top, prefix, path), true)
  return `${base}-${hash.digest('hex').slice(0, 16)}`
}

const IDENTITY = /^(?:[0-9a-f]{40,64}|unborn)-[0-9a-f]{16}$/

/** Whether a starting point is such an identity, and not a commit. */
export const isIdentity = (since: string): boolean => IDENTITY.test(since)
