import { closeSync, constants, existsSync, fstatSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { JournalEvent, State } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import { emptyState } from '../core/journal/reduce.ts'
import { errorCode, openPlain } from '../system/files.ts'
import { anchorProblem } from './anchor.ts'
import { BEGINNING, type Position, readChain, type Tail } from './chain.ts'
import { JournalError, journalError } from './errors.ts'
import { readLine, readLinesBackwards } from './lines.ts'
import { JOURNAL, load } from './load.ts'
import { readSnapshot } from './snapshot.ts'

export interface JournalView {
  readonly state: State
  readonly problems: readonly string[]
}

/** The current state of a journal. Takes no lock and changes nothing. A missing journal counts as empty. */
export function readJournal(dir: string): JournalView {
  return (
    withJournal(dir, (fd, file) => {
      const { state, torn, problems } = load(dir, fd, file)
      return { state, problems: [...problems, ...endProblems(dir, fd, torn, state.seq)] }
    }) ?? { state: emptyState(), problems: missingJournal(dir) }
  )
}

/** The events in order, all or only the last ones, read in constant memory. */
export function* readEvents(dir: string, options: { readonly last?: number } = {}): Generator<JournalEvent, void> {
  const opened = open(dir)
  if (opened === undefined) return
  const { fd, file } = opened
  try {
    const { from, first } = options.last === undefined ? { from: BEGINNING, first: 1 } : startOfLast(fd, options.last)
    for (const { event } of readChain(fd, file, from)) if (event.seq >= first) yield event
  } catch (error) {
    throw journalError('read the journal', dir, error)
  } finally {
    closeSync(fd)
  }
}

export interface Verification {
  readonly ok: boolean
  readonly events: number
  readonly bytes: number
  /** Hash of the last line, which covers every line before it. */
  readonly hash: string
  readonly problems: readonly string[]
}

/** Reads every line without using the snapshot, then compares the snapshot with the result. */
export function verifyJournal(dir: string): Verification {
  const empty = { ok: true, events: 0, bytes: 0, hash: BEGINNING.hash, problems: missingJournal(dir) }
  return withJournal(dir, (fd, file) => verify(dir, fd, file)) ?? { ...empty, ok: empty.problems.length === 0 }
}

function verify(dir: string, fd: number, file: string): Verification {
  const snapshot = readSnapshot(dir, fd)
  const problems: string[] = []
  if (!('state' in snapshot) && snapshot.problem !== undefined) problems.push(snapshot.problem)
  const fold = new Fold()
  let position: Position = BEGINNING
  try {
    const links = readChain(fd, file, BEGINNING)
    let next = links.next()
    for (; !next.done; next = links.next()) {
      position = next.value.position
      fold.add(next.value.event)
      const covered = 'state' in snapshot && snapshot.position.seq === position.seq
      if (covered && !isDeepStrictEqual(snapshot.state, fold.state))
        problems.push(`state.json differs from the journal at event ${position.seq}`)
    }
    const tail: Tail = next.value
    problems.push(...endProblems(dir, fd, tail.torn, tail.position.seq))
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    problems.push(error.message)
  }
  const { seq, end, hash } = position
  return { ok: problems.length === 0, events: seq, bytes: end, hash, problems }
}

/**
 * Where to start reading for the last events. An unfinished append at the end doesn't count. A group is read from its first line,
 * even if fewer events are wanted.
 */
function startOfLast(fd: number, last: number): { readonly from: Position; readonly first: number } {
  let end: number | undefined
  let first = 1
  let skipped = 0
  for (const { bytes, start, terminated } of readLinesBackwards(fd, fstatSync(fd).size)) {
    if (end !== undefined && end - ++skipped > first) continue
    const read = terminated ? readLine(bytes) : undefined
    if (read?.kind !== 'event') {
      // The forward reader reports damage in the middle.
      if (end !== undefined) break
      continue
    }
    const { seq, prev, part = [1, 1] } = read.event
    if (end === undefined) {
      if (part[0] < part[1]) continue
      end = seq
      first = Math.max(1, seq - last + 1)
    }
    if (seq <= first && part[0] === 1) return { from: { ...BEGINNING, seq: seq - 1, hash: prev, end: start }, first }
  }
  return { from: BEGINNING, first }
}

function endProblems(dir: string, fd: number, torn: number, seq: number): readonly string[] {
  const problem = anchorProblem(dir, fd)
  if (problem !== undefined) return [problem.message]
  if (torn === 0) return []
  return [
    `the last entry of the journal is incomplete: ${torn} bytes after event ${seq} are still being written, or a crash left them. ` +
      'exitgate moves them to a separate file when it next writes.',
  ]
}

function missingJournal(dir: string): readonly string[] {
  const problem = anchorProblem(dir)
  if (problem !== undefined) return [problem.message]
  return existsSync(join(dir, 'state.json'))
    ? [`${dir} has a snapshot (state.json) but no journal. The journal was deleted.`]
    : []
}

function open(dir: string): { readonly fd: number; readonly file: string } | undefined {
  const file = join(dir, JOURNAL)
  try {
    return { fd: openPlain(file, constants.O_RDONLY), file }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw journalError('read the journal', file, error)
  }
}

function withJournal<T>(dir: string, use: (fd: number, file: string) => T): T | undefined {
  const opened = open(dir)
  if (opened === undefined) return undefined
  try {
    return use(opened.fd, opened.file)
  } catch (error) {
    throw journalError('read the journal', dir, error)
  } finally {
    closeSync(opened.fd)
  }
}
