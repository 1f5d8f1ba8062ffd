import { closeSync, constants } from 'node:fs'
import { join } from 'node:path'
import { noteWork, type WorkRecord } from '../evidence/run-changes.ts'
import { BEGINNING, type Position, readChain } from '../journal/chain.ts'
import { JOURNAL } from '../journal/load.ts'
import { columnsOf } from '../reports/page/columns.ts'
import { type Model, openModel } from '../reports/page/model.ts'
import type { PageData } from '../reports/page/pack.ts'
import type { Iteration, Report } from '../reports/page/types.ts'
import type { RunNews, RunRow, SeenRun } from '../reports/runs/row.ts'
import { openPlain } from '../system/files.ts'
import { redact } from '../system/redact.ts'
import { endsAsBefore } from './follow.ts'
import type { Runs } from './runs.ts'

type HeadKey = keyof PageData['head']

/** What a journal came to when it was read last. */
export interface Made {
  readonly report: Report
  readonly seq: number
  readonly at: number
  /** How long the reading took. */
  readonly ms: number
  readonly record: WorkRecord
  /** Every part of the head as JSON, with the event since which it is so. */
  readonly head: ReadonlyMap<HeadKey, { readonly json: string; readonly since: number }>
  /** News that were put together already: most pages have seen the same. */
  readonly news: Map<string, Buffer>
}

/** One journal as far as it was read. */
interface Read {
  model: Model
  position: Position
  /** How many runs have started. */
  runs: number
  /** What it says about the files of the run. */
  record: WorkRecord
  made?: Made
  busy?: Promise<void>
}

/** Journals that are kept: of the runs that people look at. */
const MOST = 4
/** Long runs are shown again less often: never more than a tenth of the time goes there. */
const SHARE = 10
/** The first reading of a long journal takes long, and what is appended later does not. */
const LONGEST_REST_MS = 3000
/** So long nothing else gets an answer. */
const SLICE_MS = 20
/** Pages that were away for different times have seen different things; more of them are put together again. */
const MOST_NEWS = 8

/** The reports of runs. A journal is read in slices when a page opens its run, and after that only what is new. */
export class Reports {
  readonly #read = new Map<string, Read>()

  constructor(
    readonly runs: Runs,
    readonly now: () => number,
  ) {}

  /** One iteration with all there is about it. */
  async iteration(id: string, run: string, n: number): Promise<Iteration | undefined> {
    const made = await this.made(id)
    if (made === undefined || made.report.run !== run) return undefined
    return made.report.iterations.find((each) => each.n === n)
  }

  /** The report as it is now; of a long run sometimes as it was a moment ago. */
  async made(id: string): Promise<Made | undefined> {
    const row = this.runs.row(id)
    const dir = this.runs.dirOf(id)
    if (row === undefined || dir === undefined || row.status === 'unreadable') return undefined
    const read = this.#of(id)
    const { made } = read
    const known = made !== undefined && made.report.run === row.run
    const rest = made === undefined ? 0 : Math.min(made.ms * SHARE, LONGEST_REST_MS)
    if (known && (made.seq === row.seq || this.now() - made.at < rest)) return made
    read.busy ??= this.#readOn(read, row, dir).finally(() => {
      delete read.busy
    })
    await read.busy
    return read.made
  }

  #of(id: string): Read {
    const read = this.#read.get(id) ?? fresh(this.runs.row(id))
    this.#read.delete(id)
    this.#read.set(id, read)
    for (const oldest of this.#read.keys()) if (this.#read.size > MOST) this.#read.delete(oldest)
    return read
  }

  async #readOn(read: Read, row: RunRow, dir: string): Promise<void> {
    const file = join(dir, JOURNAL)
    const fd = openPlain(file, constants.O_RDONLY)
    const begun = this.now()
    try {
      if (!endsAsBefore(fd, read.position)) Object.assign(read, fresh(row), { made: undefined })
      let slice = begun
      for (const { event, position } of readChain(fd, file, read.position)) {
        if (event.type === 'run.started') {
          if (read.runs === row.earlier) break
          read.runs += 1
        }
        read.model.add(event)
        noteWork(event, read.record)
        read.position = position
        if (this.now() - slice < SLICE_MS) continue
        await new Promise((resolve) => setImmediate(resolve))
        slice = this.now()
      }
      const report = reportFor(row, read.model)
      const at = this.now()
      const { seq } = read.position
      const { record } = read
      if (report !== undefined)
        read.made = { report, record, seq, at, ms: at - begun, head: headOf(report, seq, read.made), news: new Map() }
    } finally {
      closeSync(fd)
    }
  }
}

/** Nothing continues an earlier run, so no next steps. */
function reportFor({ earlier }: RunRow, model: Model): Report | undefined {
  const report = model.report()
  return report && earlier !== undefined ? { ...report, next: [] } : report
}

const fresh = (row: RunRow | undefined): Read => ({
  model: openModel({ project: row?.project ?? '', hide: redact }),
  position: BEGINNING,
  runs: 0,
  record: { ended: false, checkpoints: [] },
})

function headOf(report: Report, seq: number, before: Made | undefined): Made['head'] {
  const { iterations: _iterations, ...head } = report
  const known = before?.report.run === report.run ? before.head : undefined
  return new Map(
    Object.entries(head).map(([key, value]) => {
      const name = key as HeadKey
      const json = JSON.stringify(value)
      const same = known?.get(name)
      return [name, same?.json === json ? same : { json, since: seq }]
    }),
  )
}

/** What a page has to hear that has seen so much of a run, as an event of the stream. */
export function newsOf(journal: string, made: Made, seen: SeenRun | undefined): Buffer {
  const { report, seq, head, news } = made
  const count = report.iterations.length
  const known = seen !== undefined && seen.run === report.run && seen.iterations <= count && seen.seq <= seq
  const from = known ? seen.iterations : 0
  const key = known ? `${seen.iterations} ${seen.seq}` : ''
  const ready = news.get(key)
  if (ready !== undefined) return ready
  const changed = [...head].filter(([, { since }]) => !known || since > seen.seq)
  const rest: Omit<RunNews, 'head'> = {
    journal,
    run: report.run,
    seq,
    iterations: count,
    whole: !known,
    gone: OPTIONAL.filter((name) => known && !head.has(name)),
    columns: columnsOf({ iterations: report.iterations.slice(from) }),
    ...(from < count && { newest: report.iterations[count - 1] }),
  }
  const parts = changed.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`)
  const data = `${JSON.stringify(rest).slice(0, -1)},"head":{${parts.join()}}}`
  const bytes = Buffer.from(`event: report\ndata: ${data}\n\n`)
  if (news.size < MOST_NEWS) news.set(key, bytes)
  return bytes
}

/** Parts of the head that may disappear while a run continues. */
const OPTIONAL: readonly HeadKey[] = ['project', 'task', 'end', 'running', 'phase', 'label']
