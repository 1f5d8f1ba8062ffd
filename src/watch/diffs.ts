import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
    const answer = ofRun(dir, record)
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

async function ofRun(dir: string, record: WorkRecord): Promise<DiffAnswer> {
  const baseline = baselineOfRun(dir, record)
  if (typeof baseline === 'string') return { why: safe.line(baseline) }
  const { workspace } = baseline
  if (!existsSync(workspace)) return { why: safe.line(`The folder ${workspace} no longer exists.`) }
  try {
    const total = await totalDiff(workspace, baseline, record)
    if (total === undefined) return { why: 'The changes are not known.' }
    return { diff: shownDiff(total.shown, room(), safe, seeWith(total.command)) }
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
