import type { Spent } from '../core/types.ts'
import type { Effect, RunBacktest } from './types.ts'

/** Totals over all runs. */
export interface BacktestSummary {
  readonly runs: number
  readonly iterations: number
  /** Runs whose end with the alternative is known. */
  readonly known: number
  readonly effects: Readonly<Partial<Record<Effect, number>>>
  readonly saved: Spent & { readonly iterations: number }
  /** Why the end is unknown, the most frequent reason first. */
  readonly cannotTell: readonly { readonly why: string; readonly runs: number }[]
}

export function summaryOf(runs: Iterable<RunBacktest>): BacktestSummary {
  const effects = new Map<Effect, number>()
  const reasons = new Map<string, number>()
  const saved = { iterations: 0, ms: 0, tokens: 0, usd: 0 }
  let count = 0
  let iterations = 0
  let known = 0
  for (const run of runs) {
    count += 1
    iterations += run.iterations
    if (run.known) known += 1
    more(effects, run.effect)
    if (run.effect === 'cannot-tell') more(reasons, run.why ?? '')
    saved.iterations += run.saved.iterations
    saved.ms += run.saved.ms
    saved.tokens += run.saved.tokens
    saved.usd += run.saved.usd
  }
  const cannotTell = [...reasons].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return {
    runs: count,
    iterations,
    known,
    effects: Object.fromEntries([...effects].sort(([a], [b]) => (a < b ? -1 : 1))),
    saved,
    cannotTell: cannotTell.map(([why, runs]) => ({ why, runs })),
  }
}

function more<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
