import type { Config } from '../../core/config.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import type { Spent } from '../../core/types.ts'

/** One run of the past, as far as statistics go. */
export interface RunFacts {
  readonly run: string
  readonly startedAt: number
  /** Absent for a run that is not over. */
  readonly ended?: { readonly outcome: string; readonly ending: string; readonly at: number }
  readonly preset: string
  readonly iterations: number
  readonly spent: Spent
  readonly claimsRefused: number
  /** What was missing, and at how many decisions. */
  readonly missing: Readonly<Record<string, number>>
  /** The limits it was given. */
  readonly cap: { readonly iterations?: number; readonly usd?: number }
}

/** Agents have a hand in what is missing, so there is an end to the number of different things. */
const MOST_DIFFERENT = 1000
const LONGEST = 200
const NOTHING: Spent = { ms: 0, tokens: 0, usd: 0 }

/** Every run of a journal, in memory that does not grow with the journal but only with its runs. */
export function runsIn(events: Iterable<JournalEvent>): readonly RunFacts[] {
  const runs: RunFacts[] = []
  /** What was missing in the newest run: it is counted in place, for there may be ten thousand decisions. */
  const missing = new Map<string, number>()
  let config: Config | undefined
  const change = (next: (run: RunFacts) => RunFacts): void => {
    const last = runs.pop()
    if (last !== undefined) runs.push(next(last))
  }
  const close = (): void => {
    if (missing.size > 0) change((run) => ({ ...run, missing: Object.fromEntries(missing) }))
    missing.clear()
  }
  for (const event of events) {
    switch (event.type) {
      case 'run.started':
        config = event.config ?? config
        close()
        runs.push(begun(event.run, event.at, config))
        break
      case 'config.changed':
        config = event.config
        change((run) => ({ ...run, preset: event.config.preset, cap: capOf(event.config) }))
        break
      case 'iteration.limited':
        change((run) => ({ ...run, spent: sum(run.spent, event.spent) }))
        break
      case 'iteration.decided':
        change((run) => decided(run, event))
        if (runs.length > 0) count(missing, event.verdict.missing)
        break
      case 'run.resumed':
        change(({ ended: _ended, ...run }) => run)
        break
      case 'run.ended':
        change((run) => ({ ...run, ended: { outcome: event.outcome, ending: event.ending, at: event.at } }))
        break
    }
  }
  close()
  return runs
}

function count(missing: Map<string, number>, items: readonly string[]): void {
  for (const item of new Set(items.map(alike)))
    if (missing.has(item) || missing.size < MOST_DIFFERENT) missing.set(item, (missing.get(item) ?? 0) + 1)
}

const begun = (run: string, startedAt: number, config: Config | undefined): RunFacts => ({
  run,
  startedAt,
  preset: config?.preset ?? '?',
  iterations: 0,
  spent: NOTHING,
  claimsRefused: 0,
  missing: {},
  cap: config === undefined ? {} : capOf(config),
})

function capOf({ limits: { iterations, usd } }: Config): RunFacts['cap'] {
  return { ...(iterations ? { iterations } : {}), ...(usd ? { usd } : {}) }
}

function decided(run: RunFacts, event: Extract<JournalEvent, { type: 'iteration.decided' }>): RunFacts {
  const { verdict, iteration, after } = event
  const opened = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  return {
    ...run,
    iterations: iteration,
    spent: after.total,
    claimsRefused: run.claimsRefused + (verdict.gate.claim === 'yes' && !opened ? 1 : 0),
  }
}

/** Three failing tests are the same thing as four. */
const alike = (item: string): string => item.slice(0, LONGEST).replace(/\b\d+(?:\.\d+)?\b/g, 'N')

const sum = (a: Spent, b: Spent): Spent => ({ ms: a.ms + b.ms, tokens: a.tokens + b.tokens, usd: a.usd + b.usd })
