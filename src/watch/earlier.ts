import { closeSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { State } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import { BEGINNING, type Position, readChain } from '../journal/chain.ts'
import { JOURNAL } from '../journal/load.ts'
import { type RunRow, rowOf } from '../reports/runs/row.ts'
import { openPlain } from '../system/files.ts'
import { redact } from '../system/redact.ts'
import { endsAsBefore } from './follow.ts'

/** A journal up to the start of its newest run: the next reading continues there. */
interface Read {
  readonly state: State
  readonly position: Position
  /** How many runs have started. */
  readonly runs: number
  readonly rows: readonly RunRow[]
}

const NOTHING: Omit<Read, 'state'> = { position: BEGINNING, runs: 0, rows: [] }
/** Of one journal; older runs are still in the journal. */
const MOST_ROWS = 500
/** Journals whose reading can be continued; others are read from the start again. */
const MOST_JOURNALS = 16
/** So long nothing else gets an answer. */
const SLICE_MS = 20

/** The runs of each journal before its newest one. Their names are the journal's name, a slash, and their number. */
export class EarlierRuns {
  readonly #read = new Map<string, Read>()

  /** Reads in slices, because a journal may be long. */
  async of(dir: string, id: string): Promise<readonly RunRow[]> {
    const file = join(dir, JOURNAL)
    const fd = openPlain(file, constants.O_RDONLY)
    try {
      const known = this.#read.get(id)
      const from = known !== undefined && endsAsBefore(fd, known.position) ? known : undefined
      const fold = new Fold(from?.state)
      const rows = [...(from?.rows ?? [])]
      let { position, runs } = from ?? NOTHING
      let boundary = from
      let slice = performance.now()
      for (const link of readChain(fd, file, position)) {
        if (link.event.type === 'run.started') {
          if (runs > 0) rows.push(rowAt(fold.past, id, runs, position.at))
          if (rows.length > MOST_ROWS) rows.shift()
          runs += 1
        }
        fold.add(link.event)
        position = link.position
        if (link.event.type === 'run.started') boundary = { state: fold.state, position, runs, rows: [...rows] }
        if (performance.now() - slice < SLICE_MS) continue
        await new Promise((resolve) => setImmediate(resolve))
        slice = performance.now()
      }
      this.#keep(id, boundary)
      return rows
    } finally {
      closeSync(fd)
    }
  }

  #keep(id: string, read: Read | undefined): void {
    this.#read.delete(id)
    if (read !== undefined) this.#read.set(id, read)
    for (const oldest of this.#read.keys()) if (this.#read.size > MOST_JOURNALS) this.#read.delete(oldest)
  }
}

/** Nothing can be done in an earlier run any more, so it has no findings to accept. */
function rowAt(state: State, journal: string, n: number, seenAt: number): RunRow {
  const around = { id: journal, seenAt, alive: false, answers: false, held: false, hide: redact }
  return { ...rowOf(state, around), id: `${journal}/${n}`, findings: [], earlier: n }
}
