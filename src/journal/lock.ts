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
import { join } from 'node:path'
import { errorCode, openPlain, removeFile, writeAll } from '../system/files.ts'
import { JournalError } from './errors.ts'
import { lifeOf, type Owner, thisProcess } from './lock-owner.ts'

const LOCK = 'lock'

/** A lock without a readable owner is being written, or its owner died while writing it; after this long, the latter. */
const UNREADABLE_MS = 3000

export interface Lock {
  /** False once somebody took the lock away by force. */
  readonly held: () => boolean
  readonly release: () => void
}

type Holder = Owner & { readonly life: 'alive' | 'gone' | 'elsewhere' | 'unreadable' }

/** The one writer's right to a journal. Waits for a living owner, takes over from a dead one. */
export function takeLock(dir: string, waitMs: number): Lock {
  const path = join(dir, LOCK)
  const me = thisProcess()
  const draft = `${path}.${me.nonce}`
  const until = milliseconds() + waitMs
  try {
    writeNew(draft, Buffer.from(`${JSON.stringify(me)}\n`))
    for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
      const holder = attempt(path, draft)
      if (holder === 'mine') return heldLock(path)
      const hopeless = holder?.life === 'elsewhere' || (holder?.pid === me.pid && holder.host === me.host)
      if (holder !== undefined && (hopeless || milliseconds() > until)) throw inUse(dir, holder)
      sleep(pause)
    }
  } finally {
    removeFile(draft)
  }
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

function readHolder(path: string): Holder | undefined {
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
    return complete && Math.abs(owner.at) < 8.64e15 && /^[0-9a-f]{32}$/.test(owner.nonce) ? owner : undefined
  } catch {
    return undefined
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

function describe({ pid, host, at, life }: Holder): string {
  const since = `(since ${new Date(at).toISOString()})`
  if (pid === 0) return `an unknown process ${since}`
  return life === 'elsewhere' ? `process ${pid} on ${host} ${since}` : `process ${pid} ${since}`
}

function inUse(dir: string, holder: Holder): JournalError {
  const remedy =
    holder.life === 'elsewhere'
      ? 'it cannot be asked from here: when it is surely gone, run `exitgate reset --force-unlock`'
      : 'wait until it ends, or choose another place with --state-dir'
  return new JournalError(`the journal in ${dir} is in use by ${describe(holder)}; ${remedy}`, 64)
}

/** Short commands take their turn one after another; blocking is what they want. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A clock that never goes back; `performance` would load more of Node than a quick start can bear. */
const milliseconds = (): number => Number(process.hrtime.bigint() / 1_000_000n)
