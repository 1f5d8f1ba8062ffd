import type { JournalEvent, Label } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { withEffect } from './effect.ts'
import { SimulatedRun } from './simulate-run.ts'
import type { Alternative, RunBacktest } from './types.ts'

/**
 * How each run of a journal would have ended with another configuration, in order. Recorded facts stay the same; counters, streaks,
 * breaker and phases are recomputed from the start of each run. It is pure and never guesses.
 */
export function* backtest(
  events: Iterable<JournalEvent>,
  alternative: Alternative,
  policyFor: PolicyLookup,
  labels: ReadonlyMap<string, Label> = new Map(),
): Generator<RunBacktest> {
  const fold = new Fold()
  let simulated: SimulatedRun | undefined
  const results = (each: SimulatedRun): RunBacktest => {
    const run = each.result()
    return withEffect(run, labels.get(run.run))
  }
  for (const event of events) {
    const before = fold.past
    fold.add(event)
    if (event.type === 'run.started') {
      if (simulated !== undefined) yield results(simulated)
      simulated = new SimulatedRun(event.run, before, alternative, policyFor)
    }
    simulated?.take(event, before, fold.past)
  }
  if (simulated !== undefined) yield results(simulated)
}
