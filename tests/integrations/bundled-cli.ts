import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll } from 'vitest'
import { root } from '../source-tree.ts'

/** The program as it stands in the sources, for tests that start it as a process of its own. */
export function bundledCli(): { readonly path: string } {
  const base = mkdtempSync(join(tmpdir(), 'exitgate-program-'))
  const path = join(base, 'dist', 'cli', 'program.mjs')
  beforeAll(async () => {
    // The program reads its version from the package two folders up.
    cpSync(join(root, 'package.json'), join(base, 'package.json'))
    // Grammars are files of a package, found where an installed program finds its dependencies.
    symlinkSync(join(root, 'node_modules'), join(base, 'node_modules'))
    // The parts of the page are made by the build; no test that starts this program asks for the page.
    // Nor for what only the fleet needs, which is not installed with everything else.
    const external = [/^node:/, /\?page$/, '@dbos-inc/dbos-sdk', 'pg']
    // The `main` file of jsonc-parser is UMD, whose inner requires no bundler can follow.
    const resolve = { mainFields: ['module', 'main'] }
    const bundle = await rolldown({ input: join(root, 'src/cli/program.ts'), platform: 'node', external, resolve })
    await bundle.write({ dir: join(base, 'dist', 'cli'), format: 'esm', entryFileNames: '[name].mjs' })
  }, 120_000)
  afterAll(() => rmSync(base, { recursive: true, force: true }))
  return { path }
}
