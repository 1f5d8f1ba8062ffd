import { closeSync, constants, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskEnd } from '../backlog/types.ts'
import { JournalError, journalError } from '../journal/errors.ts'
import { errorCode, makeFolder, openPlain, syncFolder, writeFileAtomic } from '../system/files.ts'

const VERSION = 1
const FILE = 'backlog.json'

/** What must survive the process for each task; everything else is in its own journal. */
export interface TaskRecord {
  readonly branch: string
  readonly worktree: string
  /** Git's own folder of the worktree, because the agent can change the file in the worktree that points to it. */
  readonly gitDir: string
  /** The folder its agent works in. */
  readonly workspace: string
  /** The folder of its journal. */
  readonly dir: string
  readonly end?: TaskEnd
}

/** The list as it was started: commit, branch, and each started task. */
export interface BacklogRecord {
  readonly version: typeof VERSION
  readonly file: string
  readonly head: string
  readonly branch?: string
  readonly startedAt: number
  /** The last verified merge. */
  readonly merged?: string
  readonly tasks: Readonly<Record<string, TaskRecord>>
}

/** Folder of a workspace's backlog, next to its journal. */
export const backlogFolder = (dir: string): string => join(dir, 'backlog')

/** The last record; undefined if there is none. */
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
    // Reported below, with the remedy.
  }
  throw new JournalError(`${path} is not a valid record of a backlog. Move it away to start over.`)
}

function isRecord(said: unknown): said is BacklogRecord {
  if (typeof said !== 'object' || said === null) return false
  const { version, head, tasks } = said as Readonly<Record<string, unknown>>
  return version === VERSION && typeof head === 'string' && typeof tasks === 'object' && tasks !== null
}

/** Written atomically and synced to disk before it returns. */
function writeRecord(folder: string, record: Omit<BacklogRecord, 'version'>): void {
  const path = join(folder, FILE)
  try {
    makeFolder(folder)
    writeFileAtomic(path, `${JSON.stringify({ version: VERSION, ...record })}\n`, { sync: true })
    syncFolder(folder)
  } catch (error) {
    throw journalError('record the backlog', path, error)
  }
}

export interface RecordKeeper {
  readonly record: Omit<BacklogRecord, 'version'>
  /** Records a task; undefined removes it. */
  note(task: string, known: TaskRecord | undefined): void
  /** Records the commit with everything that is merged and verified. */
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
