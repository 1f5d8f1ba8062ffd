import { closeSync, constants, fsyncSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEvent } from '../core/journal/events.ts'
import { errorCode, openPlain, syncFolder } from '../system/files.ts'
import { fault, JournalError } from './errors.ts'
import { JOURNAL } from './load.ts'
import { type Lock, takeLock } from './lock.ts'
import type { Journal } from './log.ts'
import { verifyJournal } from './read.ts'
import { SNAPSHOT } from './snapshot.ts'

export interface ResetOptions {
  readonly by: string
  readonly reason: string
  readonly at: number
  readonly waitMs?: number
}

export interface ResetDone {
  /** The folder in which the old journal lies now. */
  readonly archive: string
  /** How many events of it could be read. */
  readonly events: number
}

/** Begins with an empty journal and keeps the old one aside, sound or not. Nothing happens when there is none. */
export function resetJournal(dir: string, options: ResetOptions): ResetDone | undefined {
  let lock: Lock | undefined
  try {
    if (!names(dir).includes(JOURNAL)) return undefined
    lock = takeLock(dir, { waitMs: options.waitMs ?? 2000, command: 'reset' })
    return moveAside(dir, options)
  } catch (error) {
    throw fault('reset the journal', dir, error)
  } finally {
    lock?.release()
  }
}

/** The journal itself moves last and in one step: before that nothing is reset, after it all is. */
function moveAside(dir: string, { by, reason, at }: ResetOptions): ResetDone {
  const events = countEvents(dir)
  const archive = newFolder(join(dir, 'archive'), `${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}-${events}`)
  const note = openPlain(join(archive, 'reset.json'), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  try {
    writeFileSync(note, `${JSON.stringify({ by, reason, at, events }, null, 2)}\n`)
    fsyncSync(note)
  } finally {
    closeSync(note)
  }
  const remains = names(dir).filter((name) => name === SNAPSHOT || name.startsWith('journal.torn-'))
  for (const name of [...remains, JOURNAL]) renameSync(join(dir, name), join(archive, name))
  syncFolder(archive)
  syncFolder(dir)
  return { archive, events }
}

/** A damaged journal is what a reset is for, so it is counted as far as it can be read. */
function countEvents(dir: string): number {
  try {
    return verifyJournal(dir).events
  } catch (error) {
    if (error instanceof JournalError) return 0
    throw error
  }
}

function newFolder(parent: string, name: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  for (let n = 1; ; n++) {
    const path = join(parent, n === 1 ? name : `${name}-${n}`)
    try {
      mkdirSync(path, { mode: 0o700 })
      return path
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

function names(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Closes the breaker by a person's word and leaves everything else as it is. */
export function resetBreaker(journal: Journal, { by, reason, at }: ResetOptions): readonly JournalEvent[] {
  return journal.append([{ type: 'breaker.reset', by, reason }], at)
}
