import type { Control } from '../../core/run.ts'
import { goalOf, writeGoal } from '../../hooks/goal.ts'
import { order, parseOrder } from '../ask-run.ts'
import type { Io } from '../io.ts'
import { type Done, forceRun } from '../without-run.ts'

export { ASK_OPTIONS as OPTIONS } from '../ask-run.ts'

/** `exitgate force`: a person says that the run is done. Shown as forced everywhere. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  return order(parseOrder('force', args), io, { name: 'force', kind: 'force', act: forceWithGoal })
}

/** A goal whose run was forced counts no more: else the next stop of the agent would be refused all the same. */
function forceWithGoal(place: Parameters<typeof forceRun>[0], control: Control, at: number): Done {
  const goal = goalOf(place.dir)
  const done = forceRun(place, control, at)
  if (goal !== undefined) {
    const reason = `forced by ${control.by}: ${control.reason}`
    writeGoal(place.dir, { ...goal, ended: { outcome: 'completed/forced', reason, at } })
  }
  return done
}
