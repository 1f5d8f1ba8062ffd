import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { count, listOf } from '../../../packages/core/src/count.ts'
import { askedFor, expectsText, openItemsOf } from '../../../packages/exitgate/src/checks/expects.ts'
import type { Loaded } from '../../config/load.ts'
import { listedFindings } from '../../core/accepting.ts'
import type { Config } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { breakerOfNewRun } from '../../core/journal/reduce.ts'
import { ownPartsOf } from '../../core/own-parts.ts'
import { rest } from '../../core/policy/breaker.ts'
import { policyFor } from '../../core/presets/index.ts'
import type { PreflightFact } from '../../core/run.ts'
import type { Breaker, Policy } from '../../core/types.ts'
import type { PlanSearch } from '../../evidence/plan/find.ts'
import { planAt, planNow, planPath } from '../../evidence/plan/view.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import type { Environment } from '../../system/environment.ts'
import { findProgram, programsIn } from '../../system/find-program.ts'
import { planText } from '../gather-options.ts'
import { lacksPermissions } from '../limits/fallback.ts'
import { sandboxFor } from '../sandbox.ts'
import { agentFact } from './agent.ts'
import { limitsFact } from './limits.ts'
import { requiredFacts } from './required.ts'

export interface PreflightInput {
  readonly workspace: Workspace
  /** The folder of the workspace's journal, and the state of its last run. */
  readonly stateDir: string
  readonly state: State
  readonly loaded: Loaded
  /** What the search for a plan found. */
  readonly search?: PlanSearch | undefined
  /** What the agent gets to do; absent where nothing is started. */
  readonly work?: { readonly prompt: string; readonly task?: string | undefined }
  /** The commands of the project. */
  readonly tests: readonly Detected[]
  readonly env: Environment
  readonly platform: string
  readonly now: number
}

/**
 * What `run` checks before its first iteration, for `run`, `run --dry-run` and `doctor`. Runs and writes nothing. A fact that blocks
 * means that the run can't complete.
 */
export function preflight(input: PreflightInput): readonly PreflightFact[] {
  const { workspace, stateDir, state, loaded, tests, env, platform, now } = input
  const { config } = loaded
  const policy = policyFor(config)
  const own = ownPartsOf(config).agents.map(({ name }) => name)
  const agent = agentFact(config, { workspace: workspace.dir, env, platform, own })
  const plan = planFact(input, policy)
  const found = [
    ...(agent === undefined ? [] : [agent]),
    ...fallbackFacts(config),
    ...workFacts(input),
    ...testFacts(tests, input),
    ...requiredFacts(config, policy.checks, tests.length > 0),
    ...(plan === undefined ? [] : [plan]),
    ...expectsFacts(input, policy),
    limitsFact(config, { workspace: workspace.dir, env }),
    sandboxFact(loaded, workspace.dir, stateDir, env),
  ]
  return [...found, ...breakerFacts(breakerOfNewRun(state, config), policy, now), ...findingFacts(state)]
}

/** The arguments of the first agent are not those of another one. */
function fallbackFacts({ run }: Config): readonly PreflightFact[] {
  if (!lacksPermissions(run)) return []
  const text = `${run.fallbackAgent} gets no arguments, so it has its default permissions`
  const remedy = 'Most agents only read then. Set run.fallbackArgs to what it may do.'
  return [{ name: 'fallback', state: 'note', text, remedy }]
}

const MOST_TITLE = 60

function workFacts({ work, workspace, loaded: { config } }: PreflightInput): readonly PreflightFact[] {
  if (work === undefined) return []
  const lines = work.prompt.split('\n').filter((line) => line.trim() !== '').length
  const file = config.run.prompt ?? 'PROMPT.md'
  const task = work.task?.trim().replace(/\s+/g, ' ') ?? ''
  const parts = [
    ...(task === '' ? [] : [task.length > MOST_TITLE ? `${task.slice(0, MOST_TITLE - 3)}...` : task]),
    ...(lines === 0 ? [] : [`${file} (${count(lines, 'line')})`]),
  ]
  if (parts.length > 0) return [{ name: 'task', state: 'good', text: parts.join(', with ') }]
  // The default plan of a preset may be missing.
  if (config.plan !== undefined && existsSync(resolve(workspace.dir, config.plan)))
    return [{ name: 'task', state: 'good', text: 'the items of the plan' }]
  return [{ name: 'task', state: 'bad', text: 'the agent has no task', remedy: NO_TASK, blocks: true }]
}

const NO_TASK =
  'Pass --task "...", --prompt FILE or --plan FILE, or write PROMPT.md. If your command has its task among its own arguments, add --anyway.'

function testFacts(tests: readonly Detected[], input: PreflightInput): readonly PreflightFact[] {
  const [first, second] = tests
  if (first === undefined) return []
  const broken = tests.flatMap(({ command, cwd }) => {
    const missing = missingProgram(command, join(input.workspace.dir, cwd), input)
    return missing === undefined ? [] : [{ command, missing }]
  })
  const [{ command, missing } = {}] = broken
  if (missing !== undefined)
    return [
      {
        ...{
          name: 'tests',
          state: 'bad',
          text: `the test command can't run: ${missing} is missing (${command})`,
          blocks: true,
        },
        remedy: `Install ${missing}, or set another command with --test "...".`,
      },
    ]
  const isFlag = input.loaded.sources.get('commands.test')?.startsWith('flag') === true
  const why = isFlag ? 'given with --test' : first.why
  if (second === undefined) return [{ name: 'tests', state: 'good', text: `${first.command} (${why})` }]
  const lines = tests.map(({ command, cwd }) => (cwd === '' ? command : `${command} in ${cwd}`))
  return [{ name: 'tests', state: 'good', text: listOf(lines) }]
}

/** The program of a command, if it is not installed. What a longer line does before it calls a program is unknown. */
function missingProgram(command: string, folder: string, { env, platform }: PreflightInput): string | undefined {
  const name = /^[A-Za-z][\w.+-]*(?=\s|$)/.exec(command.trim())?.[0] ?? ''
  const isFound = (each: string) => findProgram(each, folder, env, platform) !== undefined
  return programsIn(name).find((each) => !isFound(each))
}

/** Whether the work has to be proven, as far as the task says it. */
function expectsFacts(
  { loaded: { config }, work, workspace, tests }: PreflightInput,
  { checks }: Policy,
): PreflightFact[] {
  const { proof = 'report', expects } = config.evidence
  if (work === undefined || proof === 'report' || checks.proof !== true || tests.length === 0) return []
  const texts = [work.prompt, work.task ?? '', openItemsOf(planText(workspace.dir, config) ?? '')]
  const text = expectsText(expects ?? askedFor(texts), expects !== undefined)
  return [{ name: 'expects', state: 'good', text }]
}

function planFact({ workspace, loaded, search }: PreflightInput, { checks }: Policy): PreflightFact | undefined {
  const { config } = loaded
  const name = 'plan'
  if (search?.kind === 'several')
    return {
      ...{ name, state: 'note', text: `none: ${listOf(search.paths)} have open items` },
      remedy: 'Choose one with --plan FILE, or pass --no-plan.',
    }
  if (config.plan === undefined) return undefined
  const path = planPath(workspace.dir, config.plan)
  const { optionalSections } = config
  const plan = planAt(planNow(workspace), path, { optionalSections, plansOnly: checks.plan.plansOnly })
  if (typeof plan === 'string') return { name, state: 'note', text: plan.replace(/^The plan /, '') }
  const items = `${path}: ${plan.open} of ${count(plan.total, 'item')} open`
  if (search?.kind !== 'found') return { name, state: 'good', text: items }
  const why = search.why === 'named' ? 'named in the prompt' : 'the only plan here'
  return { name, state: 'good', text: `${items} (${why}; --no-plan ignores it)` }
}

function sandboxFact({ config }: Loaded, workspace: string, stateDir: string, env: Environment): PreflightFact {
  const { shown = 'off', setup } = sandboxFor(config, { workspace, stateDir, env })
  return { name: 'sandbox', state: setup === undefined ? 'note' : 'good', text: shown }
}

/** A lasting breaker that an earlier run left open. */
function breakerFacts(before: Breaker, policy: Policy, now: number): readonly PreflightFact[] {
  const { state, openedAt, reason = 'no progress' } = rest(before, policy.breaker, now).breaker
  if (state !== 'open') return []
  const { recovery, cooldownMinutes } = policy.breaker
  const left = openedAt === undefined ? 0 : Math.ceil(openedAt / 60_000 + cooldownMinutes - now / 60_000)
  const cools = recovery === 'cooldown' && left > 0 ? `. It closes in ${count(left, 'minute')}.` : ''
  const remedy = `Close it with: exitgate reset --breaker${cools}`
  return [{ name: 'breaker', state: 'note', text: `open since an earlier run: ${reason}`, remedy }]
}

/** Findings with which the last run ended. The baseline of the next run shows which of them are still there. */
function findingFacts({ ended, previous }: State): readonly PreflightFact[] {
  if (ended === undefined || ended.outcome === 'completed') return []
  const open = listedFindings(previous?.evidence).filter(({ kind }) => kind !== 'test-failing')
  if (open.length === 0) return []
  const ids = listOf(open.map(({ id }) => id))
  return [
    {
      ...{
        name: 'findings',
        state: 'note',
        text: `the last run ended with ${count(open.length, 'open finding')}: ${ids}`,
      },
      remedy: 'Undo these changes, or accept them: exitgate explain',
    },
  ]
}
