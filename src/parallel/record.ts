import { closeSync, constants, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskEnd } from '../backlog/types.ts'
import { JournalError, journalError } from '../journal/errors.ts'
import { errorCode, openPlain, syncFolder, writeFileAtomic } from '../system/files.ts'

const VERSION = 1
const FILE = 'backlog.json'

/** What must be known of a task when the process is gone: everything else is in its own journal. */
export interface TaskRecord {
  readonly branch: string
  readonly worktree: string
  /** Git's own folder of the worktree: the agent can write the file in the worktree that names it. */
  readonly gitDir: string
  /** The folder its agent works in. */
  readonly workspace: string
  /** Where its journal lies. */
  readonly dir: string
  readonly end?: TaskEnd
}

/** The list as it was begun: the commit and the branch it started from, and each task that was begun. */
export interface BacklogRecord {
  readonly version: typeof VERSION
  readonly file: string
  readonly head: string
  readonly branch?: string
  readonly startedAt: number
  /** The merge that was judged last. */
  readonly merged?: string
  readonly tasks: Readonly<Record<string, TaskRecord>>
}

/** Folder of a workspace's backlog, beside its journal. */
export const backlogFolder = (dir: string): string => join(dir, 'backlog')

/** What was written down last; undefined when nothing was. */
export function readRecord(folder: string): BacklogRecord | undefined {
  const path = join(folder, FILE)
  let text: string
  try {
    const fd = openPlain(path, constants.O_RDONLY)
    try {
      text = readFileSync(fd, 'utf8')
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw journalError('read the backlog', path, error)
  }
  try {
    const said: unknown = JSON.parse(text)
    if (isRecord(said)) return said
  } catch {
    // Said below, with the remedy.
  }
  throw new JournalError(`${path} cannot be read as the record of a backlog; move it away to begin anew`)
}

function isRecord(said: unknown): said is BacklogRecord {
  if (typeof said !== 'object' || said === null) return false
  const { version, head, tasks } = said as Readonly<Record<string, unknown>>
  return version === VERSION && typeof head === 'string' && typeof tasks === 'object' && tasks !== null
}

/** Whole or not at all, and on the disk when it returns. */
function writeRecord(folder: string, record: Omit<BacklogRecord, 'version'>): void {
  const path = join(folder, FILE)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileAtomic(path, `${JSON.stringify({ version: VERSION, ...record })}\n`, { sync: true })
    syncFolder(folder)
  } catch (error) {
    throw journalError('record the backlog', path, error)
  }
}

export interface RecordKeeper {
  readonly record: Omit<BacklogRecord, 'version'>
  /** What is known of a task from now on; undefined forgets it. */
  note(task: string, known: TaskRecord | undefined): void
  /** Everything that is merged and green is in this commit. */
  noteMerged(commit: string): void
}

/** Keeps the record of one backlog. */
export function keepRecord(folder: string, begun: Omit<BacklogRecord, 'version'>): RecordKeeper {
  let record = begun
  writeRecord(folder, record)
  return {
    get record() {
      return record
    },
    note(task, known) {
      const { [task]: _before, ...others } = record.tasks
      record = { ...record, tasks: known === undefined ? others : { ...others, [task]: known } }
      writeRecord(folder, record)
    },
    noteMerged(commit) {
      record = { ...record, merged: commit }
      writeRecord(folder, record)
    },
  }
}
