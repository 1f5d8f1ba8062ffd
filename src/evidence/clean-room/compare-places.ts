import { count } from '../../../packages/core/src/count.ts'
import type { EvidenceSet } from '../../core/types.ts'
import { type GatheredOnce, type GatherOptions, runsCommands } from '../gather-once.ts'
import { quarantineAt } from '../quarantine.ts'

/** The checks whose commands did not pass. */
export const notPassing = (evidence: EvidenceSet): ReadonlySet<string> =>
  new Set(
    Object.values(evidence).flatMap(({ check, answer }) => (runsCommands(check) && answer !== 'yes' ? [check] : [])),
  )

/** What passes in the project itself but not in the room, or is only missing there, as part of a sentence; undefined if nothing is. */
export function whyNotAsGood(place: GatheredOnce, room: GatheredOnce, options: GatherOptions): string | undefined {
  const quarantine = quarantineAt(options.config.evidence.quarantine ?? [], options.at)
  const passed = (place.tests?.tests ?? []).filter(({ state }) => state === 'passed')
  // A test that changes its result by itself says nothing about the room.
  const steady = passed.filter((test) => quarantine.active(test) === undefined)
  const passedInRoom = new Set(room.tests?.tests?.flatMap(({ name, state }) => (state === 'passed' ? [name] : [])))
  const lost = steady.filter(({ name }) => !passedInRoom.has(name))
  if (lost.length > 0) {
    const [first] = lost
    const verb = lost.length === 1 ? 'passes' : 'pass'
    return `${count(lost.length, 'test')} ${verb} in the project but not in a copy without ignored files, such as "${first?.name}"`
  }
  const ignored = passed.length - steady.length
  if ((place.tests?.passed ?? 0) - ignored > (room.tests?.passed ?? 0))
    return 'more tests pass in the project than in a copy without ignored files'
  const checks = Object.values(place.evidence).filter(
    ({ check, answer }) => runsCommands(check) && answer === 'yes' && room.evidence[check]?.answer !== 'yes',
  )
  if (checks[0] !== undefined)
    return `"${checks[0].check}" passes in the project but not in a copy without ignored files`
  // Tests that fail in both places for different reasons could not pass in the room after any work.
  const [lacks] = [...room.lacks].flatMap(([shape, line]) => (place.lacks.has(shape) ? [] : [line]))
  return lacks && `commands fail for another reason in a copy without ignored files, "${lacks}"`
}
