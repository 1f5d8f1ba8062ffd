import { redact } from '../../evidence/redact.ts'
import { readEvents } from '../../journal/read.ts'
import { columnsOf } from '../../reports/page/columns.ts'
import { reportModel } from '../../reports/page/model.ts'
import type { Iteration, Report } from '../../reports/page/types.ts'
import { projectOf, type RunRow } from '../../reports/runs/row.ts'
import type { ReportAnswer } from '../../reports/runs/told.ts'
import type { Runs } from './runs.ts'

interface Made {
  readonly report: Report
  readonly row: RunRow
  /** When it was made, and how long that took. */
  readonly at: number
  readonly ms: number
}

/** Reports that are kept: of the runs that people look at. */
const MOST = 4
/** Long runs are shown anew less often: never more than a tenth of the time goes there. */
const SHARE = 10

/** The reports of runs, made when somebody looks and made anew when something happened. */
export class Reports {
  readonly #made = new Map<string, Made>()

  constructor(
    readonly runs: Runs,
    readonly now: () => number,
  ) {}

  answer(id: string): ReportAnswer | undefined {
    const made = this.#of(id)
    if (made === undefined) return undefined
    const { iterations, ...head } = made.report
    return { head, columns: columnsOf({ iterations }), seq: made.row.seq }
  }

  /** One iteration with all there is about it. */
  iteration(id: string, run: string, n: number): Iteration | undefined {
    const made = this.#of(id)
    if (made === undefined || made.report.run !== run) return undefined
    return made.report.iterations.find((each) => each.n === n)
  }

  #of(id: string): Made | undefined {
    const row = this.runs.row(id)
    const dir = this.runs.dirOf(id)
    if (row === undefined || dir === undefined || row.status === 'unreadable') return undefined
    const kept = this.#made.get(id)
    const begun = this.now()
    const same = kept !== undefined && kept.row.run === row.run
    if (same && (kept.row.seq === row.seq || begun - kept.at < kept.ms * SHARE)) return kept
    const report = reportModel(readEvents(dir), { project: projectOf(id), hide: redact })
    if (report === undefined) return undefined
    const made = { report, row, at: this.now(), ms: this.now() - begun }
    this.#made.delete(id)
    this.#made.set(id, made)
    for (const oldest of this.#made.keys()) if (this.#made.size > MOST) this.#made.delete(oldest)
    return made
  }
}
