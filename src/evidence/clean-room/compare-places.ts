import { count } from '../../core/count.ts'
import type { EvidenceSet } from '../../core/types.ts'
import { type GatheredOnce, runsCommands } from '../gather-once.ts'

/** The checks whose commands did not pass. */
export const notPassing = (evidence: EvidenceSet): ReadonlySet<string> =>
  new Set(
    Object.values(evidence).flatMap(({ check, answer }) => (runsCommands(check) && answer !== 'yes' ? [check] : [])),
  )

/** What passes in the project itself but not in the room, as part of a sentence; undefined if nothing does. */
export function whyNotAsGood(place: GatheredOnce, room: GatheredOnce): string | undefined {
  const passedInRoom = new Set(room.tests?.tests?.flatMap(({ name, state }) => (state === 'passed' ? [name] : [])))
  const lost = (place.tests?.tests ?? []).filter(({ name, state }) => state === 'passed' && !passedInRoom.has(name))
  if (lost.length > 0) {
    const [first] = lost
    const verb = lost.length === 1 ? 'passes' : 'pass'
    return `${count(lost.length, 'test')} ${verb} in the project but not in a copy without ignored files, such as "${first?.name}"`
  }
  if ((place.tests?.passed ?? 0) > (room.tests?.passed ?? 0))
    return 'more tests pass in the project than in a copy without ignored files'
  const checks = Object.values(place.evidence).filter(
    ({ check, answer }) => runsCommands(check) && answer === 'yes' && room.evidence[check]?.answer !== 'yes',
  )
  return checks[0] && `"${checks[0].check}" passes in the project but not in a copy without ignored files`
}
