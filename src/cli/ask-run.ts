import type { Control } from '../core/run.ts'
import { insideAgent } from '../hooks/inside-agent.ts'
import { askRun } from '../loop/control/ask.ts'
import { plain } from '../reports/verdict-text.ts'
import { RUN_MARK } from '../system/process-ancestry.ts'
import { MARKER } from '../system/processes.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'
import { LOOK_OPTIONS, type LookValues } from './look-options.ts'
import { parse } from './parse.ts'
import { placeOf } from './place.ts'
import { taskNamed } from './task-place.ts'
import type { Done } from './without-run.ts'
import { workspaceOf } from './workspace.ts'

export const ASK_OPTIONS = {
  ...LOOK_OPTIONS,
  run: { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
} as const

export interface AskValues extends LookValues {
  readonly run?: string
  readonly reason?: string
  readonly by?: string
}

export interface Order {
  /** The command as it was typed. */
  readonly name: string
  readonly kind: Control['kind']
  /** What to say when no reason was given; without it one must be given. */
  readonly reason?: string
  /** The same without a loop that runs; absent where that makes no sense. */
  act?(place: { dir: string; workspace: string }, control: Control, at: number): Done | Promise<Done>
}

/** What an agent may not ask for, also where no loop runs and only its host's hook stands before it. */
const OPENS: ReadonlySet<Control['kind']> = new Set(['force', 'skip', 'reset-breaker'])

/** A word of a person to the run of a workspace: through the socket of the loop when one runs, else to its journal. */
export async function order(values: AskValues, io: Io, { name, kind, reason: usual, act }: Order): Promise<number> {
  const reason = values.reason?.trim() || usual
  if (reason === undefined)
    throw new InputError(`exitgate ${name} needs --reason "..."; it is written into the journal`)
  const here = workspaceOf(io.cwd, values.dir)
  const { workspace, dir } = taskNamed({ workspace: here, dir: placeOf(here, values['state-dir'], io).dir }, values.run)
  const control: Control = { kind, by: values.by?.trim() || 'a person', reason }
  const inside = io.env[RUN_MARK] || io.env[MARKER] || (OPENS.has(kind) ? insideAgent(io.env, io.pid) : undefined)
  const answer = await askRun(dir, control, { inside })
  if (answer !== undefined && !answer.taken) throw new InputError(answer.text)
  if (inside !== undefined) throw new InputError(await refusedInside(dir, control, answer === undefined, io))
  if (answer !== undefined) {
    tell(io, values, { running: true, ...answer }, answer.text)
    return 0
  }
  if (act === undefined) {
    const { whyNobody } = await import('./without-run.ts')
    throw new InputError(`${whyNobody({ dir, workspace })}; there is nothing to ${name}`)
  }
  const done = await act({ dir, workspace }, control, io.now())
  for (const problem of done.problems) io.stderr.write(`exitgate: ${plain(problem)}\n`)
  tell(io, values, { running: false, taken: true, text: done.text, ...done.data }, done.text)
  return 0
}

export const parseOrder = (name: string, args: readonly string[]): AskValues =>
  parse<AskValues>(name, args, ASK_OPTIONS).values

/** A loop that runs has heard of it by now and written it down; without one it is done here. */
async function refusedInside(dir: string, control: Control, alone: boolean, io: Io): Promise<string> {
  if (alone) {
    const { noteRefusal } = await import('./without-run.ts')
    noteRefusal(dir, control, io.now())
  }
  return `refused: exitgate ${control.kind} is for people, and the environment says that this is an agent or a check of a run`
}

function tell(io: Io, { json }: AskValues, data: object, text: string): void {
  io.stdout.write(json ? `${JSON.stringify(data)}\n` : `${plain(text)}\n`)
}
