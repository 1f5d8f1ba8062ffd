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
import { digest } from '../../system/digest.ts'
import { openPlain, removeFile, writeFileAtomic } from '../../system/files.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { PROOF } from './request.ts'

/** Where a running loop can be spoken to. */
export interface ControlPlace {
  /** Address of the socket, or of the named pipe. */
  readonly path: string
  /** Private folder in which the socket lies and in which askers prove themselves. */
  readonly folder: string
  readonly run: string
  readonly pid: number
}

const NOTE = 'control.json'
const FOLDER = 'control'
const SOCKET = 'socket'
const ELSEWHERE = 'exitgate-control-'
/** Anybody may have written it. */
const LARGEST_NOTE = 16 * 1024
/** The shortest address that every system can hold, its closing zero taken off. */
const LONGEST_ADDRESS = 103

/** Makes the folder for the socket of this run, after whatever a dead run left there is gone. */
export function makePlace(dir: string, run: string, pid: number): ControlPlace {
  removePlace(dir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const folder = newFolder(dir)
  const path =
    process.platform === 'win32' ? `\\\\.\\pipe\\exitgate-${digest(dir).slice(0, 24)}-${pid}` : join(folder, SOCKET)
  return { path, folder, run, pid }
}

/** In the state folder where its path is short enough, else among the temporary ones under a name that nobody knows before. */
function newFolder(dir: string): string {
  const own = join(dir, FOLDER)
  if (Buffer.byteLength(join(own, SOCKET)) > LONGEST_ADDRESS)
    return realpathSync(mkdtempSync(join(tmpdir(), ELSEWHERE)))
  removeFolderSync(own)
  mkdirSync(own, { mode: 0o700 })
  chmodSync(own, 0o700)
  return realpathSync(own)
}

/** Says where it is: whole or not at all, and to nobody else. */
export function tellPlace(dir: string, place: ControlPlace): void {
  writeFileAtomic(join(dir, NOTE), `${JSON.stringify(place)}\n`)
}

/** Where the loop of this state folder says that it can be spoken to. It may be dead by now. */
export function findPlace(dir: string): ControlPlace | undefined {
  try {
    const said: unknown = JSON.parse(smallFile(join(dir, NOTE)))
    if (typeof said !== 'object' || said === null) return undefined
    const { path, folder, run, pid } = said as Readonly<Record<string, unknown>>
    if (typeof path !== 'string' || typeof folder !== 'string') return undefined
    if (typeof run !== 'string' || typeof pid !== 'number') return undefined
    return { path, folder, run, pid }
  } catch {
    return undefined
  }
}

function smallFile(path: string): string {
  const fd = openPlain(path, constants.O_RDONLY)
  try {
    return fstatSync(fd).size > LARGEST_NOTE ? '' : readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** Takes away what a run made. The note may have been written by anybody, so only what is surely of this kind is removed. */
export function removePlace(dir: string, own?: ControlPlace): void {
  const noted = findPlace(dir)
  const place = own ?? noted
  if (place !== undefined && isTemporary(place.folder)) emptyFolder(place.folder)
  // Another run has taken over since: the rest is its own.
  if (own !== undefined && noted !== undefined && noted.pid !== own.pid) return
  removeFolderSync(join(dir, FOLDER))
  removeFile(join(dir, NOTE))
}

function isTemporary(folder: string): boolean {
  try {
    const found = lstatSync(folder)
    const ours = process.getuid === undefined || found.uid === process.getuid()
    const there = dirname(folder) === realpathSync(tmpdir()) && basename(folder).startsWith(ELSEWHERE)
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
    // Something else lies in it: then it is not ours to remove.
  }
}
