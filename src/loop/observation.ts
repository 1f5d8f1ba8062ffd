import type { State } from '../core/journal/events.ts'
import { observation } from '../core/policy/look.ts'
import type { AgentResult } from '../core/run.ts'
import { discardClaim, NO_SIGNALS } from '../core/signals/read-signals.ts'
import type { AgentError, Observation } from '../core/types.ts'
import { forcedBy, type Requests } from './controls.ts'
import type { GatheredEvidence } from './host.ts'
import { usageOf } from './limits/budget.ts'

/** The observation for a decision that the user makes while no agent runs. */
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

/** All inputs of the decision about one iteration. */
export function observationOf({ result, gathered, requests, state, task }: Parts): Observation {
  const cut = requests.interrupt !== undefined || requests.skipTask !== undefined
  const failed = cut ? undefined : failureOf(result)
  const stalled = cut ? undefined : stallOf(result, state)
  const usage = usageOf(result, state.previous?.session)
  const { session, usage: printed } = result
  return {
    signals: failed === undefined ? result.signals : discardClaim(result.signals, failed.reason),
    evidence: gathered?.evidence ?? {},
    spent: spentOn(result.ms, usage, gathered),
    interrupted: requests.interrupt !== undefined,
    ...forcedBy(requests),
    ...(failed === undefined ? {} : { failed }),
    ...(stalled === undefined ? {} : { stalled }),
    ...(task === undefined ? {} : { task }),
    ...(session === undefined ? {} : { session: { id: session, ...printed } }),
  }
}

/** The agent's part, and what the checks spent on models. */
function spentOn(
  ms: number,
  { tokens = 0, usd = 0 }: ReturnType<typeof usageOf>,
  gathered: GatheredEvidence | undefined,
) {
  const checks = Object.values(gathered?.evidence ?? {}).flatMap(({ spent }) => spent ?? [])
  return {
    ms: ms + (gathered?.ms ?? 0),
    tokens: checks.reduce((sum, each) => sum + each.tokens, tokens),
    usd: checks.reduce((sum, each) => sum + each.usd, usd),
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
  // Plain text with exit code 0 is the agent's message, even if it mentions errors.
  const error = format === 'text' && code === 0 ? undefined : errors.findLast(isFailure)
  if (ended === 'not-started') return `the agent could not be started: ${problem ?? 'unknown reason'}`
  if (ended === 'deadline') return `the agent was stopped after ${howLong(ms)} (time limit)`
  if (ended === 'silence') return 'the agent was stopped because it printed nothing for too long'
  if (error !== undefined) return `the agent reported an error: ${error.message}`
  if (ended === 'aborted') return 'exitgate stopped the agent'
  // Some agents exit with code 0 when they are killed, but their stream has no end.
  if (code === 0) return finished || format === 'text' ? undefined : "the agent's output ended too early"
  // An agent that ran out of turns exits with an error, but it has not failed.
  if (errors.some(({ kind }) => kind === 'max-turns')) return undefined
  const last = stderr.trimEnd().split('\n').at(-1)?.trim() ?? ''
  const how = code === null ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${code}`
  return `the agent ${how}${last === '' ? '' : `: ${last.slice(0, 300)}`}`
}

const FAILURES: readonly AgentError['kind'][] = ['api', 'auth', 'limit', 'refusal', 'other']
const isFailure = ({ kind }: AgentError): boolean => FAILURES.includes(kind)
const howLong = (ms: number): string =>
  ms < 120_000 ? `${Math.max(1, Math.round(ms / 1000))} seconds` : `${Math.round(ms / 60_000)} minutes`

/** A timeout opens the breaker only if the preset configures it; otherwise the iteration just failed. */
function stallOf({ ended }: AgentResult, { config }: State): Observation['stalled'] {
  const { timeoutMinutes, activityTimeoutMinutes } = config?.breaker ?? {}
  if (ended === 'deadline' && timeoutMinutes !== undefined) return { kind: 'overall', minutes: timeoutMinutes }
  if (ended === 'silence' && activityTimeoutMinutes !== undefined)
    return { kind: 'activity', minutes: activityTimeoutMinutes }
  return undefined
}
