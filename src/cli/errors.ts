import { errorCode } from '../system/files.ts'
/** Something the person running it can mend, said in one sentence. */
export class InputError extends Error {
  readonly exitCode = 64

  constructor(message: string) {
    super(message)
    this.name = 'InputError'
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  EISDIR: 'is a folder; name a file',
  EACCES: 'may not be read; check its permissions',
  EPERM: 'may not be read; check its permissions',
  ELOOP: 'is a loop of symbolic links; name the file itself',
  ENAMETOOLONG: 'is too long a path; check it',
}

/** Why a file that was named could not be read. */
export function fileError(flag: string, path: string, error: unknown): InputError {
  const code = errorCode(error)
  return new InputError(
    `${flag} ${path} ${REMEDIES[code] ?? `cannot be read: ${error instanceof Error ? error.message : String(error)}`}`,
  )
}
