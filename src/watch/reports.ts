import { closeSync, constants } from 'node:fs'
import { join } from 'node:path'
import { BEGINNING, type Position, readChain } from '../journal/chain.ts'
import { JOURNAL } from '../journal/load.ts'
import { columnsOf } from '../reports/page/columns.ts'
import { type Model, openModel } from '../reports/page/model.ts'
import type { Iteration, Report } from '../reports/page/types.ts'
import type { ReportAnswer } from '../reports/runs/row.ts'
import { projectOf } from '../reports/runs/row.ts'
import { openPlain } from '../system/files.ts'
import { redact } from '../system/redact.ts'
import { endsAsBefore } from './follow.ts'
import type { Runs } from './runs.ts'

/** One journal as far as it was read. */
interface Read {
  model: Model
  position: Position
  /** What it came to, when that was, and how long it took. */
  made?: { readonly report: Report; readonly seq: number; readonly at: number; readonly ms: number }
  busy?: Promise<void>
}

/** Journals that are kept: of the runs that people look at. */
const MOST = 4
/** Long runs are shown anew less often: never more than a tenth of the time goes there. */
const SHARE = 10
/** So long nobody else gets an answer. */
const SLICE_MS = 20

/** The reports of runs. A journal is read when somebody looks at its run, in slices, and from then on only what was appended. */
export class Reports {
  readonly #read = new Map<string, Read>()

  constructor(
    readonly runs: Runs,
    readonly now: () => number,
  ) {}

  async answer(id: string): Promise<ReportAnswer | undefined> {
    const made = await this.#made(id)
    if (made === undefined) return undefined
    const { iterations, ...head } = made.report
    return { head, columns: columnsOf({ iterations }), seq: made.seq }
  }

  /** One iteration with all there is about it. */
  async iteration(id: string, run: string, n: number): Promise<Iteration | undefined> {
    const made = await this.#made(id)
    if (made === undefined || made.report.run !== run) return undefined
    return made.report.iterations.find((each) => each.n === n)
  }

  async #made(id: string): Promise<Read['made']> {
    const row = this.runs.row(id)
    const dir = this.runs.dirOf(id)
    if (row === undefined || dir === undefined || row.status === 'unreadable') return undefined
    const read = this.#of(id)
    const { made } = read
    const known = made !== undefined && made.report.run === row.run
    if (known && (made.seq === row.seq || this.now() - made.at < made.ms * SHARE)) return made
    read.busy ??= this.#readOn(read, id, dir).finally(() => {
      delete read.busy
    })
    await read.busy
    return read.made
  }

  #of(id: string): Read {
    const read = this.#read.get(id) ?? fresh(id)
    this.#read.delete(id)
    this.#read.set(id, read)
    for (const oldest of this.#read.keys()) if (this.#read.size > MOST) this.#read.delete(oldest)
    return read
  }

  async #readOn(read: Read, id: string, dir: string): Promise<void> {
    const file = join(dir, JOURNAL)
    const fd = openPlain(file, constants.O_RDONLY)
    const begun = this.now()
    try {
      if (!endsAsBefore(fd, read.position)) Object.assign(read, fresh(id))
      let slice = begun
      for (const { event, position } of readChain(fd, file, read.position)) {
        read.model.add(event)
        read.position = position
        if (this.now() - slice < SLICE_MS) continue
        await new Promise((resolve) => setImmediate(resolve))
        slice = this.now()
      }
      const report = read.model.report()
      const at = this.now()
      if (report !== undefined) read.made = { report, seq: read.position.seq, at, ms: at - begun }
    } finally {
      closeSync(fd)
    }
  }
}

const fresh = (id: string): Read => ({
  model: openModel({ project: projectOf(id), hide: redact }),
  position: BEGINNING,
})
