import type { LoopEvent } from '../../core/loop-event.ts'
import type { Doing, RunningCommand, View } from '../live/view.ts'
import type { SafeText } from '../page/safe-text.ts'

/** What a running run does now. All text in it is fit to be shown. */
export interface LiveRun {
  /** The run that the events belong to. */
  readonly run: string
  readonly doing: Exclude<Doing, { kind: 'ended' }> | { readonly kind: 'ended'; readonly since: number }
  readonly iteration: number
  readonly attempt: number
  readonly phase: string | null
  readonly phases: readonly string[]
  readonly task: string | null
  /** Time of the agent's last output. */
  readonly heardAt: number | null
  /** A pause that was requested may still have to wait for the end of the iteration. */
  readonly pause: 'no' | 'pausing' | 'paused'
  /** The message of a requested stop. */
  readonly stopping: string | null
  /** What the current start of the agent has used so far. */
  readonly used: { readonly tokens?: number; readonly usd?: number }
  readonly plan: Pick<Of<'plan'>, 'path' | 'items'> | null
  readonly commands: readonly LiveCommand[]
}

export type LiveCommand = Pick<RunningCommand, 'id' | 'check' | 'command' | 'run' | 'why' | 'counts' | 'at'>

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>

/** A piece of the live output. A piece with the id of an earlier one continues it. */
export interface LogPart {
  readonly id: number
  readonly kind: 'iteration' | 'agent' | 'tool' | 'command' | 'printed' | 'result' | 'decided' | 'note' | 'warning'
  readonly text: string
  readonly tone?: 'yes' | 'no'
}

/** One message of the stream about a run that is followed. */
export interface LiveNews {
  readonly journal: string
  /** Time of the server, whose clock may differ from the browser's. */
  readonly now: number
  /** This replaces everything the page has of the live run. */
  readonly whole: boolean
  /** False once the connection to the run has ended. */
  readonly connected: boolean
  /** Why the run can't be followed or, while it is, why it takes no requests from there that only the user may make. */
  readonly refused?: string
  /** The parts that changed. */
  readonly live: Partial<LiveRun>
  readonly log: readonly LogPart[]
}

const MOST_PLAN = 1000

export function liveOf(view: View, { line }: SafeText): LiveRun {
  const { doing, plan, started } = view
  return {
    run: line(started?.run ?? '', 200),
    doing:
      doing.kind === 'ended'
        ? { kind: 'ended', since: doing.since }
        : doing.kind === 'waiting'
          ? { ...doing, why: line(doing.why, 500) }
          : doing,
    iteration: view.iteration,
    attempt: view.attempt,
    phase: view.phase === undefined ? null : line(view.phase, 100),
    phases: (started?.phases ?? []).map((phase) => line(phase, 100)),
    task: view.task === undefined ? null : line(view.task, 300),
    heardAt: view.heardAt ?? null,
    pause: pauseOf(view),
    stopping: view.stopping === undefined ? null : line(view.stopping.message, 300),
    used: view.used,
    plan:
      plan === undefined
        ? null
        : {
            path: line(plan.path, 300),
            items: plan.items.slice(0, MOST_PLAN).map(({ title, state }) => ({ title: line(title, 300), state })),
          },
    commands: view.commands.map(({ id, check, command, run, why, counts, at }) => ({
      id,
      check,
      command: line(command, 300),
      ...(run === undefined ? {} : { run }),
      ...(why === undefined ? {} : { why }),
      ...(counts === undefined ? {} : { counts }),
      at,
    })),
  }
}

/** A paused run waits without an end, or has not started to wait yet. */
function pauseOf({ paused, doing }: View): LiveRun['pause'] {
  if (!paused || doing.kind === 'ended') return 'no'
  return (doing.kind === 'waiting' && doing.until === undefined) || doing.kind === 'deciding' ? 'paused' : 'pausing'
}
