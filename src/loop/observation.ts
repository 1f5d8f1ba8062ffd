import type { State } from '../core/journal/events.ts'
import { observation } from '../core/policy/look.ts'
import type { AgentResult } from '../core/run.ts'
import { discardClaim, NO_SIGNALS } from '../core/signals/read-signals.ts'
import type { AgentError, Observation } from '../core/types.ts'
import { forcedBy, type Requests } from './controls.ts'
import type { GatheredEvidence } from './host.ts'
import { usageOf } from './limits/budget.ts'

/** The observation of a decision that a person makes while no agent runs. */
export function observationWithoutAgent(requests: Pick<Requests, 'force' | 'skipPhase'>): Observation {
  return observation(NO_SIGNALS, {}, forcedBy(requests))
}

interface Parts {
  readonly result: AgentResult
  readonly gathered: GatheredEvidence | undefined
  readonly requests: Requests
  readonly state: State
  readonly task?: string
}

/** Everything that one iteration showed, put together for the decision. */
export function observationOf({ result, gathered, requests, state, task }: Parts): Observation {
  const cut = requests.interrupt !== undefined || requests.skipTask !== undefined
  const failed = cut ? undefined : failureOf(result)
  const stalled = cut ? undefined : stallOf(result, state)
  const usage = usageOf(result, state.previous?.session)
  const { session, usage: printed } = result
  return {
    signals: failed === undefined ? result.signals : discardClaim(result.signals, failed.reason),
    evidence: gathered?.evidence ?? {},
    spent: { ms: result.ms + (gathered?.ms ?? 0), tokens: usage.tokens ?? 0, usd: usage.usd ?? 0 },
    interrupted: requests.interrupt !== undefined,
    ...forcedBy(requests),
    ...(failed === undefined ? {} : { failed }),
    ...(stalled === undefined ? {} : { stalled }),
    ...(task === undefined ? {} : { task }),
    ...(session === undefined ? {} : { session: { id: session, ...printed } }),
  }
}

function failureOf(result: AgentResult): Observation['failed'] {
  const reason = reasonOf(result)
  return reason === undefined ? undefined : { reason }
}

function reasonOf({
  ended,
  code,
  signal,
  problem,
  ms,
  format,
  errors,
  finished,
  stderr,
}: AgentResult): string | undefined {
  // Plain text that ends well is the agent's own, whatever it is about.
  const error = format === 'text' && code === 0 ? undefined : errors.findLast(isFailure)
  if (ended === 'not-started') return `the agent could not be started: ${problem ?? 'no reason is known'}`
  if (ended === 'deadline') return `the agent was ended after ${howLong(ms)}`
  if (ended === 'silence') return `the agent was ended because it had printed nothing for too long`
  if (error !== undefined) return `the agent reported an error: ${error.message}`
  if (ended === 'aborted') return 'the agent was ended by us'
  // Some agents exit with 0 when they are killed: their stream, which ends without its end, tells.
  if (code === 0) return finished || format === 'text' ? undefined : "the agent's output broke off before its end"
  // An agent that ran out of turns exits with an error and has failed at nothing.
  if (errors.some(({ kind }) => kind === 'max-turns')) return undefined
  const last = stderr.trimEnd().split('\n').at(-1)?.trim() ?? ''
  const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`
  return `the agent ${how}${last === '' ? '' : `: ${last.slice(0, 300)}`}`
}

const FAILURES: readonly AgentError['kind'][] = ['api', 'auth', 'limit', 'refusal', 'other']
const isFailure = ({ kind }: AgentError): boolean => FAILURES.includes(kind)
const howLong = (ms: number): string =>
  ms < 120_000 ? `${Math.max(1, Math.round(ms / 1000))} seconds` : `${Math.round(ms / 60_000)} minutes`

/** Only a preset that names such a timeout lets it trip the breaker; else a cut iteration is a failed one. */
function stallOf({ ended }: AgentResult, { config }: State): Observation['stalled'] {
  const { timeoutMinutes, activityTimeoutMinutes } = config?.breaker ?? {}
  if (ended === 'deadline' && timeoutMinutes !== undefined) return { kind: 'overall', minutes: timeoutMinutes }
  if (ended === 'silence' && activityTimeoutMinutes !== undefined)
    return { kind: 'activity', minutes: activityTimeoutMinutes }
  return undefined
}
