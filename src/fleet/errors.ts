/** Something about the fleet that a person can mend, in one sentence: 64 for a wrong request, 70 for trouble. */
export class FleetError extends Error {
  readonly exitCode: 70 | 64

  constructor(message: string, exitCode: 70 | 64 = 64, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FleetError'
    this.exitCode = exitCode
  }
}

/** This worker has no say in the run any more: another one has it, or it was given back. */
export class LostRun extends Error {
  constructor(readonly why: string) {
    super(why)
    this.name = 'LostRun'
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
