import { terminateTree } from '../../system/kill-tree.ts'
import {
  isAlive,
  membersOf,
  type Process,
  pidExists,
  type StartedCommand,
  scanProcesses,
  thisBoot,
} from '../../system/processes.ts'
import type { AgentMark } from './call.ts'

const GRACE_MS = 2_000

/** What the journal records about a started agent. */
export function markOf({ pid, id, since }: StartedCommand): AgentMark {
  const start = since === undefined ? startElsewhere(pid, id) : `${thisBoot()}:${since}`
  return { pid, id, ...(start !== undefined && { since: start }) }
}

/** Without /proc, the list of all processes has the start times. */
function startElsewhere(pid: number, id: string): string | undefined {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined
  return membersOf({ pid, id }).find((each) => each.pid === pid)?.started
}

/**
 * Ends the processes of an agent whose run died, and returns their number. Its pid may belong to another process by now. So its group
 * counts only if the leader is the same process, or a member has the id in its environment. With pid 0, every process with the id and
 * its children are ended.
 */
export async function endLeftovers(mark: AgentMark): Promise<number> {
  const since = sinceBoot(mark)
  if (since === 'another boot') return 0
  const { all, marked } = scanProcesses(mark.id)
  const isSame = since !== undefined && all.some(({ pid, started }) => pid === mark.pid && started === since)
  const known = isSame || all.some(({ pid, group }) => group === mark.pid && marked.has(pid))
  const left: StartedCommand = { pid: known ? mark.pid : 0, id: mark.id, ...(since !== undefined && { since }) }
  const members = membersOf(left, () => ({ all, marked }))
  if (members.length > 0) await terminateTree(left, GRACE_MS, members)
  return members.length
}

/** Whether an agent that the journal records still runs. A later process may have its pid. */
export function agentRuns(mark: AgentMark): boolean {
  const since = sinceBoot(mark)
  if (since === undefined) return pidExists(mark.pid)
  return isAlive({ pid: mark.pid, parent: 0, group: 0, started: since })
}

/** The processes of an agent that the journal records. */
export function agentMembers(mark: AgentMark): readonly Process[] {
  const since = sinceBoot(mark)
  if (since === 'another boot') return []
  return membersOf({ pid: mark.pid, id: mark.id, ...(since !== undefined && { since }) })
}

function sinceBoot({ since }: AgentMark): string | undefined {
  if (process.platform !== 'linux' || since === undefined) return since
  const [boot, ticks] = [since.slice(0, since.lastIndexOf(':')), since.slice(since.lastIndexOf(':') + 1)]
  return boot === thisBoot() ? ticks : 'another boot'
}
