// The files of a workspace: their identity, and copies of them under that identity.
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, join } from 'node:path'

/** Not the work: the history, and what systems and interpreters write beside it. */
const BESIDE = new Set(['.git', '.exitgate', '__pycache__', '.pytest_cache'])

function* filesUnder(dir, below = '') {
  for (const name of readdirSync(join(dir, below)).sort()) {
    if (BESIDE.has(name)) continue
    const path = join(below, name)
    const stat = lstatSync(join(dir, path))
    if (stat.isDirectory()) yield* filesUnder(dir, path)
    else if (stat.isFile() || stat.isSymbolicLink()) yield { path, stat }
  }
}

export function treeOf(dir) {
  const hash = createHash('sha256')
  for (const { path, stat } of filesUnder(dir)) {
    const content = stat.isSymbolicLink() ? readlinkSync(join(dir, path)) : readFileSync(join(dir, path))
    hash.update(`${path}\0${stat.mode & 0o111 ? 'x' : '-'}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 20)
}

export function copyTree(from, to) {
  const filter = (source) => source === from || !BESIDE.has(basename(source))
  cpSync(from, to, { recursive: true, filter, verbatimSymlinks: true })
}

/** A copy in `trees`, named by its identity; several runs may leave the same one there at the same time. */
export function keepTree(dir, trees) {
  const id = treeOf(dir)
  const place = join(trees, id)
  if (existsSync(place)) return id
  mkdirSync(trees, { recursive: true })
  const half = join(trees, `${id}.${process.pid}`)
  copyTree(dir, half)
  try {
    renameSync(half, place)
  } catch {
    rmSync(half, { recursive: true, force: true })
  }
  return id
}
