import { closeSync, constants, fsyncSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, makeFolder, openPlain, syncFolder } from '../system/files.ts'
import { removeAnchor } from './anchor.ts'
import { JournalError, journalError } from './errors.ts'
import { JOURNAL } from './load.ts'
import { type Lock, takeLock } from './lock.ts'
import { verifyJournal } from './read.ts'
import { SNAPSHOT } from './snapshot.ts'

export interface ResetOptions {
  readonly by: string
  readonly reason: string
  readonly at: number
  readonly waitMs?: number
}

export interface ResetResult {
  /** The folder with the old journal. */
  readonly archive: string
  /** How many of its events could be read. */
  readonly events: number
}

/** Archives the journal, even a damaged one, and starts an empty one. Does nothing if there is none. */
export function resetJournal(dir: string, options: ResetOptions): ResetResult | undefined {
  let lock: Lock | undefined
  try {
    if (!listFolder(dir).includes(JOURNAL)) {
      removeAnchor(dir)
      return undefined
    }
    lock = takeLock(dir, { waitMs: options.waitMs ?? 2000, command: 'reset' })
    const archived = archiveJournal(dir, options)
    removeAnchor(dir)
    return archived
  } catch (error) {
    throw journalError('reset the journal', dir, error)
  } finally {
    lock?.release()
  }
}

/** The journal moves last, in one step: before that nothing is reset, after that everything is. */
function archiveJournal(dir: string, { by, reason, at }: ResetOptions): ResetResult {
  const events = countEvents(dir)
  const archive = newFolder(join(dir, 'archive'), `${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}-${events}`)
  const note = openPlain(join(archive, 'reset.json'), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  try {
    writeFileSync(note, `${JSON.stringify({ by, reason, at, events }, null, 2)}\n`)
    fsyncSync(note)
  } finally {
    closeSync(note)
  }
  const remains = listFolder(dir).filter((name) => name === SNAPSHOT || name.startsWith('journal.torn-'))
  for (const name of [...remains, JOURNAL]) renameSync(join(dir, name), join(archive, name))
  syncFolder(archive)
  syncFolder(dir)
  return { archive, events }
}

/** Damaged journals get reset too, so count the events that are readable. */
function countEvents(dir: string): number {
  try {
    return verifyJournal(dir).events
  } catch (error) {
    if (error instanceof JournalError) return 0
    throw error
  }
}

function newFolder(parent: string, name: string): string {
  makeFolder(parent)
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

function listFolder(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
