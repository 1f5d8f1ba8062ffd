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
import { redact } from '../system/redact.ts'
import type { Reports } from './reports.ts'
import type { Runs } from './runs.ts'

/** The whole diff of a run as it was found last. */
interface Found {
  readonly run: string
  readonly seq: number
  readonly at: number
  readonly ms: number
  readonly answer: Promise<DiffAnswer>
}

/** While the agent works, its files are compared again after a while: never more than a tenth of the time goes there. */
const SHARE = 10
const SHORTEST_REST_MS = 1000

/** The diffs of runs, made when a page asks for one. */
export class Diffs {
  readonly #found = new Map<string, Found>()

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
    const known = this.#found.get(id)
    const rest = Math.max(SHORTEST_REST_MS, (known?.ms ?? 0) * SHARE)
    if (known?.run === run && known.seq === seq && this.now() - known.at < rest) return known.answer
    const begun = this.now()
    const answer = ofRun(dir, record, this.runs.row(id)?.earlier !== undefined)
    this.#found.set(id, { run, seq, at: begun, ms: 0, answer })
    await answer
    if (this.#found.get(id)?.answer === answer)
      this.#found.set(id, { run, seq, at: this.now(), ms: this.now() - begun, answer })
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
