import type { JournalEvent, State } from './events.ts'
import { emptyState, HOUR, MAX_STARTS, reduce } from './reduce.ts'

/**
 * Reduces a long journal. The list of starts grows in place, because copying it for every iteration would dominate the time. Events
 * are in order of time.
 */
export class Fold {
  #past: State
  readonly #starts: number[]
  /** Index in `#starts` where the last hour begins. */
  #from = 0

  constructor(state: State = emptyState()) {
    this.#past = withoutStarts(state)
    this.#starts = [...(state.starts ?? [])]
  }

  add(event: JournalEvent): void {
    const state = reduce(this.#past, event)
    this.#past = state.starts === undefined ? state : withoutStarts(state)
    if (event.type === 'iteration.started') this.#note(event.at)
  }

  /** The state without `starts`, which no decision or report uses. */
  get past(): State {
    return this.#past
  }

  get state(): State {
    const starts = this.#starts.slice(this.#from)
    return starts.length === 0 ? this.#past : { ...this.#past, starts }
  }

  #note(at: number): void {
    const starts = this.#starts
    while (at - (starts[this.#from] ?? at) >= HOUR) this.#from++
    starts.push(at)
    if (starts.length - this.#from > MAX_STARTS) this.#from++
    if (this.#from <= MAX_STARTS) return
    starts.splice(0, this.#from)
    this.#from = 0
  }
}

function withoutStarts(state: State): State {
  const { starts: _starts, ...rest } = state
  return rest
}
