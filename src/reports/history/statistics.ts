import type { RunFacts } from './run-facts.ts'

export interface Flaky {
  readonly test: string
  readonly flaked: number
  readonly runs: number
}

/** What the runs of one project, or of all, add up to. */
export interface Statistics {
  readonly runs: number
  readonly open: number
  /** Runs by their ending, the most frequent first. */
  readonly endings: Readonly<Record<string, number>>
  readonly iterations: number
  readonly ms: number
  readonly tokens: number
  readonly usd: number
  readonly claimsRefused: number
  /** Iterations between the end of a run that was done or stuck and its cap, and what they would have cost at its own rate. */
  readonly saved: { readonly iterations: number; readonly usd: number }
  readonly flaky: readonly Flaky[]
  readonly missing: readonly { readonly item: string; readonly times: number }[]
}

const MOST_LISTED = 5

export function statisticsOf(runs: readonly RunFacts[], flaky: readonly Flaky[]): Statistics {
  const total = (of: (run: RunFacts) => number): number => runs.reduce((so, run) => so + of(run), 0)
  const over = runs.flatMap(({ ended }) => (ended === undefined ? [] : [`${ended.outcome}/${ended.ending}`]))
  const missing = counted(runs.flatMap((run) => Object.entries(run.missing)))
  const saved = runs.map(savedBy)
  return {
    runs: runs.length,
    open: runs.length - over.length,
    endings: Object.fromEntries(counted(over.map((ending) => [ending, 1]))),
    iterations: total((run) => run.iterations),
    ms: total((run) => run.spent.ms),
    tokens: total((run) => run.spent.tokens),
    usd: total((run) => run.spent.usd),
    claimsRefused: total((run) => run.claimsRefused),
    saved: {
      iterations: saved.reduce((so, each) => so + each.iterations, 0),
      usd: saved.reduce((so, each) => so + each.usd, 0),
    },
    flaky: [...flaky].sort((a, b) => b.flaked - a.flaked || (a.test < b.test ? -1 : 1)).slice(0, MOST_LISTED),
    missing: missing.slice(0, MOST_LISTED).map(([item, times]) => ({ item, times })),
  }
}

/** A run that was interrupted or ran into a limit has saved nothing. */
function savedBy({ ended, iterations, spent, cap }: RunFacts): Statistics['saved'] {
  const knew = ended?.outcome === 'completed' || ended?.outcome === 'stuck'
  if (!knew || cap.iterations === undefined || iterations === 0) return { iterations: 0, usd: 0 }
  const left = Math.max(0, cap.iterations - iterations)
  const most = cap.usd === undefined ? Number.POSITIVE_INFINITY : Math.max(0, cap.usd - spent.usd)
  return { iterations: left, usd: Math.min(most, (left * spent.usd) / iterations) }
}

function counted(pairs: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const [name, n] of pairs) sums.set(name, (sums.get(name) ?? 0) + n)
  return [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}
