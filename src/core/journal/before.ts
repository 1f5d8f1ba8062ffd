import type { Before } from '../policy/look.ts'
import type { State } from './events.ts'

/** What a state brings into the next iteration. */
export function beforeOf(state: State): Before {
  return {
    iterations: state.iterations,
    ...state.counters,
    ...(state.previous === undefined ? {} : { previous: state.previous }),
    ...(state.baseline === undefined ? {} : { baseline: state.baseline }),
  }
}
