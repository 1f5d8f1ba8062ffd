import { closeSync, constants, fdatasyncSync, fsyncSync, ftruncateSync, mkdirSync, readSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EventInput, JournalEvent, State } from '../core/journal/events.ts'
import { reduce } from '../core/journal/reduce.ts'
import { errorCode, openPlain, removeFile, syncFolder, writeAll } from '../system/files.ts'
import { checkUntil, type Position } from './chain.ts'
import { fault, JournalError } from './errors.ts'
import { ForeignChanges } from './foreign-changes.ts'
import { LONGEST_LINE, stamp } from './lines.ts'
import { JOURNAL, load } from './load.ts'
import { type Lock, takeLock, takeLockInTurn } from './lock.ts'
import { writeSnapshot } from './snapshot.ts'

const SHORT_WAIT_MS = 2000
/** As long as the checks of one caller may take with the default settings. */
const LONG_WAIT_MS = 600_000

export interface OpenOptions {
  /** How long to wait for another writer, in ms. */
  readonly waitMs?: number
  /** The command that opens it, for those who have to wait; `run` keeps the journal until the run ends. */
  readonly command?: string
  readonly onWait?: (text: string) => void
  /** Events between two snapshots of the state, which save the next start from reading the whole journal. */
  readonly snapshotEvery?: number
  /** Checks the lines that the snapshot covers too, which a reader of the state alone never looks at. */
  readonly checkAll?: boolean
}

export interface Journal {
  readonly dir: string
  readonly state: State
  /** The time of the last event: nothing is stamped earlier. */
  readonly lastAt: number
  /** Problems that were found and repaired, as sentences for people. */
  readonly problems: readonly string[]
  /** When this returns, the events are on the disk, all of them; when it throws, none of them is. */
  readonly append: (happenings: readonly EventInput[], at: number) => readonly JournalEvent[]
  readonly close: () => void
}

/** Opens a journal for writing, as its only writer. Blocks while it waits for another one to finish. */
export function openJournal(dir: string, options: OpenOptions = {}): Journal {
  let lock: Lock | undefined
  try {
    makeFolder(dir)
    lock = takeLock(dir, { waitMs: SHORT_WAIT_MS, ...options })
    return opened(dir, lock, options)
  } catch (error) {
    lock?.release()
    throw fault('open the journal', dir, error)
  }
}

/** The same without blocking the process, for callers that take turns with others for a long time. */
export async function openJournalInTurn(dir: string, options: OpenOptions = {}): Promise<Journal> {
  let lock: Lock | undefined
  try {
    makeFolder(dir)
    lock = await takeLockInTurn(dir, { waitMs: LONG_WAIT_MS, ...options })
    return opened(dir, lock, options)
  } catch (error) {
    lock?.release()
    throw fault('open the journal', dir, error)
  }
}

function makeFolder(dir: string): void {
  const made = mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (made !== undefined) syncFolder(dirname(made))
}

function opened(dir: string, lock: Lock, options: OpenOptions): Journal {
  const file = join(dir, JOURNAL)
  const fd = openPlain(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
  try {
    return writer(dir, file, fd, lock, options)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function writer(
  dir: string,
  file: string,
  fd: number,
  lock: Lock,
  { snapshotEvery = 64, checkAll = false }: OpenOptions,
): Journal {
  const loaded = load(dir, fd, file)
  if (checkAll) checkUntil(fd, file, loaded.covered)
  const problems = [...loaded.problems]
  let { state, position } = loaded
  let covered = loaded.covered.seq
  let usable = true
  let closed = false
  let clockNoted = false
  if (loaded.torn > 0) problems.push(cutTornTail(dir, fd, position, loaded.torn))
  if (position.seq === 0) syncFolder(dir)
  const foreignChanges = new ForeignChanges(fd, file)
  if (loaded.problems.length > 0 || position.seq - covered >= snapshotEvery) snapshot()

  function snapshot(): void {
    if (position.seq === 0) return
    covered = position.seq
    try {
      writeSnapshot(dir, fd, position, state)
    } catch (error) {
      problems.push(fault('keep a snapshot', dir, error).message)
    }
  }

  function append(happenings: readonly EventInput[], now: number): readonly JournalEvent[] {
    if (happenings.length === 0) return []
    if (closed || !usable) throw new JournalError(`the journal in ${dir} is closed${usable ? '' : ' after a failure'}`)
    const touched = lock.held() ? foreignChanges.problem(position) : 'was taken over by another process'
    if (touched !== undefined) throw new JournalError(`the journal in ${dir} ${touched}; this one stops writing`)
    const at = Math.max(position.at, now)
    if (now < position.at && !clockNoted) {
      clockNoted = true
      problems.push(`the clock went back by ${position.at - now} ms; new events keep the later time`)
    }
    const lines = stampAll(happenings, at, position)
    try {
      writeAll(fd, lines.bytes)
      // Before waiting for the disk, so that a change by another process in the meantime is noticed.
      foreignChanges.written()
      fdatasyncSync(fd)
    } catch (error) {
      usable = takenBack(fd, position)
      foreignChanges.written()
      throw fault(`record ${happenings.map(({ type }) => type).join(', ')}`, dir, error)
    }
    position = lines.position
    state = lines.events.reduce(reduce, state)
    if (position.seq - covered >= snapshotEvery) snapshot()
    return lines.events
  }

  function close(): void {
    if (closed) return
    closed = true
    closeSync(fd)
    lock.release()
  }

  return {
    dir,
    get state() {
      return state
    },
    get lastAt() {
      return position.at
    },
    get problems() {
      return problems
    },
    append,
    close,
  }
}

/** The events are read back from the very text that is written, so that what is folded now is what is folded later. */
function stampAll(happenings: readonly EventInput[], at: number, from: Position) {
  const events: JournalEvent[] = []
  const texts: string[] = []
  let position = from
  for (const [i, happening] of happenings.entries()) {
    const group = happenings.length === 1 ? {} : { part: [i + 1, happenings.length] as const }
    const sealed = stamp(happening, { seq: position.seq + 1, at, prev: position.hash, ...group })
    const length = Buffer.byteLength(sealed.text) + 1
    if (length > LONGEST_LINE)
      throw new JournalError(`cannot record ${happening.type}: it is too large (${length} bytes)`)
    const { hash: _hash, ...event } = JSON.parse(sealed.text) as JournalEvent & { hash: string }
    events.push(event)
    texts.push(sealed.text)
    position = { seq: position.seq + 1, hash: sealed.hash, at, start: position.end, end: position.end + length }
  }
  return { events, position, bytes: Buffer.from(`${texts.join('\n')}\n`) }
}

/** Removes what a failed write left. The journal stays usable only if that worked. */
function takenBack(fd: number, position: Position): boolean {
  try {
    ftruncateSync(fd, position.end)
    fdatasyncSync(fd)
    return true
  } catch {
    return false
  }
}

const CHUNK = 1024 * 1024

/** Cuts an unfinished append off the journal and keeps its bytes in a separate file. Returns a sentence about it. */
function cutTornTail(dir: string, fd: number, position: Position, torn: number): string {
  const name = keepAside(dir, fd, position, torn)
  ftruncateSync(fd, position.end)
  fdatasyncSync(fd)
  const after = position.seq === 0 ? 'its beginning' : `event ${position.seq}`
  return `the journal's last entry was not whole: ${torn} bytes after ${after} were cut off and kept in ${name}`
}

function keepAside(dir: string, fd: number, position: Position, torn: number): string {
  for (let n = 1; ; n++) {
    const name = `journal.torn-${position.seq + 1}-${n}`
    const aside = createNew(join(dir, name))
    if (aside === undefined) continue
    try {
      copyBytes(fd, aside, position.end, torn)
      fsyncSync(aside)
    } catch (error) {
      removeFile(join(dir, name))
      throw error
    } finally {
      closeSync(aside)
    }
    syncFolder(dir)
    return name
  }
}

function createNew(path: string): number | undefined {
  try {
    return openPlain(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

function copyBytes(from: number, to: number, start: number, length: number): void {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, length))
  for (let done = 0; done < length; ) {
    const got = readSync(from, buffer, 0, Math.min(buffer.length, length - done), start + done)
    if (got === 0) return
    for (let written = 0; written < got; ) written += writeSync(to, buffer, written, got - written)
    done += got
  }
}
