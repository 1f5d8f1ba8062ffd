import { closeSync, constants, fdatasyncSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { EventInput, JournalEvent, State } from '../core/journal/events.ts'
import { reduce } from '../core/journal/reduce.ts'
import { errorCode, openPlain, removeFile, syncFolder, writeAll } from '../system/files.ts'
import { anchorProblem, writeAnchor } from './anchor.ts'
import { BEGINNING, checkLinesUntil, type Position } from './chain.ts'
import { JournalError, journalError, makeStateFolder } from './errors.ts'
import { ForeignChanges } from './foreign-changes.ts'
import { LONGEST_LINE, stamp } from './lines.ts'
import { JOURNAL, load } from './load.ts'
import { type Lock, takeLock, takeLockAsync } from './lock.ts'
import { writeSnapshot } from './snapshot.ts'

const SHORT_WAIT_MS = 2000
/** How long the checks of another caller may take with default settings. */
const LONG_WAIT_MS = 600_000

export interface OpenOptions {
  /** How long to wait for another writer, in ms. */
  readonly waitMs?: number
  /** The command that opens the journal, shown to others that wait. `run` keeps the journal until the run ends. */
  readonly command?: string
  readonly onWait?: (text: string) => void
  /** Write a snapshot of the state after this many events, so that the next start reads less. */
  readonly snapshotEvery?: number
  /** Also check the lines that the snapshot covers, which are normally skipped. */
  readonly checkAll?: boolean
}

export interface Journal {
  readonly dir: string
  readonly state: State
  /** Time of the last event. No later event gets an earlier time. */
  readonly lastAt: number
  /** Problems that were found and repaired, one sentence each. */
  readonly problems: readonly string[]
  /** When this returns, all events are on disk. When it throws, none of them is. */
  readonly append: (events: readonly EventInput[], at: number) => readonly JournalEvent[]
  readonly close: () => void
}

/** Opens a journal as its only writer. Blocks while another process writes. */
export function openJournal(dir: string, options: OpenOptions = {}): Journal {
  let lock: Lock | undefined
  try {
    makeStateFolder(dir)
    lock = takeLock(dir, { waitMs: SHORT_WAIT_MS, ...options })
    return openWithLock(dir, lock, options)
  } catch (error) {
    lock?.release()
    throw journalError('open the journal', dir, error)
  }
}

/** Like `openJournal` without blocking the process, for callers that wait for a long time. */
export async function openJournalAsync(dir: string, options: OpenOptions = {}): Promise<Journal> {
  let lock: Lock | undefined
  try {
    makeStateFolder(dir)
    lock = await takeLockAsync(dir, { waitMs: LONG_WAIT_MS, ...options })
    return openWithLock(dir, lock, options)
  } catch (error) {
    lock?.release()
    throw journalError('open the journal', dir, error)
  }
}

function openWithLock(dir: string, lock: Lock, options: OpenOptions): Journal {
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
  const lost = anchorProblem(dir, fd)
  if (lost !== undefined) throw lost
  if (checkAll) checkLinesUntil(fd, file, loaded.covered)
  const problems = [...loaded.problems]
  let { state, position } = loaded
  let covered = loaded.covered.seq
  let usable = true
  let closed = false
  let clockNoted = false
  if (loaded.torn > 0) problems.push(truncateTornTail(dir, fd, position, loaded.torn))
  if (position.seq === 0) syncFolder(dir)
  const foreignChanges = new ForeignChanges(fd, file, checkAll ? BEGINNING : loaded.covered)
  if (loaded.problems.length > 0 || position.seq - covered >= snapshotEvery) snapshot()

  function snapshot(): void {
    if (position.seq === 0) return
    covered = position.seq
    try {
      writeSnapshot(dir, fd, position, state)
    } catch (error) {
      problems.push(journalError('write a snapshot', dir, error).message)
    }
  }

  function append(events: readonly EventInput[], now: number): readonly JournalEvent[] {
    if (events.length === 0) return []
    if (closed || !usable)
      throw new JournalError(`the journal in ${dir} is closed${usable ? '' : ' after a failed write'}`)
    const isEnd = events.some(({ type }) => type === 'run.ended')
    const foreignChange = lock.held() ? foreignChanges.problem(position, isEnd) : 'is no longer locked by this process'
    if (foreignChange !== undefined)
      throw new JournalError(
        `the journal in ${dir} ${foreignChange}. exitgate stops, and nothing more is recorded. ` +
          'To see whether it is damaged, run: exitgate status --verify',
      )
    const at = Math.max(position.at, now)
    if (now < position.at && !clockNoted) {
      clockNoted = true
      problems.push(`the clock went back by ${position.at - now} ms. New events keep the later time.`)
    }
    const lines = stampEvents(events, at, position)
    try {
      writeAll(fd, lines.bytes)
      // Before the sync, so that a change by another process during it is detected.
      foreignChanges.written()
      fdatasyncSync(fd)
    } catch (error) {
      usable = undoWrite(fd, position)
      foreignChanges.written()
      throw journalError(`record ${events.map(({ type }) => type).join(', ')}`, dir, error)
    }
    position = lines.position
    state = lines.events.reduce(reduce, state)
    if (position.seq - covered >= snapshotEvery) snapshot()
    return lines.events
  }

  function close(): void {
    if (closed) return
    closed = true
    if (position.seq > loaded.position.seq) writeAnchor(dir, position)
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

/** Parses the events from the text that is written, so that the state now equals the state after reading. */
function stampEvents(inputs: readonly EventInput[], at: number, from: Position) {
  const events: JournalEvent[] = []
  const texts: string[] = []
  let position = from
  for (const [i, input] of inputs.entries()) {
    const group = inputs.length === 1 ? {} : { part: [i + 1, inputs.length] as const }
    const sealed = stamp(input, { seq: position.seq + 1, at, prev: position.hash, ...group })
    const length = Buffer.byteLength(sealed.text) + 1
    if (length > LONGEST_LINE) throw new JournalError(`can't record ${input.type}: it is too large (${length} bytes)`)
    const { hash: _hash, ...event } = JSON.parse(sealed.text) as JournalEvent & { hash: string }
    events.push(event)
    texts.push(sealed.text)
    position = { seq: position.seq + 1, hash: sealed.hash, at, start: position.end, end: position.end + length }
  }
  return { events, position, bytes: Buffer.from(`${texts.join('\n')}\n`) }
}

/** Removes what a failed write left. The journal stays usable only if this succeeds. */
function undoWrite(fd: number, position: Position): boolean {
  try {
    ftruncateSync(fd, position.end)
    fdatasyncSync(fd)
    return true
  } catch {
    return false
  }
}

const CHUNK = 1024 * 1024

/** Truncates an unfinished append and keeps its bytes in a separate file. Returns a sentence about it. */
function truncateTornTail(dir: string, fd: number, position: Position, torn: number): string {
  const name = saveTornBytes(dir, fd, position, torn)
  ftruncateSync(fd, position.end)
  fdatasyncSync(fd)
  const after = position.seq === 0 ? 'its beginning' : `event ${position.seq}`
  return `the last entry of the journal was incomplete: moved ${torn} bytes after ${after} to ${name}`
}

function saveTornBytes(dir: string, fd: number, position: Position, torn: number): string {
  for (let n = 1; ; n++) {
    const name = `journal.torn-${position.seq + 1}-${n}`
    const savedFd = createNew(join(dir, name))
    if (savedFd === undefined) continue
    try {
      copyBytes(fd, savedFd, position.end, torn)
      fsyncSync(savedFd)
    } catch (error) {
      removeFile(join(dir, name))
      throw error
    } finally {
      closeSync(savedFd)
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
