// The files of a workspace: a hash of their content, and copies stored under that hash.
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

/** Not part of the work: the history, and files that systems and interpreters write. */
const NOT_WORK = new Set(['.git', '.exitgate', '__pycache__', '.pytest_cache'])

function* filesUnder(dir, below = '') {
  for (const name of readdirSync(join(dir, below)).sort()) {
    if (NOT_WORK.has(name)) continue
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
  const filter = (source) => source === from || !NOT_WORK.has(basename(source))
  cpSync(from, to, { recursive: true, filter, verbatimSymlinks: true })
}

/** A copy in `trees`, named after its hash; several runs may store the same one at the same time. */
export function keepTree(dir, trees) {
  const id = treeOf(dir)
  const place = join(trees, id)
  if (existsSync(place)) return id
  mkdirSync(trees, { recursive: true })
  const partial = join(trees, `${id}.${process.pid}`)
  copyTree(dir, partial)
  try {
    renameSync(partial, place)
  } catch {
    rmSync(partial, { recursive: true, force: true })
  }
  return id
}
