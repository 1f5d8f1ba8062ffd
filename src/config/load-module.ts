import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { digest } from '../system/digest.ts'
import { ConfigError } from './errors.ts'
import type { Found } from './find.ts'
import type { Layer } from './merge.ts'
import { type ProjectConfig, type ReadProject, readProject } from './project-config.ts'

export interface LoadedModule extends ReadProject {
  readonly layer: Layer
  readonly hash: string
  /** A warning if the file has changed since it was loaded. */
  changed(): string | undefined
}

/**
 * A configuration in code. It is executed, so it is loaded only when the user started exitgate in this folder. The run keeps what
 * was loaded; the journal records the hash, and a run can't be continued with different code.
 */
export function loadModule({ path, name }: Found): LoadedModule {
  const hash = moduleHash(path)
  const read = readProject(loadProject(path, name), hash)
  return {
    ...read,
    hash,
    layer: { patch: read.patch, label: () => name },
    changed: () =>
      moduleHash(path) === hash
        ? undefined
        : `${name} was edited during the run. The run keeps the version it started with.`,
  }
}

function loadProject(path: string, name: string): ProjectConfig {
  if (path.endsWith('.ts') && !('typescript' in process.features && process.features.typescript))
    throw new ConfigError(
      `${name}: Node ${process.versions.node} can't run TypeScript. Use Node 22.18 or newer, or remove the types and rename the file to exitgate.config.mjs.`,
    )
  const value = importDefault(path, name)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ConfigError(`${name}: no default export found. Write \`export default defineConfig({ ... })\`.`)
}

/** Uses require, which loads ES modules since Node 20.19. The program is CommonJS, where import() would start a second loader. */
function importDefault(path: string, name: string): unknown {
  const { emitWarning } = process
  try {
    // Node 20 prints an experimental warning for this, which doesn't help the user.
    process.emitWarning = () => {}
    return (createRequire(path)(path) as { readonly default?: unknown }).default
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`${name}: loading this file failed: ${text.split('\n')[0]}`)
  } finally {
    process.emitWarning = emitWarning
  }
}

const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g
/** Enough for a configuration and the packages it uses. */
const MOST_FILES = 2_000

/** Covers the file and every file it imports, also from packages. */
export function moduleHash(path: string): string {
  const texts = new Map<string, string>()
  const visit = (file: string): void => {
    if (texts.has(file) || texts.size >= MOST_FILES || !existsSync(file) || statSync(file).isDirectory()) return
    const text = readFileSync(file, 'utf8')
    texts.set(file, text)
    for (const [, , target = ''] of text.matchAll(IMPORTED)) visit(importedFile(file, target))
  }
  try {
    visit(join(path))
  } catch {
    // A file that became unreadable counts as changed.
    texts.set('', 'unreadable')
  }
  return digest(JSON.stringify([...texts.values()]))
}

function importedFile(from: string, target: string): string {
  if (/^\.{1,2}\//.test(target)) return resolve(dirname(from), target)
  try {
    const found = createRequire(from).resolve(target)
    return isAbsolute(found) ? found : ''
  } catch {
    // A module of Node, or none.
    return ''
  }
}
