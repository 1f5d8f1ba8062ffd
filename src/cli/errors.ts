import { errorCode } from '../system/files.ts'

/** Something you can fix. The message says what is wrong and how to fix it. */
export class InputError extends Error {
  readonly exitCode = 64

  constructor(message: string) {
    super(message)
    this.name = 'InputError'
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Check the path.',
  ENOTDIR: 'does not exist. Check the path.',
  EISDIR: 'is a folder. Pass a file.',
  EACCES: "can't be read. Check its permissions.",
  EPERM: "can't be read. Check its permissions.",
  ELOOP: 'is a loop of symbolic links. Pass the file itself.',
  ENAMETOOLONG: 'is too long for a path. Check it.',
}

/** Why a file you passed can't be read. */
export function fileError(flag: string, path: string, error: unknown): InputError {
  const code = errorCode(error)
  return new InputError(
    `${flag} ${path} ${REMEDIES[code] ?? `can't be read: ${error instanceof Error ? error.message : String(error)}`}`,
  )
}
