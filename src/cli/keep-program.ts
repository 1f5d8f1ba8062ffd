import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Compiles {
  _compile(text: string, file: string): void
}

/**
 * Reads the program's files before an agent starts, because some are compiled only when they are first used. An agent that can
 * write them changes nothing in this run.
 */
export function keepProgram(): void {
  const folder = dirname(fileURLToPath(import.meta.url))
  const files = readdirSync(folder).filter((name) => name.endsWith('.cjs'))
  const kept = new Map(files.map((name) => [join(folder, name), readFileSync(join(folder, name))]))
  const { extensions } = createRequire(import.meta.url)
  const load = extensions['.js']!
  extensions['.cjs'] = (module, file) => {
    const bytes = kept.get(file)
    if (bytes === undefined) load(module, file)
    else (module as typeof module & Compiles)._compile(bytes.toString('latin1'), file)
  }
}
