import { closeSync, constants, fstatSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { errorCode, openPlain, writeFileAtomic } from '../../system/files.ts'
import { FleetError, messageOf } from '../errors.ts'

/** One file of the state folder on its way: a path with `/` from there, and its bytes, compressed. */
export interface StateFile {
  readonly path: string
  readonly bytes: Buffer
}

/** What a file was when it was last looked at: path -> size and times. */
export type Seen = ReadonlyMap<string, string>

export interface ChangedFiles {
  readonly files: readonly StateFile[]
  /** Paths that were there the last time and are not any more. */
  readonly gone: readonly string[]
  readonly seen: Seen
}

/** The journal is transferred line by line; locks, sockets, inboxes and what a journal is folded to mean nothing on another machine. */
const STAYS = /^(?:journal\..*|lock(?:\..*)?|state\.json.*|control(?:\.json)?|inbox|stops|compiled|archive|.*\.tmp)$/
const MEGABYTE = 1024 * 1024
/** A database that is asked to hold more than this in one row, or of one step, is the wrong place for it. */
const LARGEST = 128 * MEGABYTE
const TOGETHER = 512 * MEGABYTE
const MOST_FILES = 20_000

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** What changed in a state folder since the last look, besides what stays: baseline, transcripts, prompts, flake history. */
export async function changedFiles(dir: string, since: Seen = new Map()): Promise<ChangedFiles> {
  const seen = new Map<string, string>()
  const files: StateFile[] = []
  let sum = 0
  for (const path of pathsIn(dir)) {
    const fd = opened(join(dir, path))
    if (fd === undefined) continue
    let raw: Buffer | undefined
    try {
      const { size, mtimeNs, ctimeNs, ino } = fstatSync(fd, { bigint: true })
      seen.set(path, `${size} ${mtimeNs} ${ctimeNs} ${ino}`)
      if (since.get(path) === seen.get(path)) continue
      sum += Number(size)
      if (size > LARGEST) throw tooLarge(`the file ${path} of the state folder`, LARGEST)
      if (sum > TOGETHER) throw tooLarge('what changed in the state folder', TOGETHER)
      raw = readFileSync(fd)
    } finally {
      closeSync(fd)
    }
    files.push({ path, bytes: await compress(raw) })
  }
  return { files, gone: [...since.keys()].filter((path) => !seen.has(path)), seen }
}

const tooLarge = (what: string, most: number) =>
  new FleetError(`${what} is larger than ${most / MEGABYTE} MB; lower run.transcriptMegabytes`, 70)

/** Regular files alone, and no link is followed. */
function pathsIn(dir: string): readonly string[] {
  const found: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
      if (STAYS.test(entry.name) && (folder === '' || entry.name.endsWith('.tmp'))) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile() && objection(path) === undefined) found.push(path)
    }
    if (found.length > MOST_FILES) throw new FleetError(`the state folder ${dir} has more than ${MOST_FILES} files`, 70)
  }
  return found.sort()
}

/** Nothing when it was removed or exchanged in between. */
function opened(path: string): number | undefined {
  try {
    return openPlain(path, constants.O_RDONLY)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENOTDIR', ''].includes(errorCode(error))) return undefined
    throw error
  }
}

/** Puts files that came from elsewhere into a state folder. Each is whole or not there. */
export async function putFiles(dir: string, files: readonly StateFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const why = objection(path)
    if (why !== undefined)
      throw new FleetError(`the file ${JSON.stringify(path)} does not belong into a state folder: ${why}`, 70)
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
    return await decompress(bytes, { maxOutputLength: LARGEST })
  } catch (error) {
    const why =
      errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? `it is larger than ${LARGEST / MEGABYTE} MB` : 'it is damaged'
    throw new FleetError(`the file ${JSON.stringify(path)} of the run cannot be unpacked: ${why}`, 70, error)
  }
}

/** Why a path is refused; undefined when it is one of those that `changedFiles` gives. */
function objection(path: string): string | undefined {
  const parts = path.split('/')
  if (path.includes('\\') || path.includes('\0')) return 'it has characters that no file of ours has'
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'it leads elsewhere'
  if (/^[a-z]:/i.test(path)) return 'it leads elsewhere'
  return STAYS.test(parts[0] ?? '') ? 'it belongs to the machine it was made on' : undefined
}

/** Below real folders alone: a link could lead anywhere. */
function makeFolders(dir: string, path: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  let place = dir
  for (const part of path.split('/').slice(0, -1)) {
    place = join(place, part)
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined) mkdirSync(place, { mode: 0o700 })
    else if (!found.isDirectory()) throw new FleetError(`${place} is no folder, so ${path} cannot be put there`, 70)
  }
}
