import type { Answer } from '../../core/types.ts'

export type Counts = Readonly<Record<string, number>>
/** What the numbers alone say, in one sentence. */
export interface Judged {
  readonly answer: Answer
  readonly sentence: string
}

const judged = (answer: Answer, sentence: string): Judged => ({ answer, sentence })

function judgeTests(counts: Counts): Judged | undefined {
  const { total, passed, failed, skipped = 0, excused = 0 } = counts
  if (failed !== undefined && failed > excused) return judged('no', `${failed} of ${total ?? 'the'} tests failed.`)
  if (total === 0) return judged('unknown', 'No tests were run.')
  if (total !== undefined && (passed ?? 0) + (failed ?? 0) + skipped > total) {
    return judged('unknown', `The counts add up to more than the ${total} tests.`)
  }
  if (failed === undefined || passed === undefined) return undefined
  if (passed === 0) return judged('unknown', 'No test passed.')
  if (total !== undefined && passed + failed + skipped < total) {
    const rest = total - passed - failed - skipped
    return judged('unknown', `${rest} of ${total} tests neither passed, failed nor were skipped.`)
  }
  return judged('yes', `${passed} of ${total ?? passed + failed + skipped} tests passed.`)
}

function judgeShare(what: string, total: number | undefined, met: number | undefined): Judged | undefined {
  if (total === 0) return judged('unknown', `There are no ${what}.`)
  if (total === undefined || met === undefined) return undefined
  if (met > total) return judged('unknown', `${met} of ${total} ${what} cannot be.`)
  return judged(met < total ? 'no' : 'yes', `${met} of ${total} ${what} are done.`)
}

function judgeChecklist(counts: Counts): Judged | undefined {
  const { total, done, open } = counts
  if (open !== undefined && open > 0) return judged('no', `${open} items are open.`)
  if (total !== undefined && done !== undefined && open !== undefined && done + open !== total) {
    return judged('unknown', `${done} done and ${open} open do not make ${total} items.`)
  }
  return judgeShare('items', total, done ?? (total !== undefined && open === 0 ? total : undefined))
}

function judgeDocuments(counts: Counts): Judged | undefined {
  const { docs, diagrams, diagramsValid, adr, c4 } = counts
  if (diagrams !== undefined && diagramsValid !== undefined && diagramsValid < diagrams) {
    return judged('no', `${diagrams - diagramsValid} of ${diagrams} diagrams are not valid.`)
  }
  if (docs === 0) return judged('unknown', 'There are no documents.')
  if (diagrams === 0) return judged('unknown', 'There are no diagrams.')
  if (docs === undefined || diagrams === undefined || diagramsValid === undefined) return undefined
  if (adr === 0 || c4 === 0) return judged('unknown', `There is no ${adr === 0 ? 'ADR' : 'C4 diagram'}.`)
  return judged('yes', `${docs} documents, all ${diagrams} diagrams valid.`)
}

function judgeReview({ blocking, approved }: Counts): Judged | undefined {
  if (blocking !== undefined && blocking > 0) return judged('no', `${blocking} issues block.`)
  if (approved === 0) return judged('no', 'The review did not approve.')
  return approved === undefined ? undefined : judged('yes', 'The review approved.')
}

/** The answer the numbers of a check give by themselves; undefined when they do not suffice. */
export function judgeCounts(check: string, counts: Counts): Judged | undefined {
  if (check === 'tests') return judgeTests(counts)
  if (check === 'criteria') return judgeShare('criteria', counts.total, counts.met)
  if (check === 'checklist') return judgeChecklist(counts)
  if (check === 'documents') return judgeDocuments(counts)
  if (check === 'review') return judgeReview(counts)
  return counts.total === 0 ? judged('unknown', 'There was nothing to count.') : undefined
}

/** Numbers that follow from the others by arithmetic alone. */
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
    // A C4 diagram is a diagram, so "all are valid" then speaks of at least one; "not all" always does.
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
