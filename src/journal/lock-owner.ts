import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { nonce } from '../system/digest.ts'
import { errorCode, openPlain } from '../system/files.ts'

/** A lock without a readable owner is just being written. After this time, its writer must have died. */
const UNREADABLE_LIMIT_MS = 3000

/** The process that holds a lock, with enough detail to tell whether it is still alive. */
export interface Owner {
  readonly pid: number
  /** The start time of the process as the system reports it, because pids are reused. */
  readonly start?: string
  readonly host: string
  readonly at: number
  /** The command that holds the lock. `run` keeps it until the run ends. */
  readonly command?: string
  /** Unique per lock, even within one process. */
  readonly nonce: string
}

export type Holder = Owner & { readonly liveness: 'alive' | 'gone' | 'elsewhere' | 'unreadable' }

export function thisProcess(command: string | undefined): Owner {
  const start = processStart(process.pid)
  return {
    pid: process.pid,
    ...(start === undefined || start === 'gone' ? {} : { start }),
    host: hostname(),
    at: Date.now(),
    ...(command === undefined ? {} : { command }),
    nonce: nonce(),
  }
}

/** `elsewhere` means another machine or container, whose processes can't be checked from here. */
export function livenessOf(owner: Owner): 'alive' | 'gone' | 'elsewhere' {
  if (owner.host !== hostname()) return 'elsewhere'
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    if (errorCode(error) === 'ESRCH') return 'gone'
  }
  const start = processStart(owner.pid)
  if (start === undefined) return 'alive'
  return start === 'gone' || (owner.start !== undefined && owner.start !== start) ? 'gone' : 'alive'
}

function processStart(pid: number): string | undefined | 'gone' {
  if (process.platform === 'linux') return linuxStart(pid)
  return process.platform === 'win32' ? undefined : unixStart(pid)
}

/** Clock ticks since boot, and the id of the boot. Changing the system clock affects neither. */
function linuxStart(pid: number): string | undefined | 'gone' {
  try {
    const stat = firstBytes(`/proc/${pid}/stat`)
    // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie still has its pid, but can't write any more.
    if (fields[0] === 'Z' || fields[0] === 'X') return 'gone'
    const boot = firstBytes('/proc/sys/kernel/random/boot_id').trim()
    return fields[19] === undefined ? undefined : `${boot}:${fields[19]}`
  } catch {
    return undefined
  }
}

/** The same as `os.hostname()`, without loading `node:os`. */
function hostname(): string {
  try {
    if (process.platform === 'linux') return firstBytes('/proc/sys/kernel/hostname').trim()
  } catch {
    // Without /proc, use `node:os`.
  }
  return process.getBuiltinModule('node:os').hostname()
}

/** Files in /proc report size 0, which makes `readFileSync` slow. */
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
  // Loaded only here: Linux doesn't need it, and it slows down every start.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8', timeout: 5000 })
  return ps.status === 0 ? ps.stdout.trim() || undefined : undefined
}

/** The owner in a lock, claim or queue file. Undefined if the file is gone. */
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
    if (owner !== undefined) return { ...owner, liveness: livenessOf(owner) }
    const { ino, mtimeMs } = fstatSync(fd)
    const liveness = Math.abs(Date.now() - mtimeMs) > UNREADABLE_LIMIT_MS ? 'gone' : 'unreadable'
    return { pid: 0, host: '', at: mtimeMs, nonce: `unreadable-${ino}-${Math.trunc(mtimeMs)}`, liveness }
  } finally {
    closeSync(fd)
  }
}

function readOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner
    const complete = Number.isInteger(owner.pid) && owner.pid > 0 && typeof owner.host === 'string'
    // The nonce becomes part of a file name, so accept only hex digits.
    const named = owner.command === undefined || /^[a-z-]{1,20}$/.test(owner.command)
    return complete && named && Math.abs(owner.at) < 8.64e15 && /^[0-9a-f]{32}$/.test(owner.nonce) ? owner : undefined
  } catch {
    return undefined
  }
}

export function describeHolder({ pid, host, at, liveness, command }: Holder): string {
  const since = `(${command === undefined ? '' : `exitgate ${command}, `}since ${new Date(at).toISOString()})`
  if (pid === 0) return `an unknown process ${since}`
  return liveness === 'elsewhere' ? `process ${pid} on ${host} ${since}` : `process ${pid} ${since}`
}
