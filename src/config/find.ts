import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { errorCode } from '../system/files.ts'
import { ConfigError } from './errors.ts'

export const FILE_NAMES = [
  'exitgate.config.json',
  'exitgate.config.yaml',
  'exitgate.config.yml',
  'exitgate.config.ts',
  'exitgate.config.mjs',
] as const

const KINDS: Readonly<Record<string, Found['kind']>> = {
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.ts': 'module',
  '.mjs': 'module',
}

/** A configuration file as it was found: its text is not judged yet. */
export interface Found {
  readonly path: string
  /** The path as people see it in messages: relative to the workspace. */
  readonly name: string
  readonly kind: 'json' | 'yaml' | 'package' | 'module'
  readonly text: string
}

/** No configuration is near this size; a log or a bundle given by mistake is. */
const MAX_BYTES = 1024 * 1024

/** The file to read: the one asked for, else the nearest one from the workspace up to the root of its repository. */
export function findConfig(dir: string, file?: string): Found | undefined {
  const start = resolve(dir)
  if (file !== undefined) return asked(start, resolve(start, file))
  for (const folder of foldersOf(start)) {
    const found = FILE_NAMES.filter((name) => exists(join(folder, name))).map((name) => read(start, join(folder, name)))
    const inPackage = packageConfig(start, join(folder, 'package.json'))
    if (inPackage !== undefined) found.push(inPackage)
    if (found.length > 1) {
      const names = found.map((one) => (one.kind === 'package' ? `${one.name}#exitgate` : one.name))
      throw new ConfigError(`${names.join(' and ')} stand side by side; keep one of them.`)
    }
    if (found.length === 1) return found[0]
  }
  return undefined
}

function asked(start: string, path: string): Found {
  if (!exists(path)) throw new ConfigError(`${nameOf(start, path)}: there is no such file.`)
  if (basename(path) === 'package.json') {
    const found = packageConfig(start, path)
    if (found === undefined) throw new ConfigError(`${nameOf(start, path)}: there is no key "exitgate" in it.`)
    return found
  }
  if (!Object.hasOwn(KINDS, extname(path))) {
    throw new ConfigError(`${nameOf(start, path)}: a configuration file ends in .json, .yaml, .yml, .ts or .mjs.`)
  }
  return read(start, path)
}

/** The workspace, then its parents up to the folder that holds .git. Outside a repository: the workspace alone. */
function foldersOf(start: string): readonly string[] {
  const folders: string[] = []
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder)
    if (exists(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) return [start]
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Not reachable (a closed folder, a loop of links): reading it will say why, if anyone asks for it by name.
    return false
  }
}

/** What a package.json says under the key `exitgate`, if it says anything. */
export function packageConfig(start: string, path: string): Found | undefined {
  if (!exists(path)) return undefined
  let found: Found
  try {
    found = { ...read(start, path), kind: 'package' }
  } catch {
    // A package.json of any shape is none of our business as long as it does not speak to us.
    return undefined
  }
  if (!found.text.includes('"exitgate"')) return undefined
  try {
    const parsed: unknown = JSON.parse(found.text)
    return typeof parsed === 'object' && parsed !== null && Object.hasOwn(parsed, 'exitgate') ? found : undefined
  } catch {
    return found
  }
}

function read(start: string, path: string): Found {
  const name = nameOf(start, path)
  const fail = (why: string): never => {
    throw new ConfigError(`${name}: ${why}.`)
  }
  let bytes: Buffer
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) fail('this is a folder, not a file')
    if (!stat.isFile()) fail('this is not a regular file')
    if (stat.size > MAX_BYTES)
      fail(`${stat.size} bytes are too many for a configuration; at most ${MAX_BYTES} are read`)
    bytes = readFileSync(path)
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw thrown
    const code = errorCode(thrown)
    return fail(code === 'EACCES' || code === 'EPERM' ? 'it may not be read' : `it cannot be read (${code || thrown})`)
  }
  if (!isUtf8(bytes) || bytes.includes(0)) fail('this is not a text in UTF-8')
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  return { path, name, kind: KINDS[extname(path)] ?? 'yaml', text }
}

function nameOf(start: string, path: string): string {
  const near = relative(start, path)
  return near.length < path.length ? near : path
}
