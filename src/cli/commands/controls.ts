import { recordedCode } from '../../config/recorded-code.ts'
import type { Control } from '../../core/run.ts'
import { goalOf, writeGoal } from '../../hooks/goal.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { RUN_MARK } from '../../inbox/attempt.ts'
import { readJournal } from '../../journal/read.ts'
import { askRun } from '../../loop/control/ask.ts'
import { needsCode } from '../../loop/control/codes.ts'
import { plain } from '../../reports/verdict-text.ts'
import { MARKER } from '../../system/processes.ts'
import type { CommandWithHelp, Page, Row } from '../command.ts'
import { InputError } from '../errors.ts'
import { DEFAULT_BY, type Io, printResult, warn } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { CODE_OPTION, CODE_ROW, confirmPerson, typeCode } from '../person.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { BY_ROW, LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { taskNamed } from '../task-place.ts'
import { type Done, forceRun, noteRefusal, refuseUseless, skipOne, whyNoAnswer } from '../without-run.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  run: { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
  ...CODE_OPTION,
} as const
type Values = ValuesOf<typeof OPTIONS> & { readonly now?: boolean }

export const rowsFor = (reason: string): readonly Row[] => [
  ['--reason TEXT', `why; written to the journal (${reason})`],
  BY_ROW,
  CODE_ROW,
  ['--run TASK', 'the run of this task of --tasks (default: the run of the project)'],
  ...LOOK_ROWS,
]

const WORKS_ANYWHERE = 'It needs no terminal, so it works in scripts too.'
/** One rule for everything that could help the agent. */
export const NEEDS_TERMINAL = 'During a run it needs a terminal, or --allow-remote-control when the run starts.'

export interface ControlCommand {
  /** The command as you type it. */
  readonly name: string
  readonly kind: Control['kind']
  /** The default reason. Without one, you must give a reason. */
  readonly reason?: string
  /** What to try if no run is running. */
  readonly otherwise?: string
  /** Does the same if no run is running. Absent if that makes no sense. */
  act?(place: { dir: string; workspace: string }, control: Control, at: number): Done | Promise<Done>
}

const controlCommand = (command: ControlCommand, page: Omit<Page, 'rows'>): CommandWithHelp => ({
  OPTIONS,
  HELP: { ...page, rows: rowsFor(command.reason === undefined ? 'required' : `default: "${command.reason}"`) },
  run: async (args, io) => send(parse(command.name, args, OPTIONS).values, io, command),
})

export const force = controlCommand(
  { name: 'force', kind: 'force', act: forceWithGoal },
  {
    usage: ['force --reason TEXT [options]'],
    about: 'End the run as completed without proof; it is shown as forced everywhere.',
    more: `Works for a running run and for one that stopped without completing. Agents are refused, and the attempt is recorded. ${NEEDS_TERMINAL}`,
    examples: ['exitgate force --reason "fails elsewhere too"', 'exitgate force --reason "reviewed by hand" --by Ada'],
  },
)

export const skip = controlCommand(
  { name: 'skip', kind: 'skip', act: skipOne },
  {
    usage: ['skip --reason TEXT [options]'],
    about: 'Skip the current task, or the current phase if the preset has phases.',
    more: NEEDS_TERMINAL,
    examples: ['exitgate skip --reason "needs a decision first"', 'exitgate skip --run login --reason "blocked"'],
  },
)

const STOP: ControlCommand = { name: 'stop', kind: 'interrupt', reason: 'stopped from another terminal' }
const STOP_OPTIONS = { ...OPTIONS, now: { type: 'boolean' } } as const

export const stop: CommandWithHelp = {
  OPTIONS: STOP_OPTIONS,
  run: async (args, io) => send(parse('stop', args, STOP_OPTIONS).values, io, STOP),
  HELP: {
    usage: ['stop [options]'],
    about: 'Stop the run after the current iteration, like Ctrl+C in its terminal.',
    rows: [['--now', 'end the agent at once, for example one that hangs'], ...rowsFor(`default: "${STOP.reason}"`)],
    more: `Continue it later with exitgate run --resume. ${WORKS_ANYWHERE}`,
    examples: ['exitgate stop', 'exitgate stop --now', 'exitgate stop --reason "done for today"'],
  },
}

export const resume = controlCommand(
  {
    name: 'resume',
    kind: 'resume',
    reason: 'resumed from another terminal',
    otherwise: 'To continue a stopped run, use exitgate run --resume.',
  },
  {
    usage: ['resume [options]'],
    about: 'Continue a run that you paused.',
    more: `Continue a stopped run with exitgate run --resume. ${NEEDS_TERMINAL}`,
    examples: ['exitgate resume', 'exitgate resume --run login'],
  },
)

export const pause = controlCommand(
  { name: 'pause', kind: 'pause', reason: 'paused from another terminal' },
  {
    usage: ['pause [options]'],
    about: 'Pause the run after the current iteration.',
    more: `Continue it with exitgate resume. ${WORKS_ANYWHERE}`,
    examples: ['exitgate pause', 'exitgate pause --reason "lunch"', 'exitgate resume'],
  },
)

/** Ends the goal with its run: otherwise the hook would still refuse the agent's next stop. */
function forceWithGoal(place: Parameters<typeof forceRun>[0], control: Control, at: number): Done {
  const goal = goalOf(place.dir)
  const done = forceRun(place, control, at)
  if (goal !== undefined) {
    const reason = `forced by ${control.by}: ${control.reason}`
    writeGoal(place.dir, { ...goal, ended: { outcome: 'completed/forced', reason, at } })
  }
  return done
}

/** Sends a control to the run of a workspace: through the loop's socket if it is running, else into its journal. */
export async function send(values: Values, io: Io, command: ControlCommand, ids?: readonly string[]): Promise<number> {
  const { name, kind, otherwise = 'There is nothing to do.', act } = command
  const reason = values.reason?.trim() || command.reason
  if (reason === undefined) throw new InputError(`Add --reason "..." to exitgate ${name}: the journal records why.`)
  const here = workspaceOf(io.cwd, values.dir)
  const { workspace, dir } = taskNamed({ workspace: here, dir: placeOf(here, values['state-dir'], io).dir }, values.run)
  const by = values.by?.trim() || DEFAULT_BY
  const control: Control = { kind, by, reason, ...(ids && { ids }), ...(values.now && { now: true }) }
  // What needs a code, an agent may never do, even if no loop is running and only a stop hook guards it.
  const inside = io.env[RUN_MARK] || io.env[MARKER] || (needsCode(kind) ? insideAgent(io.env, io.pid) : undefined)
  const answer = await askRun(dir, control, { inside, typeCode })
  if (answer !== undefined && !answer.taken) throw new InputError(answer.text)
  if (inside !== undefined) {
    // A running loop has recorded the refusal already.
    if (answer === undefined) noteRefusal(dir, control, io.now())
    throw new InputError(`Refused: an agent or a check can't use exitgate ${name}. Run it in your own terminal.`)
  }
  if (answer !== undefined) return printResult(io, values, { running: true, ...answer }, [plain(answer.text)])
  if (act === undefined) throw new InputError(`${whyNoAnswer({ dir, workspace })} ${otherwise}`)
  const { config, remote } = readJournal(dir).state
  refuseUseless(dir, control)
  // `exitgate reset` without --breaker does more, and needs no code either.
  if (needsCode(kind) && kind !== 'reset-breaker' && remote !== true)
    await confirmPerson({ dir, name: [name, ...(ids ?? [])].join(' '), code: values.code }, io)
  if (config?.extensions !== undefined) (await recordedCode(workspace))(config)
  const done = await act({ dir, workspace }, control, io.now())
  for (const problem of done.problems) warn(io, plain(problem))
  return printResult(io, values, { running: false, taken: true, text: done.text, ...done.data }, [plain(done.text)])
}
