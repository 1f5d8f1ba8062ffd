import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { digest } from '../system/digest.ts'
import { ConfigError } from './errors.ts'
import type { Found } from './find.ts'
import type { Layer } from './merge.ts'
import { type ProjectConfig, type ReadProject, readProject } from './project-config.ts'

export interface LoadedModule extends ReadProject {
  readonly layer: Layer
  /** A sentence when the file is not what was loaded any more. */
  changed(): string | undefined
}

/**
 * A configuration in code. It is run, so it is loaded only for a person who started exitgate in this folder. What was loaded stays in
 * force; the hash of its content goes into the journal, and other code cannot continue the run.
 */
export function loadModule({ path, name }: Found): LoadedModule {
  const hash = moduleHash(path)
  const read = readProject(exported(path, name), hash)
  return {
    ...read,
    layer: { patch: read.patch, label: () => name },
    changed: () =>
      moduleHash(path) === hash
        ? undefined
        : `${name} was changed during the run; the run keeps what it loaded at its start`,
  }
}

function exported(path: string, name: string): ProjectConfig {
  if (path.endsWith('.ts') && !('typescript' in process.features && process.features.typescript))
    throw new ConfigError(
      `${name}: Node ${process.versions.node} cannot run TypeScript; rename the file to exitgate.config.mjs and remove its types, or use Node 22.18 or newer.`,
    )
  const value = required(path, name)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ConfigError(`${name}: there is no configuration in it; write \`export default defineConfig({ ... })\`.`)
}

/** By require, which loads ES modules since Node 20.19: the program is CommonJS, where import() has to start another loader first. */
function required(path: string, name: string): unknown {
  const { emitWarning } = process
  try {
    // Node 20 warns that this is experimental, which is no news for the user.
    process.emitWarning = () => {}
    return (createRequire(path)(path) as { readonly default?: unknown }).default
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`${name}: it cannot be loaded: ${text.split('\n')[0]}`)
  } finally {
    process.emitWarning = emitWarning
  }
}

const RELATIVE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"]+)\1/g

/** Of the file and of every file of the project that it imports by a relative path. */
export function moduleHash(path: string): string {
  const texts = new Map<string, string>()
  const visit = (file: string): void => {
    if (texts.has(file) || !existsSync(file)) return
    const text = readFileSync(file, 'utf8')
    texts.set(file, text)
    for (const [, , target = ''] of text.matchAll(RELATIVE)) visit(resolve(dirname(file), target))
  }
  try {
    visit(join(path))
  } catch {
    // A file that cannot be read any more is a change, too.
    texts.set('', 'unreadable')
  }
  return digest(JSON.stringify([...texts.values()]))
}
