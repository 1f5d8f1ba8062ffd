import type { Config } from '../config/types.ts'
import { type Step, step } from '../policy/step.ts'
import type { Policy } from '../types.ts'
import { beforeOf } from './before.ts'
import type { JournalEvent, State } from './events.ts'
import { withoutTrace } from './happenings.ts'
import { emptyState, reduce } from './reduce.ts'

/** One decision of the past, decided again on the same facts. */
export interface Replayed {
  readonly event: Extract<JournalEvent, { type: 'iteration.decided' }>
  readonly before: State
  readonly policy: Policy
  readonly step: Step
  /** Whether it is the same verdict to the letter. */
  readonly same: boolean
}

/** Decide every iteration of a journal again. Pure: the same journal always gives the same answers. */
export function* replay(events: Iterable<JournalEvent>, policyFor: (config: Config) => Policy): Generator<Replayed> {
  const next = replayer(policyFor)
  for (const event of events) {
    const again = next(event)
    if (again !== undefined) yield again
  }
}

/** The same for one event after the other, as they come. */
export function replayer(policyFor: (config: Config) => Policy): (event: JournalEvent) => Replayed | undefined {
  let state = emptyState()
  let policy: Policy | undefined
  let config: Config | undefined
  return (event) => {
    const before = state
    state = reduce(state, event)
    if (event.type !== 'iteration.decided' || before.config === undefined) return undefined
    if (before.config !== config || policy === undefined) policy = policyFor(before.config)
    config = before.config
    const again = step(beforeOf(before), event.observation, policy, event.at)
    const same = JSON.stringify(sorted(withoutTrace(again.verdict))) === JSON.stringify(sorted(event.verdict))
    return { event, before, policy, step: again, same }
  }
}

/** Keys in one order, so that two equal values have one text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}
