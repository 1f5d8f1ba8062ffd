import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll } from 'vitest'
import { pageParts } from '../../scripts/page-parts.mjs'
import { root } from '../source-tree.ts'

let built: Promise<string> | undefined

/** The program as it stands in the sources, for processes of their own; built once a test file. */
export function program(): Promise<string> {
  built ??= build()
  return built
}

/** Inside the project, because libraries are found from there. */
async function build(): Promise<string> {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'exitgate-program-'))
  folders.push(dir)
  const bundle = await rolldown({
    input: join(root, 'src/cli/program.ts'),
    platform: 'node',
    plugins: [pageParts()],
    external: (id) => id.startsWith('node:') || (!id.startsWith('.') && !id.startsWith('/')),
  })
  await bundle.write({
    dir: join(dir, 'dist', 'cli'),
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  })
  await bundle.close()
  return join(dir, 'dist', 'cli', 'program.mjs')
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
