import type { Outcome, Verdict } from '../core/types.ts'

/** The only place that knows the numbers. */
export const OUTCOME_CODES: Readonly<Record<Outcome, number>> = { completed: 0, stuck: 1, aborted: 2, interrupted: 3 }
export const CONTINUE = 10
/** A second Ctrl+C ended everything at once. */
export const KILLED = 130
export const USAGE = 64
export const INTERNAL = 70

/** `replay`, `explain`: a decision of the past is another one today, or cannot be taken again. */
export const DIFFERENT = 1

/** `check`: the outcome's number, or 10 to go on. */
export function exitCode(verdict: Verdict): number {
  return verdict.action === 'stop' ? OUTCOME_CODES[verdict.outcome] : CONTINUE
}

/** `next`: the same with 0 and 10 swapped, so that `while exitgate next` goes on. */
export function shellCode(verdict: Verdict): number {
  const code = exitCode(verdict)
  return code === CONTINUE ? 0 : code === 0 ? CONTINUE : code
}

/** The number of a status word of the older tools; an unknown word is treated as aborted. */
export function statusCode(status: string): number {
  const code = OUTCOME_CODES[status.toLowerCase() as Outcome] as number | undefined
  return code ?? OUTCOME_CODES.aborted
}
