import { RUN_MARK } from '../../inbox/attempt.ts'
import type { ProcessOrigin } from '../../system/process-ancestry.ts'
import { MARKER } from '../../system/processes.ts'
import type { ControlRequest } from './request.ts'

/** What is known about the process that asks, and about the run. */
export interface Circumstances {
  /** This system does not tell which process asks. */
  readonly blind: boolean
  /** The asking process first, then its ancestors; undefined when it could not prove which process it is. */
  readonly lineage: readonly ProcessOrigin[] | undefined
  /** The same of the process that runs the loop. */
  readonly runner: readonly ProcessOrigin[]
  /** Processes known to belong to the agent. */
  readonly agent: ReadonlySet<number>
  /** Whoever adopts orphans here: descent from it says nothing. Undefined when that is not known. */
  readonly reaper: number | undefined
  /** Whatever is older than this cannot come from the run's agent. */
  readonly since: number
  /** The run whose agent it says to work for. */
  readonly inside?: string
  /** The person who started the run lets processes without a terminal ask, too. */
  readonly allowRemote: boolean
}

/** What would help the agent out. Whoever only wants to stop or hold the run needs to show less. */
const STRONG: readonly ControlRequest['kind'][] = ['force', 'skip', 'reset-breaker', 'guidance', 'resume']
const BLIND =
  'on this system it cannot be told which process asks; ask in the terminal of the run, or begin it with --allow-remote-control'
const ELSEWHERE = 'ask from a terminal that was open before the run began, or from the terminal of the run itself'

/**
 * Why a request is refused; undefined when it is not. The agent runs as the same user and may reach the socket, so it is
 * not the right to connect that counts but where the asking process comes from.
 */
export function whyNot(kind: ControlRequest['kind'], about: Circumstances): string | undefined {
  if (kind === 'status') return undefined
  if (about.inside !== undefined) return 'it was asked from inside a run: the agent does not decide about its own end'
  if (about.blind) return STRONG.includes(kind) && !about.allowRemote ? BLIND : undefined
  const { lineage, runner } = about
  const asker = lineage?.[0]
  const self = runner[0]
  if (lineage === undefined || asker === undefined) return 'the asking process could not prove which one it is'
  if (self !== undefined && lineage.some(({ pid }) => pid === self.pid))
    return `process ${asker.pid} was started by the run itself`
  const marked = lineage.find((kin) => carriesMore(kin, runner))
  if (marked !== undefined)
    return `process ${marked.pid === asker.pid ? '' : `${asker.pid} below process `}${marked.pid} carries the mark of an agent or a check`
  if (lineage.some(({ pid }) => about.agent.has(pid))) return `process ${asker.pid} belongs to the agent`
  if (!STRONG.includes(kind)) return undefined
  if (!asker.terminal && !about.allowRemote)
    return `process ${asker.pid} has no terminal; ask from one, or begin the run with --allow-remote-control`
  if (!comesFromOutside(lineage, about))
    return `process ${asker.pid} comes from nothing that is older than the run, so it may be a child of the agent; ${ELSEWHERE}`
  return undefined
}

/** The variables that exitgate sets for agents and commands: what carries one was started by a run. */
export const MARKS = [RUN_MARK, MARKER]

/** A loop may itself run inside an outer run; then every process around it carries the marks of that one. */
function carriesMore({ variables }: ProcessOrigin, runner: readonly ProcessOrigin[]): boolean {
  const own = new Set(runner.flatMap((kin) => Object.values(kin.variables)))
  return Object.values(variables).some((value) => value !== '' && !own.has(value))
}

/**
 * Whether one of the ancestors shows that this is no child of the agent: one that is older than the run, or that the loop
 * itself comes from. A child that left its parents is adopted by the reaper, so the reaper shows that only to those of its
 * own session, which nobody can enter from another one. Whoever has no parent came from outside of this container.
 */
function comesFromOutside(lineage: readonly ProcessOrigin[], { runner, reaper, since }: Circumstances): boolean {
  const above = new Set(runner.slice(1).map(({ pid }) => pid))
  const asker = lineage[0]
  if (reaper === undefined) return false
  for (const kin of lineage) {
    if (kin.pid === reaper || kin.pid === 1)
      return asker?.session === kin.pid && asker.group !== runner[0]?.group && kin.startedAt < since
    if (kin.startedAt < since || above.has(kin.pid) || kin.parent === 0) return true
  }
  return false
}
