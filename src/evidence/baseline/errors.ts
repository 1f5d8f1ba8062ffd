/** Something is wrong with the stored baseline itself. The message is a sentence for a person. */
export class BaselineError extends Error {
  readonly exitCode = 70
  override readonly name = 'BaselineError'
}

/** Of "EACCES: permission denied, open '...'" the first half is for people. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split(', ')[0] ?? error.message) : String(error)
