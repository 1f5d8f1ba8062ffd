/** A problem the user can fix, in one or two sentences. Exit code 64 for a wrong request, 70 for a failure. */
export class FleetError extends Error {
  readonly exitCode: 70 | 64

  constructor(message: string, exitCode: 70 | 64 = 64, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FleetError'
    this.exitCode = exitCode
  }
}

/** This worker no longer owns the run: another worker has it, or it was given back. */
export class LostRun extends Error {
  constructor(readonly why: string) {
    super(why)
    this.name = 'LostRun'
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
