import { count } from '../../../packages/core/src/count.ts'
import type { Answer } from '../../core/types.ts'

export type Counts = Readonly<Record<string, number>>
/** What the numbers alone show, in one sentence. */
export interface Judged {
  readonly answer: Answer
  readonly sentence: string
}

const judged = (answer: Answer, sentence: string): Judged => ({ answer, sentence })

function judgeTests(counts: Counts): Judged | undefined {
  const { total, passed, failed, skipped = 0, excused = 0 } = counts
  if (failed !== undefined && failed > excused)
    return judged(
      'no',
      total === undefined
        ? `${count(failed, 'test')} failed.`
        : `${failed} of ${count(total, 'test')} ${total === 1 ? 'fails' : 'fail'}.`,
    )
  if (total === 0) return judged('unknown', 'No tests ran.')
  if (total !== undefined && (passed ?? 0) + (failed ?? 0) + skipped > total) {
    return judged('unknown', `The counts add up to more than ${count(total, 'test')}.`)
  }
  if (failed === undefined || passed === undefined) return undefined
  if (passed === 0) return judged('unknown', 'No test passed.')
  if (total !== undefined && passed + failed + skipped < total) {
    const rest = total - passed - failed - skipped
    return judged('unknown', `${rest} of ${count(total, 'test')} ${rest === 1 ? 'has' : 'have'} no result.`)
  }
  const all = total ?? passed + failed + skipped
  return judged('yes', `${passed} of ${count(all, 'test')} ${all === 1 ? 'passes' : 'pass'}.`)
}

function judgeShare(what: string, total: number | undefined, met: number | undefined): Judged | undefined {
  if (total === 0) return judged('unknown', `No ${what} found.`)
  if (total === undefined || met === undefined) return undefined
  if (met > total) return judged('unknown', `${met} of ${total} ${what} is impossible.`)
  return judged(met < total ? 'no' : 'yes', `${met} of ${total} ${what} done.`)
}

function judgeChecklist(counts: Counts): Judged | undefined {
  const { total, done, open } = counts
  if (open !== undefined && open > 0) return judged('no', `${count(open, 'item')} open.`)
  if (total !== undefined && done !== undefined && open !== undefined && done + open !== total) {
    return judged('unknown', `${done} done and ${open} open do not add up to ${count(total, 'item')}.`)
  }
  return judgeShare('items', total, done ?? (total !== undefined && open === 0 ? total : undefined))
}

function judgeDocuments(counts: Counts): Judged | undefined {
  const { docs, diagrams, diagramsValid, adr, c4 } = counts
  if (diagrams !== undefined && diagramsValid !== undefined && diagramsValid < diagrams) {
    return judged('no', `${diagrams - diagramsValid} of ${count(diagrams, 'diagram')} not valid.`)
  }
  if (docs === 0) return judged('unknown', 'No documents found.')
  if (diagrams === 0) return judged('unknown', 'No diagrams found.')
  if (docs === undefined || diagrams === undefined || diagramsValid === undefined) return undefined
  if (adr === 0 || c4 === 0) return judged('unknown', `No ${adr === 0 ? 'ADR' : 'C4 diagram'} found.`)
  return judged('yes', `${count(docs, 'document')}, ${diagrams} of ${count(diagrams, 'diagram')} valid.`)
}

function judgeReview({ blocking, approved }: Counts): Judged | undefined {
  if (blocking !== undefined && blocking > 0) return judged('no', `${count(blocking, 'blocking issue')}.`)
  if (approved === 0) return judged('no', 'The review did not approve.')
  return approved === undefined ? undefined : judged('yes', 'The review approved.')
}

/** The answer that a check's numbers give by themselves; undefined if they are not enough. */
export function judgeCounts(check: string, counts: Counts): Judged | undefined {
  if (check === 'tests') return judgeTests(counts)
  if (check === 'criteria') return judgeShare('criteria', counts.total, counts.met)
  if (check === 'checklist') return judgeChecklist(counts)
  if (check === 'documents') return judgeDocuments(counts)
  if (check === 'review') return judgeReview(counts)
  return counts.total === 0 ? judged('unknown', 'Nothing was counted.') : undefined
}

/** Adds the numbers that follow from the others by arithmetic. */
export function completeCounts(check: string, counts: Counts): Counts {
  const full: Record<string, number> = { ...counts }
  if (check === 'tests') {
    const { total, passed, failed, skipped = 0 } = counts
    if (total === undefined && passed !== undefined && failed !== undefined) full.total = passed + failed + skipped
    if (total !== undefined && failed === undefined && passed === total) full.failed = 0
    if (total !== undefined && passed === undefined && failed === total) full.passed = 0
  }
  if (check === 'checklist') {
    const { total, done, open } = counts
    if (total === undefined && done !== undefined && open !== undefined) full.total = done + open
    if (total !== undefined && open === undefined && done !== undefined && done <= total) full.open = total - done
    if (total !== undefined && done === undefined && open !== undefined && open <= total) full.done = total - open
  }
  if (check === 'documents' && counts.allDiagramsValid !== undefined) {
    const all = counts.allDiagramsValid > 0
    // A C4 diagram is a diagram, so "all are valid" then means at least one; "not all" always does.
    const diagrams = counts.diagrams ?? (counts.c4 === 1 || !all ? 1 : undefined)
    delete full.allDiagramsValid
    if (diagrams !== undefined) {
      const most = all ? diagrams : Math.max(diagrams - 1, 0)
      full.diagrams = diagrams
      full.diagramsValid = Math.min(counts.diagramsValid ?? most, most)
    }
  }
  return full
}
