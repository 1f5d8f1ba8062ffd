import type { Config } from '../../core/config.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import { checkTitle, failureTitle } from '../../core/policy/check-text.ts'
import type { Spent } from '../../core/types.ts'

/** What the statistics need to know about a run. */
export interface RunFacts {
  readonly run: string
  readonly startedAt: number
  /** Absent while the run is active. */
  readonly ended?: { readonly outcome: string; readonly ending: string; readonly at: number }
  readonly preset: string
  readonly iterations: number
  readonly spent: Spent
  readonly claimsRefused: number
  /** What was missing, and in how many decisions. */
  readonly missing: Readonly<Record<string, number>>
}

/** Agents influence these texts, so their number is limited. */
const MOST_DIFFERENT = 1000
const LONGEST = 200
type DecidedEvent = Extract<JournalEvent, { type: 'iteration.decided' }>
const NOTHING: Spent = { ms: 0, tokens: 0, usd: 0 }

/** Every run of a journal. Memory grows with the number of runs, not with the journal. */
export function runsIn(events: Iterable<JournalEvent>): readonly RunFacts[] {
  const runs: RunFacts[] = []
  /** Of the newest run, changed in place: a run can have ten thousand decisions. */
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
        change((run) => ({ ...run, preset: event.config.preset }))
        break
      case 'iteration.limited':
        change((run) => ({ ...run, spent: sum(run.spent, event.spent) }))
        break
      case 'iteration.decided':
        change((run) => decided(run, event))
        if (runs.length > 0) countMissing(missing, event)
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

/** An item about a check counts under the name of its failure, whatever its numbers and names. */
function countMissing(missing: Map<string, number>, { verdict, observation }: DecidedEvent): void {
  const failed = Object.values(observation.evidence).filter(({ answer }) => answer !== 'yes')
  const titleOf = (item: string): string => {
    const about = failed.find(
      ({ check, detail }) => item.startsWith(`${check}: `) || (detail !== '' && item.endsWith(detail)),
    )
    if (about === undefined) return alike(item)
    return about.answer === 'no' || about.check === 'flakes'
      ? failureTitle(about.check)
      : `${checkTitle(about.check)} unknown`
  }
  for (const item of new Set(verdict.missing.map(titleOf)))
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
})

function decided(run: RunFacts, event: DecidedEvent): RunFacts {
  const { verdict, iteration, after } = event
  const opened = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  return {
    ...run,
    iterations: iteration,
    spent: after.total,
    claimsRefused: run.claimsRefused + (verdict.gate.claim === 'yes' && !opened ? 1 : 0),
  }
}

/** Texts that differ only in their numbers are the same. */
const alike = (item: string): string => item.slice(0, LONGEST).replace(/\b\d+(?:\.\d+)?\b/g, 'N')

const sum = (a: Spent, b: Spent): Spent => ({ ms: a.ms + b.ms, tokens: a.tokens + b.tokens, usd: a.usd + b.usd })
