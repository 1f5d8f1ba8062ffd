import type { State } from '../core/journal/events.ts'
import { observation } from '../core/policy/look.ts'
import type { AgentResult } from '../core/run.ts'
import { discardClaim, NO_SIGNALS } from '../core/signals/read-signals.ts'
import type { Observation } from '../core/types.ts'
import { forcedBy, type Requests } from './controls.ts'
import type { GatheredEvidence } from './host.ts'
import { usageOf } from './limits/budget.ts'
import { failureOf } from './limits/failure.ts'

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
  const { used, session } = usageOf(result, state)
  return {
    signals: failed === undefined ? result.signals : discardClaim(result.signals, failed.reason),
    evidence: gathered?.evidence ?? {},
    spent: spentOn(result.ms, used, gathered),
    interrupted: requests.interrupt !== undefined,
    ...forcedBy(requests),
    ...(failed === undefined ? {} : { failed }),
    ...(stalled === undefined ? {} : { stalled }),
    ...(result.leftRunning && { leftRunning: result.leftRunning }),
    ...(task === undefined ? {} : { task }),
    ...(session === undefined ? {} : { session }),
  }
}

/** The agent's part, and what the checks spent on models. */
function spentOn(
  ms: number,
  { tokens = 0, usd = 0 }: ReturnType<typeof usageOf>['used'],
  gathered: GatheredEvidence | undefined,
) {
  const checks = Object.values(gathered?.evidence ?? {}).flatMap(({ spent }) => spent ?? [])
  return {
    ms: ms + (gathered?.ms ?? 0),
    tokens: checks.reduce((sum, each) => sum + each.tokens, tokens),
    usd: checks.reduce((sum, each) => sum + each.usd, usd),
  }
}

/** A timeout opens the breaker only if the preset configures it; otherwise the iteration just failed. */
function stallOf({ ended }: AgentResult, { config }: State): Observation['stalled'] {
  const { timeoutMinutes, activityTimeoutMinutes } = config?.breaker ?? {}
  if (ended === 'deadline' && timeoutMinutes !== undefined) return { kind: 'overall', minutes: timeoutMinutes }
  if (ended === 'silence' && activityTimeoutMinutes !== undefined)
    return { kind: 'activity', minutes: activityTimeoutMinutes }
  return undefined
}
