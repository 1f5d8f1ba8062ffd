import {
  closeSync,
  constants,
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
import { JournalError } from './errors.ts'
import { describe, type Holder, readHolder, thisProcess } from './lock-owner.ts'

const LOCK = 'lock'
const WAITING = 'wait-'

export interface Lock {
  /** False once somebody took the lock away by force. */
  readonly held: () => boolean
  readonly release: () => void
}

export interface LockOptions {
  /** How long to wait for another writer, in ms. 0 refuses at once. */
  readonly waitMs: number
  /** Named to those who wait. For `run` nobody waits. */
  readonly command?: string | undefined
  /** Told once, after two seconds, in a sentence: who holds the lock and how long this will wait. */
  readonly onWait?: ((text: string) => void) | undefined
}

/** The one writer's right to a journal. Waits for a living owner, takes over from a dead one; blocks the process while it waits. */
export function takeLock(dir: string, options: LockOptions): Lock {
  const steps = acquire(dir, options, process.pid)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    sleep(value)
  }
}

/** The same for a process that has something else to do, such as another call that holds this very lock. */
export async function takeLockInTurn(dir: string, options: LockOptions): Promise<Lock> {
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

const SAY_AFTER_MS = 2000
/** A free lock that the first in line does not take for this long goes to the next: the first may be suspended. */
const PASS_BY_MS = 1000

/**
 * Yields how long to sleep before the next try. Callers are served in the order in which they came: each writes its owner's file under a
 * name that begins with the time, and only the first of them tries to take the lock.
 */
function* acquire(dir: string, { waitMs, command, onWait }: LockOptions, neverFrees?: number): Generator<number, Lock> {
  const path = join(dir, LOCK)
  const me = thisProcess(command)
  const draft = `${path}.${WAITING}${String(me.at).padStart(15, '0')}-${me.nonce}`
  const begun = milliseconds()
  let said = false
  let tries = 0
  let freeSince: number | undefined
  try {
    writeNew(draft, Buffer.from(`${JSON.stringify(me)}\n`))
    for (;;) {
      const ahead = waitMs === 0 ? 0 : callersAhead(dir, basename(draft))
      const passed = freeSince !== undefined && milliseconds() - freeSince > PASS_BY_MS
      const holder = ahead === 0 || passed ? attempt(path, draft) : holderNow(path)
      if (holder === 'mine') return heldLock(path)
      freeSince = holder === 'free' ? (freeSince ?? milliseconds()) : undefined
      const waited = milliseconds() - begun
      if (holder !== 'free' && holder !== undefined) {
        const hopeless =
          holder.life === 'elsewhere' ||
          holder.command === 'run' ||
          (holder.pid === neverFrees && holder.host === me.host)
        if (hopeless || waited >= waitMs) throw inUse(dir, holder, hopeless ? 0 : waitMs)
        if (!said && waited >= SAY_AFTER_MS) {
          said = true
          onWait?.(waitingText(holder, ahead, waitMs))
        }
      }
      tries = ahead === 0 ? tries + 1 : 0
      yield ahead === 0 ? Math.min(2 ** tries, 50) : Math.min(20 + 10 * ahead, 200)
    }
  } finally {
    removeFile(draft)
  }
}

function holderNow(path: string): Holder | 'free' {
  const holder = readHolder(path)
  return holder === undefined || holder.life === 'gone' ? 'free' : holder
}

/** How many living callers came before this one. */
function callersAhead(dir: string, mine: string): number {
  const earlier = readdirSync(dir)
    .filter((name) => name.startsWith(`${LOCK}.${WAITING}`) && name < mine)
    .sort()
  // Only the first one matters: once it is gone, the next look finds the one after it.
  const first = earlier[0]
  if (first === undefined || readHolder(join(dir, first))?.life !== 'gone') return earlier.length
  removeFile(join(dir, first))
  return callersAhead(dir, mine)
}

function waitingText(holder: Holder, ahead: number, waitMs: number): string {
  const others = ahead === 0 ? '' : ahead === 1 ? '; one more caller is ahead' : `; ${ahead} more callers are ahead`
  return `waiting for ${describe(holder)}, which uses the journal of this folder${others}. Giving up after ${Math.round(waitMs / 1000)} s.`
}

/**
 * Whoever finds a dead owner must first put a claim on that one lock, told by its nonce; only the holder of the claim
 * may put its own lock in the dead one's place. A claim whose holder died is itself claimed, and so on. Claims are
 * removed only after the lock was replaced, so a claim that comes too late sees another lock and is dropped.
 */
function attempt(path: string, draft: string): Holder | 'mine' | undefined {
  if (place(draft, path)) return 'mine'
  const found = readHolder(path)
  const claims: string[] = []
  for (let holder = found; holder !== undefined; ) {
    if (holder.life !== 'gone') return holder
    const claim = `${path}.claim-${holder.nonce}`
    claims.push(claim)
    if (!place(draft, claim)) {
      holder = readHolder(claim)
      continue
    }
    if (readHolder(path)?.nonce !== found?.nonce) {
      removeFile(claim)
      return undefined
    }
    renameSync(draft, path)
    for (const old of claims) removeFile(old)
    sweep(path)
    return 'mine'
  }
  return undefined
}

/** Gives a complete file a second name, unless that name is taken: nobody ever sees a lock half written. */
function place(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(errorCode(error))) throw error
  }
  // A file system without hard links.
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

/** The descriptor stays open, so that no other file can get the same number while we compare by it. */
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

/** Drafts and claims that dead processes left behind. Those of the living are theirs. */
function sweep(path: string): void {
  const dir = join(path, '..')
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(`${LOCK}.`)) continue
    if (readHolder(join(dir, name))?.life === 'gone') removeFile(join(dir, name))
  }
}

/** Removes the lock whoever holds it, and says who did. Only a person may decide that. */
export function forceUnlock(dir: string): string | undefined {
  const path = join(dir, LOCK)
  const holder = readHolder(path)
  if (holder === undefined) return undefined
  removeFile(path)
  return describe(holder)
}

/** Refused at once it is a wrong request (64); a wait that ran out is trouble (70). */
function inUse(dir: string, holder: Holder, waitedMs: number): JournalError {
  const who = describe(holder)
  if (waitedMs > 0) {
    const waited = Math.round(waitedMs / 1000)
    return new JournalError(
      `the journal in ${dir} is in use by ${who}, and was not free within ${waited} s; try again when it has ended`,
    )
  }
  const remedy =
    holder.life === 'elsewhere'
      ? 'it cannot be asked from here: when it is surely gone, run `exitgate reset --force-unlock`'
      : 'wait until it ends, or choose another place with --state-dir'
  return new JournalError(`the journal in ${dir} is in use by ${who}; ${remedy}`, 64)
}

/** Short commands take their turn one after another; blocking is what they want. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A clock that never goes back; `performance` would load more of Node than a quick start can bear. */
const milliseconds = (): number => Number(process.hrtime.bigint() / 1_000_000n)
