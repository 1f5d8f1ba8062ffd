import type { JournalEvent, Label } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { withEffect } from './effect.ts'
import { SimulatedRun } from './simulate-run.ts'
import type { Alternative, RunBacktest } from './types.ts'

/**
 * What would have happened to each run of a journal under another configuration, in the order of the runs. The facts of the past stay
 * as they were; counters, streaks, breaker and phases are counted anew from the start of each run. Pure, and never a guess.
 */
export function* backtest(
  events: Iterable<JournalEvent>,
  alternative: Alternative,
  policyFor: PolicyLookup,
  labels: ReadonlyMap<string, Label> = new Map(),
): Generator<RunBacktest> {
  const fold = new Fold()
  let simulated: SimulatedRun | undefined
  const told = (each: SimulatedRun): RunBacktest => {
    const run = each.result()
    return withEffect(run, labels.get(run.run))
  }
  for (const event of events) {
    const before = fold.past
    fold.add(event)
    if (event.type === 'run.started') {
      if (simulated !== undefined) yield told(simulated)
      simulated = new SimulatedRun(event.run, before, alternative, policyFor)
    }
    simulated?.take(event, before, fold.past)
  }
  if (simulated !== undefined) yield told(simulated)
}
