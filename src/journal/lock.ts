import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { errorCode, removeFile, writeAll } from '../system/files.ts'
import { JournalInUse } from './errors.ts'
import { describeHolder, type Holder, readHolder, thisProcess } from './lock-owner.ts'

const LOCK = 'lock'
const WAITING = 'wait-'
export const isWaitingForLock = (name: string): boolean => name.startsWith(`${LOCK}.${WAITING}`)

export interface Lock {
  /** False once the lock was removed by force. */
  readonly held: () => boolean
  readonly release: () => void
}

export interface LockOptions {
  /** How long to wait for another writer, in ms. 0 fails immediately. */
  readonly waitMs: number
  /** Shown to others that wait for this lock. Nothing waits for `run`, which holds it too long. */
  readonly command?: string | undefined
  /** Called once after two seconds, with a sentence about who holds the lock. */
  readonly onWait?: ((text: string) => void) | undefined
}

/**
 * Takes the exclusive right to write a journal. Waits for a live owner and replaces a dead one. Blocks the process while waiting.
 */
export function takeLock(dir: string, options: LockOptions): Lock {
  const steps = acquire(dir, options, process.pid)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    sleep(value)
  }
}

/** Like `takeLock` without blocking the process, which may itself hold this lock in another call. */
export async function takeLockAsync(dir: string, options: LockOptions): Promise<Lock> {
  const steps = acquire(dir, options)
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      await new Promise((resolve) => setTimeout(resolve, value))
    }
  } finally {
    steps.return(undefined as never)
  }
}

const REPORT_WAIT_AFTER_MS = 2000
/** If the first in the queue doesn't take a free lock for this long, it may be suspended, and the next one tries. */
const SKIP_QUEUE_AFTER_MS = 1000

/**
 * Yields how long to sleep before the next attempt. The queue is first come, first served: each caller writes a file whose name
 * starts with the time. Only the first caller tries to take the lock.
 */
function* acquire(dir: string, { waitMs, command, onWait }: LockOptions, blockedPid?: number): Generator<number, Lock> {
  const path = join(dir, LOCK)
  const me = thisProcess(command)
  const ownFile = `${path}.${WAITING}${String(me.at).padStart(15, '0')}-${me.nonce}`
  const draft = Buffer.from(`${JSON.stringify(me)}\n`)
  const startedAt = milliseconds()
  let waitReported = false
  let tries = 0
  let freeSince: number | undefined
  try {
    writeNew(ownFile, draft)
    for (;;) {
      // Another caller removes a file that stays empty for long, as if this process had died while it wrote it.
      if (!existsSync(ownFile)) writeNew(ownFile, draft)
      const ahead = waitMs === 0 ? 0 : callersAhead(dir, basename(ownFile))
      const skipQueue = freeSince !== undefined && milliseconds() - freeSince > SKIP_QUEUE_AFTER_MS
      const holder = ahead === 0 || skipQueue ? tryTake(path, ownFile) : currentHolder(path)
      if (holder === 'mine') return heldLock(path)
      freeSince = holder === 'free' ? (freeSince ?? milliseconds()) : undefined
      const waited = milliseconds() - startedAt
      if (holder !== 'free' && holder !== undefined) {
        const neverFree =
          holder.liveness === 'elsewhere' ||
          holder.command === 'run' ||
          (holder.pid === blockedPid && holder.host === me.host)
        if (neverFree || waited >= waitMs) throw inUse(dir, holder, neverFree ? 0 : waitMs)
        if (!waitReported && waited >= REPORT_WAIT_AFTER_MS) {
          waitReported = true
          onWait?.(waitingText(holder, ahead, waitMs))
        }
      }
      tries = ahead === 0 ? tries + 1 : 0
      yield ahead === 0 ? Math.min(2 ** tries, 50) : Math.min(20 + 10 * ahead, 200)
    }
  } finally {
    removeFile(ownFile)
  }
}

function currentHolder(path: string): Holder | 'free' {
  const holder = readHolder(path)
  return holder === undefined || holder.liveness === 'gone' ? 'free' : holder
}

/** How many live callers came before this one. */
function callersAhead(dir: string, mine: string): number {
  const earlier = readdirSync(dir)
    .filter((name) => isWaitingForLock(name) && name < mine)
    .sort()
  // Check only the first one: after removing it, the recursion checks the next.
  const first = earlier[0]
  if (first === undefined || readHolder(join(dir, first))?.liveness !== 'gone') return earlier.length
  removeFile(join(dir, first))
  return callersAhead(dir, mine)
}

function waitingText(holder: Holder, ahead: number, waitMs: number): string {
  const others =
    ahead === 0 ? '' : ahead === 1 ? ' (1 other command is waiting too)' : ` (${ahead} other commands are waiting too)`
  return `waiting for ${describeHolder(holder)}, which is using the journal of this folder${others}. Giving up after ${Math.round(waitMs / 1000)} s.`
}

/**
 * To replace a dead owner's lock, a process must first create a claim file for that lock's nonce. Only the holder of the claim may
 * replace the lock. If that holder dies, its claim is claimed in turn. Claims are removed only after the lock was replaced, so a
 * late claim sees a different lock and is dropped.
 */
export function tryTake(path: string, draft: string): Holder | 'mine' | undefined {
  if (linkExclusive(draft, path)) return 'mine'
  const found = readHolder(path)
  const claims: string[] = []
  for (let holder = found; holder !== undefined; ) {
    if (holder.liveness !== 'gone') return holder
    const claim = `${path}.claim-${holder.nonce}`
    claims.push(claim)
    if (!linkExclusive(draft, claim)) {
      holder = readHolder(claim)
      continue
    }
    if (readHolder(path)?.nonce !== found?.nonce) {
      removeFile(claim)
      return undefined
    }
    renameSync(draft, path)
    for (const old of claims) removeFile(old)
    removeLeftovers(path)
    return 'mine'
  }
  return undefined
}

/** Hard-links a complete file to a name that must be free, so that a half-written lock is never visible. */
function linkExclusive(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(errorCode(error))) throw error
  }
  // The file system has no hard links.
  try {
    writeNew(path, readFileSync(draft))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function writeNew(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeAll(fd, bytes)
  } finally {
    closeSync(fd)
  }
}

/** The descriptor stays open so that the inode number can't be reused while we compare by it. */
function heldLock(path: string): Lock {
  const fd = openSync(path, constants.O_RDONLY)
  const { ino } = fstatSync(fd)
  const held = () => statSync(path, { throwIfNoEntry: false })?.ino === ino
  const release = () => {
    if (held()) removeFile(path)
    closeSync(fd)
  }
  return { held, release }
}

/** Removes drafts and claims of dead processes. */
function removeLeftovers(path: string): void {
  const dir = join(path, '..')
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    if (readHolder(join(dir, name))?.liveness === 'gone') removeFile(join(dir, name))
  }
}

/** Removes the lock, even of a live owner, and returns a description of that owner. Only the user may request this. */
export function forceUnlock(dir: string): string | undefined {
  const path = join(dir, LOCK)
  const holder = readHolder(path)
  if (holder === undefined) return undefined
  removeFile(path)
  return describeHolder(holder)
}

function inUse(dir: string, holder: Holder, waitedMs: number): JournalInUse {
  const who = describeHolder(holder)
  if (waitedMs > 0) {
    const waited = Math.round(waitedMs / 1000)
    return new JournalInUse(
      `the journal in ${dir} is in use by ${who} and did not become free within ${waited} s. Try again when that process has ended.`,
      holder.command,
    )
  }
  if (holder.liveness !== 'elsewhere' && holder.command === 'run')
    return new JournalInUse(
      `the journal in ${dir} is in use by ${who} until that run ends. \`exitgate attach\` shows it, \`exitgate interrupt\` ends it.`,
      holder.command,
    )
  const remedy =
    holder.liveness === 'elsewhere'
      ? 'exitgate cannot check that machine. If the process is gone, run `exitgate reset --force-unlock`.'
      : 'Wait until it ends, or choose another folder with --state-dir.'
  return new JournalInUse(`the journal in ${dir} is in use by ${who}. ${remedy}`, holder.command)
}

/** Commands that take the lock are short and have nothing else to do, so blocking is fine. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A monotonic clock. Loading `performance` would slow down every start. */
const milliseconds = (): number => Number(process.hrtime.bigint() / 1_000_000n)

/** Who holds the lock of this folder, if anyone. A process that was killed still does. */
export const lockHolder = (dir: string): Holder | undefined => readHolder(join(dir, LOCK))
