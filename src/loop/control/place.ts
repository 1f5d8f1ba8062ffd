import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { lockHolder } from '../../journal/lock.ts'
import { digest } from '../../system/digest.ts'
import { makeFolder, openPlain, removeFile, writeFileAtomic } from '../../system/files.ts'
import { pidExists } from '../../system/processes.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { PROOF } from './request.ts'

/** Where a running loop listens for requests. */
export interface ControlPlace {
  /** Address of the socket, or of the named pipe. */
  readonly path: string
  /** Private folder with the socket and the proof files. */
  readonly folder: string
  readonly run: string
  readonly pid: number
}

const NOTE = 'control.json'
const FOLDER = 'control'
const SOCKET = 'socket'
const TEMPORARY_PREFIX = 'exitgate-control-'
/** The note could come from another process, so its size is limited. */
const MAX_NOTE = 16 * 1024
/** Every system supports socket paths of this length. */
const MAX_ADDRESS = 103

/** Creates the folder for the socket of this run, after removing what a dead run left there. */
export function makePlace(dir: string, run: string, pid: number): ControlPlace {
  removePlace(dir)
  makeFolder(dir)
  const folder = newFolder(dir)
  const path =
    process.platform === 'win32' ? `\\\\.\\pipe\\exitgate-${digest(dir).slice(0, 24)}-${pid}` : join(folder, SOCKET)
  return { path, folder, run, pid }
}

/** In the state folder if its path is short enough, else in the temporary folder under a random name. */
function newFolder(dir: string): string {
  const own = join(dir, FOLDER)
  if (Buffer.byteLength(join(own, SOCKET)) > MAX_ADDRESS)
    return realpathSync(mkdtempSync(join(tmpdir(), TEMPORARY_PREFIX)))
  removeFolderSync(own)
  mkdirSync(own, { mode: 0o700 })
  chmodSync(own, 0o700)
  return realpathSync(own)
}

/** Writes the note atomically, readable only by this user. */
export function writePlace(dir: string, place: ControlPlace): void {
  writeFileAtomic(join(dir, NOTE), `${JSON.stringify(place)}\n`)
}

/** Where the loop of this state folder listens. The loop may be dead by now. */
export function findPlace(dir: string): ControlPlace | undefined {
  try {
    const note: unknown = JSON.parse(smallFile(join(dir, NOTE)))
    if (typeof note !== 'object' || note === null) return undefined
    const { path, folder, run, pid } = note as Readonly<Record<string, unknown>>
    if (typeof path !== 'string' || typeof folder !== 'string') return undefined
    if (typeof run !== 'string' || typeof pid !== 'number') return undefined
    return { path, folder, run, pid }
  } catch {
    return undefined
  }
}

/**
 * Whether the loop of this run is there, or left only its note because it was killed. Undefined for a run without a loop, and for one
 * in another container or on another machine, whose processes can't be seen from here.
 */
export function loopState(dir: string, run: string | undefined): 'running' | 'crashed' | undefined {
  const place = findPlace(dir)
  const holder = readableHolder(dir)
  if (place === undefined || place.run !== run || holder?.liveness === 'elsewhere') return undefined
  const isThere = holder?.pid === place.pid ? holder.liveness === 'alive' : pidExists(place.pid)
  return isThere ? 'running' : 'crashed'
}

/** For people: what happened to a run whose loop left only its note, and what to do. */
export const CRASHED = 'Crashed: exitgate was killed, or the machine restarted.'
export const RESUME = '`exitgate run --resume` continues it.'

function readableHolder(dir: string): ReturnType<typeof lockHolder> {
  try {
    return lockHolder(dir)
  } catch {
    return undefined
  }
}

function smallFile(path: string): string {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    return fstatSync(fd).size > MAX_NOTE ? '' : readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** Removes the files of a run's socket. The note is not trusted, so only files of this kind are removed. */
export function removePlace(dir: string, own?: ControlPlace): void {
  const noted = findPlace(dir)
  const place = own ?? noted
  if (place !== undefined && isTemporary(place.folder)) emptyFolder(place.folder)
  // Another run has started since: the rest belongs to it.
  if (own !== undefined && noted !== undefined && noted.pid !== own.pid) return
  removeFolderSync(join(dir, FOLDER))
  removeFile(join(dir, NOTE))
}

function isTemporary(folder: string): boolean {
  try {
    const found = lstatSync(folder)
    const ours = process.getuid === undefined || found.uid === process.getuid()
    const there = dirname(folder) === realpathSync(tmpdir()) && basename(folder).startsWith(TEMPORARY_PREFIX)
    return ours && there && found.isDirectory()
  } catch {
    return false
  }
}

function emptyFolder(folder: string): void {
  try {
    const ours = (name: string) => name === SOCKET || name.startsWith(PROOF)
    for (const name of readdirSync(folder).filter(ours)) removeFile(join(folder, name))
    rmdirSync(folder)
  } catch {
    // The folder contains something else, so it stays.
  }
}
