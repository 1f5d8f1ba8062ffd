import { RUN_MARK } from '../../inbox/attempt.ts'
import type { ProcessOrigin } from '../../system/process-ancestry.ts'
import { MARKER } from '../../system/processes.ts'
import type { ControlRequest } from './request.ts'

/** What is known about the requesting process and the run. */
export interface Circumstances {
  /** The system can't tell which process sends the request. */
  readonly blind: boolean
  /** The requesting process first, then its ancestors; undefined if it could not prove its identity. */
  readonly lineage: readonly ProcessOrigin[] | undefined
  /** The same for the process that runs the loop. */
  readonly runner: readonly ProcessOrigin[]
  /** Processes known to belong to the agent. */
  readonly agent: ReadonlySet<number>
  /** The process that adopts orphans, so being its child proves nothing; undefined if unknown. */
  readonly reaper: number | undefined
  /** A process older than this can't come from the run's agent. */
  readonly since: number
  /** The run whose agent it claims to work for. */
  readonly inside?: string
  /** The user also allows requests without a code. */
  readonly allowRemote: boolean
}

/** Requests that would help the agent. Stopping or pausing the run needs less proof. Nearly all of these need a one-time code as well. */
const STRONG: readonly ControlRequest['kind'][] = ['force', 'accept', 'skip', 'reset-breaker', 'guidance', 'resume']
const BLIND =
  "this system can't tell which process sent the request; use the terminal of the run, or start the run with --allow-remote-control"
const OTHER_TERMINAL = 'use a terminal that was open before the run started, or the terminal of the run itself'

/**
 * Why a request is refused; undefined if it is allowed. The agent runs as the same user and can reach the socket, so what counts is
 * where the requesting process comes from.
 */
export function whyNot(kind: ControlRequest['kind'], about: Circumstances): string | undefined {
  if (kind === 'status') return undefined
  if (about.inside !== undefined) return 'it came from inside a run, and the agent may not control its own run'
  if (about.blind) return STRONG.includes(kind) && !about.allowRemote ? BLIND : undefined
  const { lineage, runner } = about
  const asker = lineage?.[0]
  const self = runner[0]
  if (lineage === undefined || asker === undefined) return 'the requesting process could not prove its identity'
  if (self !== undefined && lineage.some(({ pid }) => pid === self.pid))
    return `process ${asker.pid} was started by the run itself`
  const marked = lineage.find((relative) => hasForeignMark(relative, runner))
  if (marked !== undefined)
    return `process ${marked.pid === asker.pid ? '' : `${asker.pid}, a child of process `}${marked.pid}${marked.pid === asker.pid ? '' : ','} was started by an agent or a check`
  if (lineage.some(({ pid }) => about.agent.has(pid))) return `process ${asker.pid} belongs to the agent`
  if (!STRONG.includes(kind)) return undefined
  if (!comesFromOutside(lineage, about))
    return `process ${asker.pid} has no ancestor older than the run, so it may be a child of the agent; ${OTHER_TERMINAL}`
  return undefined
}

/** Variables that exitgate sets for agents and commands. A process that has one was started by a run. */
export const MARKS = [RUN_MARK, MARKER]

/** A loop may itself run inside another run; then all processes around it have the marks of that run. */
function hasForeignMark({ variables }: ProcessOrigin, runner: readonly ProcessOrigin[]): boolean {
  const own = new Set(runner.flatMap((relative) => Object.values(relative.variables)))
  return Object.values(variables).some((value) => value !== '' && !own.has(value))
}

/**
 * Whether an ancestor proves that this is not a child of the agent: an ancestor that is older than the run, or one that the loop
 * shares. The reaper adopts orphans, so it proves that only for processes in its own session, which no other process can enter. A
 * process without a parent came from outside this container.
 */
function comesFromOutside(lineage: readonly ProcessOrigin[], { runner, reaper, since }: Circumstances): boolean {
  const above = new Set(runner.slice(1).map(({ pid }) => pid))
  const asker = lineage[0]
  if (reaper === undefined) return false
  for (const relative of lineage) {
    if (relative.pid === reaper || relative.pid === 1)
      return asker?.session === relative.pid && asker.group !== runner[0]?.group && relative.startedAt < since
    if (relative.startedAt < since || above.has(relative.pid) || relative.parent === 0) return true
  }
  return false
}
