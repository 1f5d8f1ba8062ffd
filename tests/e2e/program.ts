import { join } from 'node:path'
import { ensureBuilt } from '../../scripts/prepare.mjs'
import { root } from '../source-tree.ts'

let built: Promise<void> | undefined

/**
 * The built program, the same for all test files. It is built again only if the sources have changed since the last build, and keeps its
 * compiled code between starts (program.cjs).
 */
export async function program(): Promise<string> {
  built ??= ensureBuilt(root, (line) => console.error(line))
  await built
  return join(root, 'tests', 'e2e', 'program.cjs')
}
