import type { JournalEvent } from '../../core/journal/events.ts'
import type { EvidenceSet, Observation, Outcome, Work } from '../../core/types.ts'

/** What later checks need to know about a run. */
export interface FinishedRun {
  readonly run: string
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: Outcome
  /** The trees at its start and end; empty if unknown. */
  readonly treeBefore: string
  readonly tree: string
  /** Tests that failed before its first iteration. */
  readonly failedBefore: readonly string[]
  /** Tests it fixed. */
  readonly fixed: readonly string[]
  readonly work?: Work
}

/** A problem with a run, detected automatically. It is always bad: finding nothing doesn't make a run good. */
export interface Found {
  readonly run: string
  readonly source: 'revert' | 'ci' | 'red-again' | 'follow-up'
  readonly reason: string
}

const DAY = 86_400_000

/** Whether a time is at most `days` days after the end of a run. */
export const isSoonAfter = ({ endedAt }: FinishedRun, at: number, days: number): boolean =>
  endedAt !== undefined && at >= endedAt && at - endedAt <= days * DAY

export function finishedRuns(events: Iterable<JournalEvent>): readonly FinishedRun[] {
  const runs: FinishedRun[] = []
  const change = (next: (run: FinishedRun) => FinishedRun): void => {
    const last = runs.pop()
    if (last !== undefined) runs.push(next(last))
  }
  for (const event of events) {
    if (event.type === 'run.started') runs.push(begun(event.run, event.at, event.baseline ?? {}))
    else if (event.type === 'iteration.decided') change((run) => ({ ...run, ...leftBy(event.observation) }))
    else if (event.type === 'run.resumed') change(({ outcome: _outcome, endedAt: _endedAt, ...run }) => run)
    else if (event.type === 'run.ended') change((run) => ({ ...run, outcome: event.outcome, endedAt: event.at }))
  }
  return runs
}

function begun(run: string, startedAt: number, baseline: EvidenceSet): FinishedRun {
  return {
    run,
    startedAt,
    treeBefore: treeOf(baseline),
    tree: '',
    failedBefore: baseline.tests?.named?.failing ?? [],
    fixed: [],
  }
}

function leftBy({ evidence }: Observation): Pick<FinishedRun, 'tree' | 'fixed' | 'work'> {
  const { work } = evidence.changed ?? {}
  return { tree: treeOf(evidence), fixed: evidence.tests?.named?.fixed ?? [], ...(work === undefined ? {} : { work }) }
}

const treeOf = (evidence: EvidenceSet): string => evidence.tests?.tree ?? ''
