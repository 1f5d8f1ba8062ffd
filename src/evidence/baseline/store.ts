import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode, makeFolder, syncFolder, writeFileAtomic } from '../../system/files.ts'
import { isSettled, type Stat, sameStat, statOf } from './content-id.ts'
import type { InstalledFiles } from './dependencies.ts'
import type { StoredBaseline } from './stored-baseline.ts'
import { bodyOf, type Columns, columnsOf, type OldFiles, tableOf, tableOfOld } from './stored-files.ts'

/** Something is wrong with the stored baseline itself. The message is for the user. */
export class BaselineError extends Error {
  readonly exitCode = 70
  override readonly name = 'BaselineError'
}

/** Keeps the readable half of "EACCES: permission denied, open '...'". */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split(', ')[0] ?? error.message) : String(error)

const FOLDER = 'baseline'
const RECORD = 'baseline.json'
const VERSION = 3
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0

/** The first line of the record: its version, and the hash of everything after it. */
interface Seal {
  readonly format: 'exitgate-baseline'
  readonly v: number
  readonly sha256: string
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Writes record and copies so that a crash leaves the old ones or the new ones, never a mix. Returns the id. */
export function writeBaseline(
  dir: string,
  recorded: StoredBaseline,
  copies: readonly Buffer[],
  dependencies?: Buffer,
): string {
  const folder = join(dir, FOLDER)
  try {
    makeFolder(folder)
    chmodSync(folder, 0o700)
    writeFileAtomic(join(folder, recorded.copiesFile), copies, { sync: true })
    const extra = recorded.dependencies === 'none' ? undefined : recorded.dependencies?.file
    if (extra !== undefined && dependencies !== undefined)
      writeFileAtomic(join(folder, extra), [dependencies], { sync: true })
    const body = bodyOf(recorded)
    const hash = createHash('sha256')
    for (const part of body) hash.update(part)
    const seal: Seal = { format: 'exitgate-baseline', v: VERSION, sha256: hash.digest('hex') }
    writeFileAtomic(join(folder, RECORD), [Buffer.from(`${JSON.stringify(seal)}\n`), ...body], { sync: true })
    syncFolder(folder)
    for (const name of readdirSync(folder)) {
      if (name !== RECORD && name !== recorded.copiesFile && name !== extra) unlinkSync(join(folder, name))
    }
    // When it is read again, its content need not be parsed.
    lastRead = { recorded, id: seal.sha256, file: join(folder, RECORD) }
    return seal.sha256
  } catch (error) {
    throw new BaselineError(`The baseline could not be stored in ${folder}: ${reasonOf(error)}.`)
  }
}

/** Each set of copies has its own name, so that an old record never points to new copies. */
export const newCopiesName = (): string => `copies-${randomBytes(8).toString('hex')}.bin`

/** Installed files are many and rarely needed, so they have a file of their own. */
export function packDependencies(installed: readonly InstalledFiles[]): {
  readonly place: NonNullable<StoredBaseline['dependencies']>
  readonly bytes?: Buffer
} {
  if (installed.length === 0) return { place: 'none' }
  const bytes = Buffer.from(JSON.stringify(installed.map((each) => ({ ...each, files: columnsOf(each.files) }))))
  const file = `dependencies-${randomBytes(8).toString('hex')}.json`
  return { place: { file, sha256: sha256(bytes) }, bytes }
}

/** What was installed then; undefined in baselines of older versions. */
export function readDependencies(dir: string, { dependencies }: StoredBaseline): readonly InstalledFiles[] | undefined {
  if (dependencies === undefined || dependencies === 'none') return dependencies && []
  const file = join(dir, FOLDER, dependencies.file)
  let bytes: Buffer
  try {
    bytes = readPlain(file)
  } catch (error) {
    throw new BaselineError(`The baseline's list of dependencies in ${file} cannot be read: ${reasonOf(error)}.`)
  }
  const stored = sha256(bytes) === dependencies.sha256 ? parsed(bytes) : undefined
  if (stored === undefined) throw new BaselineError(`The baseline's list of dependencies in ${file} is damaged.`)
  type Packed = Omit<InstalledFiles, 'files'> & { readonly files: Columns }
  return (stored as readonly Packed[]).map((each) => ({ ...each, files: tableOf(each.files) }))
}

/** A loop needs the same record after every iteration. It is read again if its stat changed, or might not show a change. */
let lastRead:
  | { readonly recorded: StoredBaseline; readonly id: string; readonly file: string; readonly stat?: Stat }
  | undefined

/** The record and its id; undefined if none was ever written. Throws if there is anything wrong with it. */
export function readBaseline(dir: string): { recorded: StoredBaseline; id: string } | undefined {
  const folder = join(dir, FOLDER)
  const file = join(folder, RECORD)
  const at = Date.now()
  let stat: Stat | undefined
  let bytes: Buffer
  try {
    stat = statOf(file)
    const before = lastRead?.file === file ? lastRead.stat : undefined
    if (before !== undefined && stat !== undefined && sameStat(before, stat)) return lastRead
    bytes = readPlain(file)
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT'
    if (missing && !leftovers(folder)) return undefined
    const why = missing ? 'its record is gone, but its copies are there' : reasonOf(error)
    throw new BaselineError(`The baseline in ${folder} cannot be read: ${why}.`)
  }
  const line = bytes.indexOf(10)
  const seal = parsed(bytes.subarray(0, Math.max(line, 0))) as Partial<Seal> | undefined
  if (seal?.format !== 'exitgate-baseline' || typeof seal.v !== 'number') throw damaged(folder)
  if (seal.v > VERSION) {
    throw new BaselineError(`The baseline in ${folder} was written by a newer exitgate (version ${seal.v}).`)
  }
  const body = bytes.subarray(line + 1)
  const id = sha256(body)
  if (id !== seal.sha256) throw damaged(folder)
  const seen = { id, file, ...(stat !== undefined && isSettled(stat, at) && { stat }) }
  if (lastRead?.id === id) {
    lastRead = { ...seen, recorded: lastRead.recorded }
    return lastRead
  }
  const stored = parsed(body) as (Omit<StoredBaseline, 'files'> & { readonly files: Columns & OldFiles }) | undefined
  if (stored === undefined) throw damaged(folder)
  lastRead = { ...seen, recorded: { ...stored, files: seal.v < 2 ? tableOfOld(stored.files) : tableOf(stored.files) } }
  return lastRead
}

const damaged = (folder: string) =>
  new BaselineError(`The baseline in ${folder} is damaged: its content does not match its hash.`)

function leftovers(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.bin'))
  } catch {
    return false
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function readPlain(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0))
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a regular file')
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** One copy from the file of copies. */
export function readCopy(
  dir: string,
  recorded: StoredBaseline,
  path: string,
  copies: StoredBaseline['copies'] = recorded.copies,
): Buffer | undefined {
  const place = Object.hasOwn(copies, path) ? copies[path] : undefined
  if (place === undefined) return undefined
  const [offset, length, hash] = place
  const bytes = Buffer.alloc(length)
  const file = join(dir, FOLDER, recorded.copiesFile)
  try {
    const fd = openSync(file, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0))
    try {
      if (readSync(fd, bytes, 0, length, offset) === length && sha256(bytes) === hash) return bytes
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw new BaselineError(`The baseline's copy of ${path} in ${file} cannot be read: ${reasonOf(error)}.`)
  }
  throw new BaselineError(`The baseline's copy of ${path} in ${file} is damaged.`)
}

export const copyHash = sha256
