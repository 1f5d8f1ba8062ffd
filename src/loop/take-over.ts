import { createHash } from 'node:crypto'
import type { State } from '../core/journal/events.ts'
import { sweepScratch } from '../evidence/red-proof/sweep.ts'
import { sweepReports } from '../evidence/runners/reports.ts'
import { hasOwnTag, runTagged } from '../system/process-tag.ts'
import { MARKER } from '../system/processes.ts'
import { endLeftovers } from './agent/leftovers.ts'

/** One run at a time has a workspace, so whatever carries its mark and is not ours belongs to a run that died. */
const workspaceMark = (dir: string): string => createHash('sha256').update(dir).digest('hex').slice(0, 16)

/** From now on everything this process starts, agents and evidence alike, carries the workspace's mark. */
export function markOurs(dir: string): () => void {
  if (hasOwnTag()) return () => {}
  const outer = process.env[MARKER]
  process.env[MARKER] = outer === undefined ? workspaceMark(dir) : `${outer}.${workspaceMark(dir)}`
  return () => {
    if (outer === undefined) delete process.env[MARKER]
    else process.env[MARKER] = outer
  }
}

/** The same for one run among several in this process: what the work starts carries the mark, and nothing beside it does. */
export const markedFor = <T>(dir: string, work: () => T): T => runTagged(workspaceMark(dir), work)

/** Ends and removes what a killed run left behind: two agents in one folder would be one too many. */
export async function takeOver(dir: string, { running }: State): Promise<readonly string[]> {
  const agent = running?.agent
  const byAgent = agent === undefined ? 0 : await endLeftovers(agent)
  const ended = byAgent + (await endLeftovers({ pid: 0, id: workspaceMark(dir) }))
  void sweepScratch().catch(() => {})
  sweepReports()
  return ended === 0 ? [] : [`${ended} processes of the run before were still alive and were ended`]
}
