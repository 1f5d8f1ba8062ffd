import { closeSync, constants, fstatSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { errorCode, makeFolder, openPlain, writeFileAtomic } from '../../system/files.ts'
import { FleetError, messageOf } from '../errors.ts'

/** One file of the state folder in transfer: its path relative to the folder, with `/`, and its compressed bytes. */
export interface StateFile {
  readonly path: string
  readonly bytes: Buffer
}

/** Size and times of each file when it was last read. */
export type Seen = ReadonlyMap<string, string>

export interface ChangedFiles {
  readonly files: readonly StateFile[]
  /** Paths that existed the last time and no longer do. */
  readonly removed: readonly string[]
  readonly seen: Seen
}

/** The journal is transferred line by line. Locks, sockets, inboxes and snapshots mean nothing on another machine. */
const NOT_TRANSFERRED =
  /^(?:journal\..*|lock(?:\..*)?|state\.json.*|control(?:\.json)?|inbox|stops|compiled|archive|.*\.tmp)$/
const MEGABYTE = 1024 * 1024
/** The database is the wrong place for more than this in one row or one step. */
const MAX_FILE_BYTES = 128 * MEGABYTE
const MAX_STEP_BYTES = 512 * MEGABYTE
const MAX_FILES = 20_000

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** What changed in a state folder since the last look: baseline, transcripts, prompts, flake history. */
export async function changedFiles(dir: string, since: Seen = new Map()): Promise<ChangedFiles> {
  const seen = new Map<string, string>()
  const files: StateFile[] = []
  let sum = 0
  for (const path of pathsIn(dir)) {
    const fd = openFile(join(dir, path))
    if (fd === undefined) continue
    let raw: Buffer | undefined
    try {
      const { size, mtimeNs, ctimeNs, ino } = fstatSync(fd, { bigint: true })
      seen.set(path, `${size} ${mtimeNs} ${ctimeNs} ${ino}`)
      if (since.get(path) === seen.get(path)) continue
      sum += Number(size)
      if (size > MAX_FILE_BYTES) throw tooLarge(`The file ${path} in the state folder`, MAX_FILE_BYTES)
      if (sum > MAX_STEP_BYTES) throw tooLarge('The change in the state folder', MAX_STEP_BYTES)
      raw = readFileSync(fd)
    } finally {
      closeSync(fd)
    }
    files.push({ path, bytes: await compress(raw) })
  }
  return { files, removed: [...since.keys()].filter((path) => !seen.has(path)), seen }
}

const tooLarge = (what: string, limit: number) =>
  new FleetError(`${what} is larger than ${limit / MEGABYTE} MB. Lower run.transcriptMegabytes.`, 70)

/** Regular files only; links are not followed. */
function pathsIn(dir: string): readonly string[] {
  const found: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
      if (NOT_TRANSFERRED.test(entry.name) && (folder === '' || entry.name.endsWith('.tmp'))) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile() && whyRejected(path) === undefined) found.push(path)
    }
    if (found.length > MAX_FILES) throw new FleetError(`The state folder ${dir} has more than ${MAX_FILES} files`, 70)
  }
  return found.sort()
}

/** Undefined if the file was removed or replaced meanwhile. */
function openFile(path: string): number | undefined {
  try {
    return openPlain(path, constants.O_RDONLY)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENOTDIR', ''].includes(errorCode(error))) return undefined
    throw error
  }
}

/** Writes transferred files into a state folder. Each file is complete or missing. */
export async function writeStateFiles(dir: string, files: readonly StateFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const why = whyRejected(path)
    if (why !== undefined)
      throw new FleetError(`The file ${JSON.stringify(path)} does not belong in a state folder: ${why}`, 70)
    const raw = await decompressed(path, bytes)
    makeFolders(dir, path)
    const target = join(dir, path)
    try {
      writeFileAtomic(target, raw, { sync: true })
    } catch (error) {
      throw new FleetError(`cannot write ${target}: ${messageOf(error)}`, 70, error)
    }
  }
}

async function decompressed(path: string, bytes: Buffer): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: MAX_FILE_BYTES })
  } catch (error) {
    const why =
      errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
        ? `it is larger than ${MAX_FILE_BYTES / MEGABYTE} MB`
        : 'it is damaged'
    throw new FleetError(`The file ${JSON.stringify(path)} of the run can't be unpacked: ${why}`, 70, error)
  }
}

/** Why a path is rejected; undefined for the paths `changedFiles` returns. */
function whyRejected(path: string): string | undefined {
  const parts = path.split('/')
  if (path.includes('\\') || path.includes('\0')) return 'its path has unexpected characters'
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'its path leads outside the folder'
  if (/^[a-z]:/i.test(path)) return 'its path leads outside the folder'
  return NOT_TRANSFERRED.test(parts[0] ?? '') ? 'it is specific to one machine' : undefined
}

/** Only below real folders, because a link could lead anywhere. */
function makeFolders(dir: string, path: string): void {
  makeFolder(dir)
  let place = dir
  for (const part of path.split('/').slice(0, -1)) {
    place = join(place, part)
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined) mkdirSync(place, { mode: 0o700 })
    else if (!found.isDirectory()) throw new FleetError(`${place} is not a folder, so ${path} can't be written`, 70)
  }
}
