import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openBaseline } from '../evidence/baseline/open.ts'
import {
  baselineOfRun,
  diffFile,
  iterationDiff,
  iterationsWithDiff,
  totalDiff,
  type WorkRecord,
} from '../evidence/run-changes.ts'
import { safeTextWith } from '../reports/page/safe-text.ts'
import { MOST_DIFF_CHARACTERS, seeWith, shownDiff } from '../reports/page/shown-diff.ts'
import type { DiffAnswer } from '../reports/page/types.ts'
import type { DiffNews } from '../reports/runs/row.ts'
import { redact } from '../system/redact.ts'
import type { Made, Reports } from './reports.ts'
import type { Runs } from './runs.ts'

/** The whole diff of a run as it was found last. */
interface Found {
  readonly run: string
  readonly seq: number
  readonly at: number
  /** How long it took; absent while the files are still being compared. */
  readonly ms?: number
  /** Set once it is known. */
  readonly news?: DiffNews
  readonly answer: Promise<DiffAnswer>
}

/** While the agent works, its files are compared again after a while: never more than a tenth of the time goes there. */
const SHARE = 10
const SHORTEST_REST_MS = 1000

/** The diffs of runs, made when a page asks for one. After that, pages hear when it differs, until none shows the run. */
export class Diffs {
  readonly #found = new Map<string, Found>()
  readonly #wanted = new Set<string>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  /** Gets the mark of a diff that is wanted, each time the files were compared. */
  tell: (news: DiffNews) => void = () => {}

  constructor(
    readonly runs: Runs,
    readonly reports: Reports,
    readonly now: () => number,
  ) {}

  /** What a run changed, or one iteration of it. */
  async answer(id: string, run: string, n: number | undefined): Promise<DiffAnswer | undefined> {
    const dir = this.runs.dirOf(id)
    const made = await this.reports.made(id)
    if (dir === undefined || made === undefined || made.report.run !== run) return undefined
    const { record, seq } = made
    if (n !== undefined) return ofIteration(dir, record.run ?? '', n)
    this.#wanted.add(id)
    const known = this.#found.get(id)
    if (known?.run !== run || this.#restOf(known) === 0) return this.#compare(id, dir, made)
    if (known.seq !== seq) this.lookSoon(id)
    return known.answer
  }

  /** A page shows the diff of this run and wants to hear when it differs. */
  want(id: string): void {
    this.#wanted.add(id)
    this.lookSoon(id)
  }

  /** No page shows the run any more. */
  leave(id: string): void {
    this.#wanted.delete(id)
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  /** What the pages heard last about the run. */
  newest(id: string): DiffNews | undefined {
    return this.#wanted.has(id) ? this.#found.get(id)?.news : undefined
  }

  /** Something happened in the run: its files are compared again, if a page shows them. */
  lookSoon(id: string): void {
    if (!this.#wanted.has(id) || this.#timers.has(id)) return
    const look = async (): Promise<void> => {
      await this.#found.get(id)?.answer
      const dir = this.runs.dirOf(id)
      const made = await this.reports.made(id)
      const known = this.#found.get(id)
      if (dir !== undefined && made !== undefined && (known?.run !== made.report.run || known.seq !== made.seq))
        await this.#compare(id, dir, made)
      this.#timers.delete(id)
      const row = this.runs.row(id)
      if (made !== undefined && row?.run === made.report.run && row.seq > made.seq) this.lookSoon(id)
    }
    const known = this.#found.get(id)
    const timer = setTimeout(() => void look().catch(() => this.#timers.delete(id)), known ? this.#restOf(known) : 0)
    timer.unref()
    this.#timers.set(id, timer)
  }

  /** How long to wait until the files are compared again. */
  #restOf({ at, ms }: Found): number {
    const rest = Math.max(SHORTEST_REST_MS, (ms ?? 0) * SHARE)
    return ms === undefined ? rest : Math.max(0, at + rest - this.now())
  }

  async #compare(id: string, dir: string, { report: { run }, record, seq }: Made): Promise<DiffAnswer> {
    const begun = this.now()
    const before = this.#found.get(id)?.news
    const answer = ofRun(dir, record, this.runs.row(id)?.earlier !== undefined).then((found) => ({
      mark: createHash('sha256').update(JSON.stringify(found)).digest('hex').slice(0, 16),
      ...found,
    }))
    this.#found.set(id, { run, seq, at: begun, ...(before && { news: before }), answer })
    const { mark } = await answer
    const news = { journal: id, run, mark }
    if (this.#found.get(id)?.answer === answer) {
      this.#found.set(id, { run, seq, at: this.now(), ms: this.now() - begun, news, answer })
      this.tell(news)
    }
    // Diffs are large, and only one run is shown at a time.
    for (const other of this.#found.keys()) if (other !== id) this.#found.delete(other)
    return answer
  }
}

const safe = safeTextWith(redact)
const room = (): { left: number } => ({ left: MOST_DIFF_CHARACTERS })

const LATER = 'These are the files as they are now, so changes by later runs are included.'

async function ofRun(dir: string, record: WorkRecord, isEarlier: boolean): Promise<DiffAnswer> {
  const stored = baselineOfRun(dir, record)
  const baseline = typeof stored === 'string' ? undefined : stored
  const why = typeof stored === 'string' ? stored : 'The changes are not known.'
  try {
    // The commits of an earlier run are in the same folder, also after a later run replaced its baseline.
    const folder = (baseline ?? (isEarlier ? openBaseline(dir) : undefined))?.workspace
    if (folder === undefined) return { why: safe.line(why) }
    if (!existsSync(folder)) return { why: safe.line(`The folder ${folder} no longer exists.`) }
    const total = await totalDiff(folder, baseline, record)
    if (total === undefined) return { why: safe.line(why) }
    const note = isEarlier && baseline !== undefined ? { note: LATER } : {}
    return { diff: shownDiff(total.shown, room(), safe, seeWith(total.command)), ...note }
  } catch (error) {
    return { why: safe.line(`The files could not be compared: ${(error as Error).message}`) }
  }
}

function ofIteration(dir: string, run: string, n: number): DiffAnswer {
  const files = iterationDiff(dir, run, n)
  if (files !== undefined)
    return { diff: shownDiff(files, room(), safe, `All of it is in ${safe.line(join(dir, diffFile(run, n)), 400)}.`) }
  return iterationsWithDiff(dir, run) === undefined
    ? { why: 'The diff of this iteration was not kept.' }
    : { why: 'This iteration changed no files.' }
}
