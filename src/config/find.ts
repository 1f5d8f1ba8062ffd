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

/** A configuration file that was found. Its text isn't parsed yet. */
export interface Found {
  readonly path: string
  /** The path for messages: relative to the workspace. */
  readonly name: string
  readonly kind: 'json' | 'yaml' | 'package' | 'module'
  readonly text: string
}

/** Larger than any configuration, so a log or bundle passed by mistake is rejected. */
const MAX_BYTES = 1024 * 1024

/** The requested file, or the nearest one from the workspace up to the root of its repository. */
export function findConfig(dir: string, file?: string): Found | undefined {
  const start = resolve(dir)
  if (file !== undefined) return explicitFile(start, resolve(start, file))
  for (const folder of searchFolders(start)) {
    const found = FILE_NAMES.filter((name) => exists(join(folder, name))).map((name) => read(start, join(folder, name)))
    const inPackage = packageConfig(start, join(folder, 'package.json'))
    if (inPackage !== undefined) found.push(inPackage)
    if (found.length > 1) {
      const names = found.map((one) => (one.kind === 'package' ? `${one.name}#exitgate` : one.name))
      throw new ConfigError(`found more than one configuration: ${names.join(' and ')}. Keep one of them.`)
    }
    if (found.length === 1) return found[0]
  }
  return undefined
}

function explicitFile(start: string, path: string): Found {
  if (!exists(path))
    throw new ConfigError(`${displayPath(start, path)}: no such file. Check the path passed with --config.`)
  if (basename(path) === 'package.json') {
    const found = packageConfig(start, path)
    if (found === undefined)
      throw new ConfigError(
        `${displayPath(start, path)}: this file has no "exitgate" key. Add one, or pass another file.`,
      )
    return found
  }
  if (!Object.hasOwn(KINDS, extname(path))) {
    throw new ConfigError(`${displayPath(start, path)}: unsupported file type. Use .json, .yaml, .yml, .ts or .mjs.`)
  }
  return read(start, path)
}

/** The workspace and its parents up to the folder with .git. Outside a repository, only the workspace. */
function searchFolders(start: string): readonly string[] {
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
    // Unreachable, for example because of permissions or a link cycle. Reading the file by name reports the reason.
    return false
  }
}

/** The package.json, if it has an `exitgate` key. */
export function packageConfig(start: string, path: string): Found | undefined {
  if (!exists(path)) return undefined
  let found: Found
  try {
    found = { ...read(start, path), kind: 'package' }
  } catch {
    // An unreadable package.json is not our concern unless it configures exitgate.
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
  const name = displayPath(start, path)
  const fail = (why: string): never => {
    throw new ConfigError(`${name}: ${why}.`)
  }
  let bytes: Buffer
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) fail('this is a folder, not a file')
    if (!stat.isFile()) fail('this is not a regular file')
    if (stat.size > MAX_BYTES) fail(`too large for a configuration (${stat.size} bytes, at most ${MAX_BYTES})`)
    bytes = readFileSync(path)
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw thrown
    const code = errorCode(thrown)
    return fail(
      code === 'EACCES' || code === 'EPERM'
        ? 'permission denied. Make the file readable'
        : `can't read this file (${code || thrown})`,
    )
  }
  if (!isUtf8(bytes) || bytes.includes(0)) fail('this is not a UTF-8 text file')
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  return { path, name, kind: KINDS[extname(path)] ?? 'yaml', text }
}

function displayPath(start: string, path: string): string {
  const near = relative(start, path)
  return near.length < path.length ? near : path
}
