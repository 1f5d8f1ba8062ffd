import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { nonce } from '../system/digest.ts'
import { errorCode, openPlain } from '../system/files.ts'

/** A lock without a readable owner is being written, or its owner died while writing it; after this long, the latter. */
const UNREADABLE_MS = 3000

/** Who holds a lock, so that another process can tell whether it still lives. */
export interface Owner {
  readonly pid: number
  /** When the process began, in the system's own words: a number used again does not pass for the old process. */
  readonly start?: string
  readonly host: string
  readonly at: number
  /** The command that holds it; `run` keeps it until the run ends. */
  readonly command?: string
  /** Tells this lock from every other, also from another of the same process. */
  readonly nonce: string
}

export type Holder = Owner & { readonly life: 'alive' | 'gone' | 'elsewhere' | 'unreadable' }

export function thisProcess(command: string | undefined): Owner {
  const start = startOf(process.pid)
  return {
    pid: process.pid,
    ...(start === undefined || start === 'gone' ? {} : { start }),
    host: hostname(),
    at: Date.now(),
    ...(command === undefined ? {} : { command }),
    nonce: nonce(),
  }
}

/** `elsewhere` is a process of another machine or container, about which nothing can be learned from here. */
export function lifeOf(owner: Owner): 'alive' | 'gone' | 'elsewhere' {
  if (owner.host !== hostname()) return 'elsewhere'
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM means that it lives and belongs to somebody else.
    if (errorCode(error) === 'ESRCH') return 'gone'
  }
  const start = startOf(owner.pid)
  if (start === undefined) return 'alive'
  return start === 'gone' || (owner.start !== undefined && owner.start !== start) ? 'gone' : 'alive'
}

function startOf(pid: number): string | undefined | 'gone' {
  if (process.platform === 'linux') return linuxStart(pid)
  return process.platform === 'win32' ? undefined : unixStart(pid)
}

/** Clock ticks since the boot, and which boot: neither moves when somebody sets the clock. */
function linuxStart(pid: number): string | undefined | 'gone' {
  try {
    const stat = firstBytes(`/proc/${pid}/stat`)
    // The second field is the program's name in brackets and may hold anything, brackets and spaces too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A killed process whose parent has not looked yet still has its number, but writes no more.
    if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
    const boot = firstBytes('/proc/sys/kernel/random/boot_id').trim()
    return fields[19] === undefined ? undefined : `${boot}:${fields[19]}`
  } catch {
    return undefined
  }
}

/** As `node:os` tells it, which would have to be loaded for this alone. */
function hostname(): string {
  try {
    if (process.platform === 'linux') return firstBytes('/proc/sys/kernel/hostname').trim()
  } catch {
    // Without /proc it is asked like anywhere else.
  }
  return process.getBuiltinModule('node:os').hostname()
}

/** Files of /proc have no size: `readFileSync` would feel its way to their end. */
function firstBytes(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(1024)
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, null))
  } finally {
    closeSync(fd)
  }
}

function unixStart(pid: number): string | undefined {
  // Loaded only here: Linux never needs it, and it would slow every start.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8', timeout: 5000 })
  return ps.status === 0 ? ps.stdout.trim() || undefined : undefined
}

/** The owner that a lock, a claim or a place in the queue names; undefined when the file is gone. */
export function readHolder(path: string): Holder | undefined {
  let fd: number
  try {
    fd = openPlain(path, constants.O_RDONLY)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const owner = readOwner(readFileSync(fd, 'utf8'))
    if (owner !== undefined) return { ...owner, life: lifeOf(owner) }
    const { ino, mtimeMs } = fstatSync(fd)
    const life = Math.abs(Date.now() - mtimeMs) > UNREADABLE_MS ? 'gone' : 'unreadable'
    return { pid: 0, host: '', at: mtimeMs, nonce: `unreadable-${ino}-${Math.trunc(mtimeMs)}`, life }
  } finally {
    closeSync(fd)
  }
}

function readOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner
    const complete = Number.isInteger(owner.pid) && owner.pid > 0 && typeof owner.host === 'string'
    // The nonce becomes part of a file's name, so it must be nothing but a number.
    const named = owner.command === undefined || /^[a-z-]{1,20}$/.test(owner.command)
    return complete && named && Math.abs(owner.at) < 8.64e15 && /^[0-9a-f]{32}$/.test(owner.nonce) ? owner : undefined
  } catch {
    return undefined
  }
}

/** For people. */
export function describe({ pid, host, at, life, command }: Holder): string {
  const since = `(${command === undefined ? '' : `exitgate ${command}, `}since ${new Date(at).toISOString()})`
  if (pid === 0) return `an unknown process ${since}`
  return life === 'elsewhere' ? `process ${pid} on ${host} ${since}` : `process ${pid} ${since}`
}
