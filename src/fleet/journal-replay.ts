import { count } from '../../packages/core/src/count.ts'
import type { JournalEvent, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { decideAgainWith, type Replayed } from '../core/journal/replay.ts'
import { policyFor } from '../core/presets/index.ts'
import { readLine } from '../journal/lines.ts'
import { FleetError } from './errors.ts'

/**
 * Replays a run's journal from the database step by step. Results that are in the journal are not stored a second time. It only
 * moves forward, like the run itself.
 */
export class JournalReplay {
  readonly #events: readonly JournalEvent[]
  #next = 0
  #state: State = emptyState()
  #decided: Replayed | undefined
  readonly #decideAgain = decideAgainWith(policyFor)

  constructor(lines: readonly string[]) {
    this.#events = lines.map(eventOf)
  }

  /** The state after this line. */
  stateAt(seq: number): State {
    for (let event = this.#events[this.#next]; event !== undefined && event.seq <= seq; ) {
      if (event.type === 'iteration.decided') this.#decided = this.#decideAgain(event, this.#state) ?? this.#decided
      this.#state = reduce(this.#state, event)
      this.#next += 1
      event = this.#events[this.#next]
    }
    if (this.#state.seq !== seq)
      throw new FleetError(
        `The database has ${count(this.#events.length, 'journal line')}, so line ${seq} is missing`,
        70,
      )
    return this.#state
  }

  /** The newest decision up to the last `stateAt`. */
  get lastDecision(): Replayed | undefined {
    return this.#decided
  }
}

function eventOf(text: string): JournalEvent {
  const read = readLine(Buffer.from(text))
  if (read.kind === 'event') return read.event
  throw new FleetError('A journal line in the database is damaged', 70)
}
