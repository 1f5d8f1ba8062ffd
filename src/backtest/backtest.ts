import type { JournalEvent, Label } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import type { PolicyLookup } from '../core/journal/replay.ts'
import { withEffect } from './effect.ts'
import { pairsWith } from './pairs.ts'
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
  for (const results of backtestEach(events, [alternative], policyFor, labels)) yield* results
}

/** The same for several alternatives, in one pass: for each run, a result for each alternative. */
export function* backtestEach(
  events: Iterable<JournalEvent>,
  alternatives: readonly Alternative[],
  policyFor: PolicyLookup,
  labels: ReadonlyMap<string, Label>,
): Generator<readonly RunBacktest[]> {
  const fold = new Fold()
  const pairs = alternatives.map((alternative) => pairsWith(alternative, policyFor))
  let simulated: readonly SimulatedRun[] = []
  const results = (): readonly RunBacktest[] =>
    simulated.map((each) => {
      const run = each.result()
      return withEffect(run, labels.get(run.run))
    })
  for (const event of events) {
    const before = fold.past
    fold.add(event)
    if (event.type === 'run.started') {
      if (simulated.length > 0) yield results()
      simulated = pairs.map((pairFor) => new SimulatedRun(event.run, before, pairFor))
    }
    for (const each of simulated) each.take(event, before, fold.past)
  }
  if (simulated.length > 0) yield results()
}
