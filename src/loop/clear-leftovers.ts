import { count } from '../../packages/core/src/count.ts'
import type { State } from '../core/journal/events.ts'
import { sweep } from '../evidence/clean-room/room-places.ts'
import { hasOwnTag, runTagged, workspaceMark } from '../system/process-tag.ts'
import { MARKER } from '../system/processes.ts'
import { endLeftovers } from './agent/leftovers.ts'

/** Marks every process started from now on, agents and checks alike, with the workspace's mark. */
export function markProcesses(dir: string): () => void {
  if (hasOwnTag()) return () => {}
  const outer = process.env[MARKER]
  process.env[MARKER] = outer === undefined ? workspaceMark(dir) : `${outer}.${workspaceMark(dir)}`
  return () => {
    if (outer === undefined) delete process.env[MARKER]
    else process.env[MARKER] = outer
  }
}

/** The same for one of several runs in this process: only processes started by `work` get the mark. */
export const markedFor = <T>(dir: string, work: () => T): T => runTagged(workspaceMark(dir), work)

/** Ends processes and removes files of a killed run: two agents must not work in one folder. */
export async function clearLeftovers(dir: string, { running }: State): Promise<readonly string[]> {
  const agent = running?.agent
  const byAgent = agent === undefined ? 0 : await endLeftovers(agent)
  const ended = byAgent + (await endLeftovers({ pid: 0, id: workspaceMark(dir) }))
  void sweep(dir)
  return ended === 0 ? [] : [`Ended ${count(ended, 'process')} left over from the previous run.`]
}
