import type { Outcome, Verdict } from '../core/types.ts'

/** The only place that defines the numbers. */
export const OUTCOME_CODES: Readonly<Record<Outcome, number>> = { completed: 0, stuck: 1, aborted: 2, interrupted: 3 }
export const CONTINUE = 10
/** A second Ctrl+C ended everything at once. */
export const KILLED = 130
export const INTERNAL = 70

/** `lab replay`, `explain`: a past decision is different today, or can't be repeated. */
export const DIFFERENT = 1

/** `check`: the outcome's number, or 10 to continue. */
export function exitCode(verdict: Verdict): number {
  return verdict.action === 'stop' ? OUTCOME_CODES[verdict.outcome] : CONTINUE
}

/** `next`: the same with 0 and 10 swapped, so that `while exitgate next` continues. */
export function shellCode(verdict: Verdict): number {
  const code = exitCode(verdict)
  return code === CONTINUE ? 0 : code === 0 ? CONTINUE : code
}

/** The exit code for a status of the older tools. An unknown status counts as aborted. */
export function statusCode(status: string): number {
  const code = OUTCOME_CODES[status.toLowerCase() as Outcome] as number | undefined
  return code ?? OUTCOME_CODES.aborted
}
