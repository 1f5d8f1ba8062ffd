import type { Before } from '../policy/look.ts'
import type { State } from './events.ts'

/** The parts of a state that the next iteration starts from. */
export function beforeOf(state: State): Before {
  return {
    iterations: state.iterations,
    ...state.counters,
    ...(state.previous === undefined ? {} : { previous: state.previous }),
    ...(state.baseline === undefined ? {} : { baseline: state.baseline }),
  }
}
