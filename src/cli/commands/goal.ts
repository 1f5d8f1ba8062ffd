import { resolve } from 'node:path'
import { count } from '../../../packages/core/src/count.ts'
import { findConfig } from '../../config/find.ts'
import { CONFIG_FLAGS } from '../../config/flags.ts'
import { loadConfig } from '../../config/load.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { type Goal, goalOf, readGoal, writeGoal } from '../../hooks/goal.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { isForeign } from '../../hooks/record-stop.ts'
import { withoutLoopLimits } from '../../hooks/settings.ts'
import { approvableIn } from '../../hooks/trust.ts'
import { approve, trustOf } from '../../hooks/trust-file.ts'
import { forgetSessionSignals } from '../../inbox/session-inbox.ts'
import { openJournal } from '../../journal/log.ts'
import { readJournal } from '../../journal/read.ts'
import { searchText, withFoundPlan } from '../../loop/found-plan.ts'
import { openSession } from '../../loop/session.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { gatherStart } from '../gather-evidence.ts'
import { type Io, printResult, warn } from '../io.ts'
import { parse, subcommandOf, type ValuesOf } from '../parse.ts'
import { CODE_OPTION, CODE_ROW, confirmPerson } from '../person.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { userOnly } from '../refuse-agent.ts'
import { CHECK_ROWS, CONFIG_ROWS, LIMIT_ROWS, LOOK_OPTIONS } from '../shared-options.ts'
import { linesOf } from './trust.ts'

export const OPTIONS = {
  ...CONFIG_FLAGS,
  ...LOOK_OPTIONS,
  config: { type: 'string' },
  reason: { type: 'string' },
  'new-run': { type: 'boolean' },
  ...CODE_OPTION,
} as const

export const HELP: Page = {
  usage: ['goal start "TEXT" [options]', 'goal status', 'goal stop [--reason TEXT]'],
  about: 'Set what an agent with the stop hook must reach in this project before it may stop.',
  rows: [
    ['--new-run', 'start even if another run here is unfinished'],
    ['--reason TEXT', 'stop: why you give up the goal (default: "given up")'],
    CODE_ROW,
    ...CONFIG_ROWS,
  ],
  groups: [
    ['What counts as done', CHECK_ROWS],
    ['Limits', LIMIT_ROWS],
  ],
  more: 'goal start takes the baseline that the work is compared with.',
  examples: [
    'exitgate goal start "the importer reads CSV and Excel" --plan PLAN.md',
    'exitgate goal status',
    'exitgate goal stop --reason "done by hand"',
  ],
}

type Values = ValuesOf<typeof OPTIONS>

interface Here {
  readonly workspace: string
  readonly dir: string
  readonly values: Values
  readonly io: Io
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('goal', args, OPTIONS, 2)
  const verb = subcommandOf('goal', positionals[0] ?? 'status', ['start', 'status', 'stop'])
  if (verb !== 'start' && positionals[1] !== undefined)
    throw new InputError(`Unexpected argument "${positionals[1]}": exitgate goal ${verb} takes no text.`)
  const workspace = workspaceOf(io.cwd, values.dir)
  const here = { workspace, dir: placeOf(workspace, values['state-dir'], io).dir, values, io }
  if (verb === 'start') return start(here, positionals[1]?.trim() ?? '')
  return verb === 'stop' ? stop(here) : status(here)
}

/** Takes the baseline now, before the agent begins. */
async function start({ workspace, dir, values, io }: Here, text: string): Promise<number> {
  if (text === '') throw new InputError('Say what the agent must reach: exitgate goal start "TEXT"')
  const inside = insideAgent(io.env, io.pid)
  const before = goalOf(dir)
  // An agent may start a goal for its user, but neither replace one nor approve the commands it is checked with.
  if (before !== undefined && inside !== undefined) userOnly('goal start', io)
  const found = await approvableIn(workspace, io.platform)
  if (trustOf(dir, found) !== 'approved') {
    userOnly('goal start in a folder you have not approved', io)
    for (const line of linesOf(workspace, found)) io.stderr.write(`${line}\n`)
    approve(dir, found, io.now())
  }
  const { state } = readJournal(dir)
  if (isForeign(dir, state) && state.iterations > 0 && !values['new-run'] && state.run !== before?.run)
    throw new InputError(
      `Run ${state.run} in ${workspace} is unfinished (${count(state.iterations, 'iteration')}). Finish it, or abandon it with --new-run.`,
    )
  const file = values.config === undefined ? undefined : resolve(io.cwd, values.config)
  const { loaded, search } = withFoundPlan(
    withoutLoopLimits(
      await loadConfig({ dir: workspace, file, env: io.env, flags: values, presets: PRESETS, allowCode: true }),
    ),
    workspace,
    [text],
    { onlyNamed: true },
  )
  const plan = search?.kind === 'found' ? search.path : values.plan
  if (loaded.config.extensions !== undefined && findConfig(workspace)?.path !== loaded.filePath)
    throw new InputError(
      `A stop hook loads code only from exitgate.config.mjs or exitgate.config.ts. Rename ${loaded.file}.`,
    )
  const session = await openSession({ dir, loaded, now: () => io.now(), newRun: true, task: text.slice(0, 500) })
  try {
    const where = { workspace, stateDir: dir, io, baselineId: undefined, skipped: [] }
    const { evidence, problems, baselineId } = await gatherStart(where, {}, session.config)
    session.begin(evidence, baselineId)
    for (const problem of problems) warn(io, plain(problem))
    const run = session.state.run ?? ''
    const goal: Goal = { text, run, at: io.now(), ...(plan === undefined ? {} : { plan }) }
    forgetSessionSignals(dir)
    writeGoal(dir, goal)
    return printResult(io, values, { workspace, goal }, [
      `Goal set: ${plain(text)}`,
      ...(search?.kind === 'found' ? [searchText(search) ?? ''] : []),
      'With the stop hook installed, the agent may stop only when it says the goal is reached and the checks agree.',
    ])
  } finally {
    session.close()
  }
}

function status({ workspace, dir, values, io }: Here): number {
  const goal = readGoal(dir)
  if (goal === undefined) return printResult(io, values, { workspace, goal: null }, ['No goal is set here.'])
  const { state } = readJournal(dir)
  const ours = state.run === goal.run
  const missing = ours ? (state.last?.verdict.missing ?? []) : []
  const progress = goal.ended === undefined ? 'active' : `${goal.ended.outcome}: ${goal.ended.reason}`
  const data = { workspace, goal, iterations: ours ? state.iterations : null, missing }
  return printResult(io, values, data, [
    `${plain(goal.text)}`,
    `  ${plain(progress)}; ${ours ? `${count(state.iterations, 'stop')} checked` : 'the journal now has another run'}`,
    ...missing.map((line) => `  missing: ${plain(line)}`),
  ])
}

async function stop({ workspace, dir, values, io }: Here): Promise<number> {
  const goal = goalOf(dir)
  if (goal === undefined) throw new InputError(`No goal is active in ${workspace}, so there is nothing to stop.`)
  userOnly('goal stop', io)
  await confirmPerson({ dir, name: 'goal stop', code: values.code }, io)
  const reason = values.reason?.trim() || 'given up'
  const journal = openJournal(dir)
  try {
    const { state } = journal
    const ended = { outcome: 'interrupted', ending: 'interrupt', reason, iteration: state.iterations } as const
    const open = state.run === goal.run && state.ended === undefined
    journal.append(
      [open ? { type: 'run.ended', ...ended } : { type: 'note', text: `goal stopped: ${reason}` }],
      io.now(),
    )
  } finally {
    journal.close()
  }
  writeGoal(dir, { ...goal, ended: { outcome: 'stopped', reason, at: io.now() } })
  return printResult(io, values, { workspace, stopped: true, reason }, ['Goal cleared.'])
}
