import type { Label } from '../core/journal/events.ts'
import type { Effect, RunBacktest, Stop } from './types.ts'

/** The same with the label of the run. */
export function withEffect(run: RunBacktest, label: Label | undefined): RunBacktest {
  const { label: _before, ...rest } = run
  return { ...rest, ...(label === undefined ? {} : { label }), effect: effectOf(run, label) }
}

type Ends = Pick<RunBacktest, 'recorded' | 'alternative' | 'known' | 'effect'>

function effectOf(run: Ends, label: Label | undefined): Effect {
  const { recorded, alternative, known } = run
  if (run.effect === 'cannot-tell') return 'cannot-tell'
  if (sameStop(recorded, alternative)) return 'same'
  if (!known) return notAccepted(recorded, label)
  if (alternative === undefined) return 'same'
  const earlier = recorded === undefined || alternative.iteration < recorded.iteration
  if (completes(alternative)) return earlier || !completes(recorded) ? 'sooner' : 'changed'
  if (label === 'bad' && completes(recorded)) return 'avoided'
  if (label === 'good' && (earlier || completes(recorded))) return 'broken'
  return earlier && !completes(recorded) ? 'cut-short' : 'changed'
}

/** The alternative continues past the recorded end, but it is known that it did not accept the completion there. */
function notAccepted(recorded: Stop | undefined, label: Label | undefined): Effect {
  if (label === undefined || !completes(recorded)) return 'goes-on'
  return label === 'bad' ? 'avoided' : 'delayed'
}

const completes = (stop: Stop | undefined): boolean => stop?.outcome === 'completed'

/** Two ends are the same if kind and iteration match, whatever the reason says. */
export function sameStop(one: Stop | undefined, other: Stop | undefined): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.iteration === other.iteration &&
    one.outcome === other.outcome &&
    one.ending === other.ending
  )
}
