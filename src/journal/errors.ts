import { errorCode, NotAFileError } from '../system/files.ts'

/** A journal that cannot be used, said in one sentence for a person: 70 for trouble, 64 for a wrong request. */
export class JournalError extends Error {
  readonly exitCode: 70 | 64

  constructor(message: string, exitCode: 70 | 64 = 70, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'JournalError'
    this.exitCode = exitCode
  }
}

const FAULTS: Readonly<Record<string, (place: string) => string>> = {
  ENOSPC: (place) => `no space left on ${place}; free some space or choose another place with --state-dir`,
  EDQUOT: (place) => `no space left on ${place} (quota); free some space or choose another place with --state-dir`,
  EFBIG: (place) => `a file in ${place} may not grow any further (file size limit); raise the limit`,
  EROFS: (place) => `${place} is on a read-only file system; choose another place with --state-dir`,
  EACCES: (place) => `no permission for ${place}; mend the permissions or choose another place with --state-dir`,
  EPERM: (place) => `no permission for ${place}; mend the permissions or choose another place with --state-dir`,
  ENOTDIR: (place) => `a part of ${place} is not a folder; choose another place with --state-dir`,
  EEXIST: (place) => `a part of ${place} is not a folder; choose another place with --state-dir`,
  // Also what Node reports when a folder cannot be made on a read-only file system.
  ENOENT: (place) => `${place} is gone or can't be created; choose another place with --state-dir`,
  EISDIR: (place) => `${place} is a folder where a file belongs; choose another place with --state-dir`,
  ELOOP: (place) => `${place} is a symbolic link, which is not followed; choose another place with --state-dir`,
}

/** "cannot record event 7: no space left on ..." */
export function fault(doing: string, place: string, error: unknown): JournalError {
  if (error instanceof JournalError) return error
  if (error instanceof NotAFileError)
    return new JournalError(`${error.message}; remove it or choose another place with --state-dir`, 70, error)
  const why = FAULTS[errorCode(error)]?.(place) ?? `${place}: ${error instanceof Error ? error.message : String(error)}`
  return new JournalError(`cannot ${doing}: ${why}`, 70, error)
}
