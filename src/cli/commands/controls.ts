import { recordedCode } from '../../config/recorded-code.ts'
import type { Control } from '../../core/run.ts'
import { goalOf, writeGoal } from '../../hooks/goal.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { RUN_MARK } from '../../inbox/attempt.ts'
import { readJournal } from '../../journal/read.ts'
import { askRun } from '../../loop/control/ask.ts'
import { plain } from '../../reports/verdict-text.ts'
import { MARKER } from '../../system/processes.ts'
import type { CommandWithHelp, Page, Row } from '../command.ts'
import { InputError } from '../errors.ts'
import { type Io, printResult } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS, REASON_ROWS } from '../shared-options.ts'
import { taskNamed } from '../task-place.ts'
import { closeBreaker, type Done, forceRun, noteRefusal, skipOne, whyNobody } from '../without-run.ts'

const OPTIONS = {
  ...LOOK_OPTIONS,
  run: { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
} as const
type Values = ValuesOf<typeof OPTIONS>

const ROWS: readonly Row[] = [
  ['--run TASK', 'the run of that task, when the project works on a list of them'],
  ...REASON_ROWS,
  ...LOOK_ROWS,
]

interface ControlCommand {
  /** The command as it was typed. */
  readonly name: string
  readonly kind: Control['kind']
  /** The default reason; without it the user must give one. */
  readonly reason?: string
  /** Does the same when no loop is running; absent where that makes no sense. */
  act?(place: { dir: string; workspace: string }, control: Control, at: number): Done | Promise<Done>
}

const controlCommand = (command: ControlCommand, page: Omit<Page, 'rows'>): CommandWithHelp => ({
  OPTIONS,
  HELP: { ...page, rows: ROWS },
  run: async (args, io) => send(parse(command.name, args, OPTIONS).values, io, command),
})

/** `exitgate force`: a person says that the run is done. Shown as forced everywhere. */
export const force = controlCommand(
  { name: 'force', kind: 'force', act: forceWithGoal },
  {
    usage: ['force --reason "..." [options]'],
    about:
      'A person says that the run is done. It ends as completed, and is shown as forced everywhere. While a run is running, it is asked through its socket; the agent itself is refused, and that is written down. Without one, the unfinished run is ended.',
    examples: ['exitgate force --reason "the last failing test is about another feature" --by Ada'],
  },
)

/** `exitgate skip`: leaves out the current task or phase. */
export const skip = controlCommand(
  { name: 'skip', kind: 'skip', act: skipOne },
  {
    usage: ['skip --reason "..." [options]'],
    about: 'Leave out the task at hand, or with phases the phase.',
    examples: ['exitgate skip --reason "needs a decision first"'],
  },
)

/** `exitgate reset-breaker`: a person has removed what the run was stuck at. */
export const resetBreaker = controlCommand(
  { name: 'reset-breaker', kind: 'reset-breaker', act: closeBreaker },
  {
    usage: ['reset-breaker --reason "..." [options]'],
    about: 'Close the breaker of the run, whether it is running or not.',
    examples: ['exitgate reset-breaker --reason "fixed the network"'],
  },
)

/** `exitgate interrupt`: the same as Ctrl+C in the terminal of the run. */
export const interrupt = controlCommand(
  { name: 'interrupt', kind: 'interrupt', reason: 'a person interrupted the run from another terminal' },
  {
    usage: ['interrupt [options]'],
    about:
      'Like Ctrl+C in the terminal of the run: the agent finishes its iteration, then the run stops and can be resumed.',
    examples: ['exitgate interrupt --reason "the laptop goes home"'],
  },
)

const PAUSE_OPTIONS = { ...OPTIONS, off: { type: 'boolean' } } as const

/** `exitgate pause`: hold the run before its next iteration; with --off it continues. */
export const pause: CommandWithHelp = {
  OPTIONS: PAUSE_OPTIONS,
  HELP: {
    usage: ['pause [--off] [options]'],
    about: 'Hold the run before its next iteration.',
    rows: [['--off', 'let it go on'], ...ROWS],
    examples: ['exitgate pause --reason "lunch"', 'exitgate pause --off'],
  },
  async run(args, io) {
    const { values } = parse('pause', args, PAUSE_OPTIONS)
    return values.off
      ? send(values, io, { name: 'pause --off', kind: 'resume', reason: 'a person lets the run go on' })
      : send(values, io, { name: 'pause', kind: 'pause', reason: 'a person holds the run' })
  },
}

/** Ends the goal with its run: otherwise the agent's next stop would still be refused. */
function forceWithGoal(place: Parameters<typeof forceRun>[0], control: Control, at: number): Done {
  const goal = goalOf(place.dir)
  const done = forceRun(place, control, at)
  if (goal !== undefined) {
    const reason = `forced by ${control.by}: ${control.reason}`
    writeGoal(place.dir, { ...goal, ended: { outcome: 'completed/forced', reason, at } })
  }
  return done
}

/** What an agent may not ask for, even where no loop runs and only a stop hook guards it. */
const OPENS: ReadonlySet<Control['kind']> = new Set(['force', 'skip', 'reset-breaker'])

/** Sends a person's request to the run of a workspace: through the loop's socket if one runs, else into its journal. */
async function send(values: Values, io: Io, { name, kind, reason: usual, act }: ControlCommand): Promise<number> {
  const reason = values.reason?.trim() || usual
  if (reason === undefined)
    throw new InputError(`exitgate ${name} needs --reason "..."; it is written into the journal`)
  const here = workspaceOf(io.cwd, values.dir)
  const { workspace, dir } = taskNamed({ workspace: here, dir: placeOf(here, values['state-dir'], io).dir }, values.run)
  const control: Control = { kind, by: values.by?.trim() || 'a person', reason }
  const inside = io.env[RUN_MARK] || io.env[MARKER] || (OPENS.has(kind) ? insideAgent(io.env, io.pid) : undefined)
  const answer = await askRun(dir, control, { inside })
  if (answer !== undefined && !answer.taken) throw new InputError(answer.text)
  if (inside !== undefined) throw new InputError(refusedInside(dir, control, answer === undefined, io))
  if (answer !== undefined) return printResult(io, values, { running: true, ...answer }, [plain(answer.text)])
  if (act === undefined) throw new InputError(`${whyNobody({ dir, workspace })}; there is nothing to ${name}`)
  const { config } = readJournal(dir).state
  if (config?.extensions !== undefined) (await recordedCode(workspace))(config)
  const done = await act({ dir, workspace }, control, io.now())
  for (const problem of done.problems) io.stderr.write(`exitgate: ${plain(problem)}\n`)
  return printResult(io, values, { running: false, taken: true, text: done.text, ...done.data }, [plain(done.text)])
}

/** A running loop has recorded the refusal already; without one it is recorded here. */
function refusedInside(dir: string, control: Control, alone: boolean, io: Io): string {
  if (alone) noteRefusal(dir, control, io.now())
  return `refused: exitgate ${control.kind} is for people, and the environment says that this is an agent or a check of a run`
}
