import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Read before a test sets another one, so that all files of a worker share the folder. */
const place = join(tmpdir(), 'repositories')

/**
 * Makes the folder a repository whose only commit has these files. They are already there. Git runs only for the first folder with
 * this content, and later ones get a copy of its `.git`. The recipe is whatever else decides the result, such as the author.
 */
export function prepareRepository(
  dir: string,
  recipe: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  make: () => void,
): void {
  const hash = createHash('sha256').update(recipe)
  for (const [name, content] of Object.entries(files)) {
    hash.update(`\0${name}\0${content.length}\0`).update(content)
  }
  const prepared = join(place, hash.digest('hex'))
  if (existsSync(prepared)) {
    cpSync(prepared, join(dir, '.git'), { recursive: true })
    return
  }
  make()
  mkdirSync(place, { recursive: true })
  const copy = mkdtempSync(join(place, 'new-'))
  cpSync(join(dir, '.git'), copy, { recursive: true })
  try {
    renameSync(copy, prepared)
  } catch {
    // Another worker was faster.
    rmSync(copy, { recursive: true, force: true })
  }
}
