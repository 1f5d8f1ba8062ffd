import { dirname } from 'node:path'
import { errorCode, makeFolder, NotAFileError, syncFolder } from '../system/files.ts'

/** A journal that can't be used. Exit code 64 means wrong usage, 75 that another process uses it, 70 any other failure. */
export class JournalError extends Error {
  readonly exitCode: 70 | 64 | 75

  constructor(message: string, exitCode: 70 | 64 | 75 = 70, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'JournalError'
    this.exitCode = exitCode
  }
}

export class JournalInUse extends JournalError {
  constructor(
    message: string,
    /** The command that uses it. `run` keeps it until the run ends. */
    readonly command: string | undefined,
  ) {
    super(message, 75)
  }
}

const ELSEWHERE = 'or choose another folder with --state-dir or EXITGATE_STATE_DIR.'

const REASONS: Readonly<Record<string, (place: string) => string>> = {
  ENOSPC: (place) => `no space left on ${place}. Free some space, ${ELSEWHERE}`,
  EDQUOT: (place) => `the disk quota of ${place} is used up. Free some space, ${ELSEWHERE}`,
  EFBIG: (place) => `a file in ${place} reached the file size limit. Raise the limit (ulimit -f).`,
  EROFS: (place) => `${place} is on a read-only file system. Make it writable, ${ELSEWHERE}`,
  EACCES: (place) => `permission denied for ${place}. Fix the permissions, ${ELSEWHERE}`,
  EPERM: (place) => `permission denied for ${place}. Fix the permissions, ${ELSEWHERE}`,
  ENOTDIR: (place) => `part of the path ${place} is not a folder. Fix the path, ${ELSEWHERE}`,
  EEXIST: (place) => `part of the path ${place} is not a folder. Fix the path, ${ELSEWHERE}`,
  // Node also reports ENOENT when creating a folder on a read-only file system fails.
  ENOENT: (place) => `${place} is missing and can't be created. Create it, ${ELSEWHERE}`,
  EISDIR: (place) => `${place} is a folder, but must be a file. Remove it, ${ELSEWHERE}`,
  ELOOP: (place) => `${place} is a symbolic link, and exitgate does not follow links here. Remove it, ${ELSEWHERE}`,
}

/** Builds an error such as "can't open the journal: no space left on ...". */
export function journalError(action: string, place: string, error: unknown): JournalError {
  if (error instanceof JournalError) return error
  if (error instanceof NotAFileError) return new JournalError(`${error.message}. Remove it, ${ELSEWHERE}`, 70, error)
  const why =
    REASONS[errorCode(error)]?.(place) ?? `${place}: ${error instanceof Error ? error.message : String(error)}`
  return new JournalError(`can't ${action}: ${why}`, 70, error)
}

/** Creates a state folder. */
export function makeStateFolder(dir: string): void {
  try {
    makeFolder(dir)
    syncFolder(dirname(dir))
  } catch (error) {
    throw journalError('open the journal', (error as NodeJS.ErrnoException).path ?? dir, error)
  }
}
