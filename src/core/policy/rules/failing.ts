import { count } from '../../../../packages/core/src/count.ts'
import type { FailureCause } from '../../failure-cause.ts'
import type { Condition, Facts, Rule, StreakPolicy } from '../../types.ts'
import { failedInVain, improved } from '../conditions.ts'
import { all, finding, stops, yesNo } from '../finding.ts'

const failedBy =
  (...causes: readonly FailureCause[]): Condition =>
  ({ failed }) =>
    finding('cause', yesNo(failed?.cause !== undefined && causes.includes(failed.cause)), failed?.cause ?? 'no cause')

const hasCause: Condition = ({ failed }) => finding('cause', yesNo(failed?.cause !== undefined), failed?.cause ?? '')
const notBetter: Condition = (facts) => finding('not better', yesNo(!improved(facts)), 'nothing improved')

/** The agent's errors, not the task, keep the run from moving. */
export const failureStreaks: Readonly<Record<string, StreakPolicy>> = {
  /** Iterations in a row that failed and changed nothing. */
  failing: { when: all('failing', failedInVain, hasCause) },
  refused: { when: all('refused', failedInVain, failedBy('refusal')) },
  /** An agent that dies the same way each time may still write a log or a dump, which changes files. */
  sameFailure: {
    when: all('same failure', failedBy('crash', 'request', 'empty', 'cut'), notBetter),
    key: ({ failed }) => failed?.cause,
  },
}

/** Rules that end a run because of the agent's own errors. */
export const AGENT_RULES: readonly string[] = ['refused', 'agent-fails']

const REFUSALS = 2

/** The model refuses the task. The same prompt would be refused again. */
export const refused: Rule = stops('aborted', 'needs-human', 'refused', ({ streaks, failed }) => {
  const n = streaks.refused?.n ?? 0
  const holds = failed?.cause === 'refusal' && n >= REFUSALS
  return finding('refused', yesNo(holds), holds ? failedText(n, failed.reason) : 'the model did not refuse the task')
})

/** The agent keeps failing and changes nothing, so the reason is its error and not a lack of progress. */
export const agentFails = (limit: number): Rule =>
  stops('aborted', 'errors', 'agent-fails', (facts) => {
    const text = tooMany(facts, limit)
    return finding('agent-fails', yesNo(text !== undefined), text ?? 'the agent does not keep failing')
  })

/** That there are too many failures. An outage without any answer was waited for before, so one is enough. */
function tooMany({ failed, streaks, spent }: Facts, limit: number): string | undefined {
  if (failed?.cause === undefined) return undefined
  const failing = streaks.failing?.n ?? 0
  if (failing >= (failed.cause === 'outage' && spent.tokens === 0 ? 1 : limit))
    return failedText(failing, failed.reason)
  const same = streaks.sameFailure?.n ?? 0
  return same >= 2 * limit ? failedText(same, failed.reason, 'the same way') : undefined
}

/** Iterations before them may have failed too, but not like this. */
const failedText = (n: number, reason: string, how = 'and changed nothing'): string =>
  n === 1 ? reason : `${count(n, 'iteration')} in a row failed ${how}: ${reason}`
