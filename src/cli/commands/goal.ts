import { resolve } from 'node:path'
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
import { openSession } from '../../loop/session.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { gatherStart } from '../gather-evidence.ts'
import { type Io, printResult } from '../io.ts'
import { oneOf, parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { peopleOnly } from '../refuse-agent.ts'
import { CONFIG_ROWS, LOOK_OPTIONS, VALUE_ROWS } from '../shared-options.ts'
import { linesOf } from './trust.ts'

export const OPTIONS = {
  ...CONFIG_FLAGS,
  ...LOOK_OPTIONS,
  config: { type: 'string' },
  reason: { type: 'string' },
  'new-run': { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['goal start "TEXT" [--plan FILE] | goal status | goal stop [--reason "..."]'],
  about:
    'What has to be reached in this folder before an agent with the hook may stop. start takes the baseline that the agent is measured by.',
  rows: [
    ...VALUE_ROWS,
    ['--new-run', 'leave a run that is not finished'],
    ['--reason "..."', 'why it is given up (stop)'],
    ...CONFIG_ROWS,
  ],
  examples: ['exitgate goal start "the importer reads CSV and Excel" --plan PLAN.md', 'exitgate goal status'],
}

type Values = ValuesOf<typeof OPTIONS>

interface Here {
  readonly workspace: string
  readonly dir: string
  readonly values: Values
  readonly io: Io
}

/** `exitgate goal start TEXT | status | stop`: what has to be reached before an agent with our hook may stop in this folder. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('goal', args, OPTIONS, 2)
  const verb = oneOf('exitgate goal', positionals[0] ?? 'status', ['start', 'status', 'stop'])
  if (verb !== 'start' && positionals[1] !== undefined)
    throw new InputError(`exitgate goal ${verb} takes no text; "${positionals[1]}" is one word too many`)
  const workspace = workspaceOf(io.cwd, values.dir)
  const here = { workspace, dir: placeOf(workspace, values['state-dir'], io).dir, values, io }
  if (verb === 'start') return start(here, positionals[1]?.trim() ?? '')
  return verb === 'stop' ? stop(here) : status(here)
}

/** The baseline is taken now: what the agent is measured by is what is so before it begins. */
async function start({ workspace, dir, values, io }: Here, text: string): Promise<number> {
  if (text === '') throw new InputError('exitgate goal start needs a text in quotes: what has to be reached')
  const inside = insideAgent(io.env, io.pid)
  const before = goalOf(dir)
  // An agent may begin a goal for its person, but neither replace one nor approve what it would be measured by.
  if (before !== undefined && inside !== undefined) peopleOnly('goal start', io)
  const found = await approvableIn(workspace, io.platform)
  if (trustOf(dir, found) !== 'approved') {
    peopleOnly('goal start (in a folder that was not approved)', io)
    for (const line of linesOf(workspace, found)) io.stderr.write(`${line}\n`)
    approve(dir, found, io.now())
  }
  const { state } = readJournal(dir)
  if (isForeign(dir, state) && state.iterations > 0 && !values['new-run'] && state.run !== before?.run)
    throw new InputError(
      `run ${state.run} in ${workspace} is not finished (${state.iterations} iterations); finish it, or leave it with --new-run`,
    )
  const file = values.config === undefined ? undefined : resolve(io.cwd, values.config)
  const loaded = withoutLoopLimits(
    await loadConfig({ dir: workspace, file, env: io.env, flags: values, presets: PRESETS, allowCode: true }),
  )
  if (loaded.config.extensions !== undefined && findConfig(workspace)?.path !== loaded.filePath)
    throw new InputError(
      `a stop hook finds code only in exitgate.config.mjs or exitgate.config.ts; rename ${loaded.file}`,
    )
  const session = await openSession({
    dir,
    loaded,
    now: () => io.now(),
    record: true,
    newRun: true,
    task: text.slice(0, 500),
  })
  try {
    const where = { workspace, stateDir: dir, io, baselineId: undefined, skipped: [] }
    const { evidence, problems, baselineId } = await gatherStart(where, {}, session.config)
    session.begin(evidence, baselineId)
    for (const problem of problems) io.stderr.write(`exitgate: ${plain(problem)}\n`)
    const run = session.state.run ?? ''
    const goal: Goal = { text, run, at: io.now(), ...(values.plan === undefined ? {} : { plan: values.plan }) }
    forgetSessionSignals(dir)
    writeGoal(dir, goal)
    return printResult(io, values, { workspace, goal }, [
      `The goal counts from now on: ${plain(text)}`,
      'An agent whose host asks exitgate (exitgate hook install) may stop here when it says that it is reached and the project shows it.',
    ])
  } finally {
    session.close()
  }
}

function status({ workspace, dir, values, io }: Here): number {
  const goal = readGoal(dir)
  if (goal === undefined) return printResult(io, values, { workspace, goal: null }, ['no goal was set here'])
  const { state } = readJournal(dir)
  const ours = state.run === goal.run
  const missing = ours ? (state.last?.verdict.missing ?? []) : []
  const counts = goal.ended === undefined ? 'it counts' : `${goal.ended.outcome}: ${goal.ended.reason}`
  const data = { workspace, goal, iterations: ours ? state.iterations : null, missing }
  return printResult(io, values, data, [
    `${plain(goal.text)}`,
    `  ${plain(counts)}; ${ours ? `${state.iterations} stops were looked at` : 'its run is not the one in the journal any more'}`,
    ...missing.map((line) => `  missing: ${plain(line)}`),
  ])
}

function stop({ workspace, dir, values, io }: Here): number {
  const goal = goalOf(dir)
  if (goal === undefined) throw new InputError(`no goal counts in ${workspace}; there is nothing to stop`)
  peopleOnly('goal stop', io)
  const reason = values.reason?.trim() || 'given up by a person'
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
  return printResult(io, values, { workspace, stopped: true, reason }, ['The goal does not count any more.'])
}
