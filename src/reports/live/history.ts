import type { JournalEvent, State } from '../../core/journal/events.ts'
import { opened, withLast } from './iterations.ts'
import { emptyView, type View } from './view.ts'

/** The view of a run that this process has not seen from its start: its past iterations, from the journal. */
export function viewOfJournal(state: State, events: Iterable<JournalEvent>): View {
  let view: View = { ...emptyView(), state, iteration: state.iterations }
  for (const event of events) {
    if (event.type === 'run.started') view = { ...view, iterations: [] }
    if (event.type !== 'iteration.decided') continue
    const { iteration, observation, verdict, at } = event
    const iterations = opened(view.iterations, iteration, observation.task)
    const decided = { verdict: { ...verdict, trace: [] }, observation, at }
    view = { ...view, iterations: withLast({ iterations }, () => ({ decided })) }
  }
  return view
}
