import type { JournalEvent, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { decideAgainWith, type Replayed } from '../core/journal/replay.ts'
import { policyFor } from '../core/presets/index.ts'
import { readLine } from '../journal/lines.ts'
import { FleetError } from './errors.ts'

/**
 * The journal of a run as the database holds it, folded step by step: what a step brought is not kept beside its lines, it is read
 * from them again. Goes forward only, as a run does.
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

  /** The state after the line with this number. */
  stateAt(seq: number): State {
    for (let event = this.#events[this.#next]; event !== undefined && event.seq <= seq; ) {
      if (event.type === 'iteration.decided') this.#decided = this.#decideAgain(event, this.#state) ?? this.#decided
      this.#state = reduce(this.#state, event)
      this.#next += 1
      event = this.#events[this.#next]
    }
    if (this.#state.seq !== seq)
      throw new FleetError(
        `the database holds ${this.#events.length} lines of the journal, and line ${seq} is asked for`,
        70,
      )
    return this.#state
  }

  /** The newest decision before where `stateAt` was last asked for. */
  get lastDecision(): Replayed | undefined {
    return this.#decided
  }
}

function eventOf(text: string): JournalEvent {
  const read = readLine(Buffer.from(text))
  if (read.kind === 'event') return read.event
  throw new FleetError('the database holds a line of the journal that is not as it was written', 70)
}
