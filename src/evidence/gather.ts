import type { Config } from '../core/config.ts'
import type { ChecksPolicy, Evidence, EvidenceSet } from '../core/types.ts'
import type { SandboxSetup } from '../system/sandbox/enter.ts'
import { type FileStates, fileStates } from './baseline/file-states.ts'
import { openBaseline } from './baseline/open.ts'
import { baselineFromRevision } from './baseline/revision.ts'
import { takeBaseline } from './baseline/take.ts'
import type { CheckInput, CollectedTests } from './checks/definition.ts'
import { CHECKS } from './checks/index.ts'
import { collectTests, type TestsOptions } from './checks/tests.ts'
import { collect } from './collect.ts'
import { detect, preferred } from './detect/index.ts'
import { openFlakeHistory } from './flakes.ts'
import { type GitSnapshot, takeGitSnapshot } from './git.ts'
import { planFiles, planNow, planPath } from './plan/view.ts'
import { sweepScratch } from './red-proof/sweep.ts'
import { runTestCommand } from './runners/run.ts'
import type { Baseline, Check, CheckContext, Detected, Workspace } from './types.ts'
import { openWorkspace, withCachedList } from './workspace.ts'

/** Ten minutes by default. */
const LONGEST_MS = 600_000
const SHORTEST_MS = 30_000
const FACTOR = 5

/**
 * How long a check may take: five times its slowest earlier run, within bounds. Without a baseline, and while it is taken, the
 * maximum.
 */
export function deadlineFor(history: readonly number[], maximumMs: number = LONGEST_MS): number {
  const known = history.filter((ms) => Number.isFinite(ms) && ms >= 0)
  if (known.length === 0) return maximumMs
  return Math.min(maximumMs, Math.max(SHORTEST_MS, FACTOR * Math.max(...known)))
}

export interface GatherOptions {
  readonly dir: string
  readonly config: Config
  /** What the policy requires (`policyFor(config).checks`). */
  readonly checks: ChecksPolicy
  /** Checks that the caller adds; `checkOf` makes one from a name and a function. */
  readonly moreChecks?: readonly Check[]
  /** The run's folder for what is kept between iterations. */
  readonly stateDir: string
  /** The sandbox in which commands of the project run. */
  readonly sandbox?: SandboxSetup | undefined
  readonly claim: boolean
  readonly task?: string
  readonly taskTexts: readonly string[]
  /** Ids of the tasks that the user skipped. */
  readonly skipped?: readonly string[]
  /** The plan's text after the previous iteration (`planText`). */
  readonly previousPlan?: string
  /** The run's own baseline; without it, the last commit is the baseline. */
  readonly baselineId?: string
  /** A git revision to compare with, instead of the stored baseline. */
  readonly base?: string
  /** The longest time that each check took before, in ms, which determines its deadline. */
  readonly slowest?: Readonly<Record<string, number>> | undefined
  readonly ignore: readonly string[]
  readonly at: number
  readonly signal?: AbortSignal
}

export interface Gathered {
  readonly evidence: EvidenceSet
  readonly baselineId?: string
  readonly problems: readonly string[]
}

const workspaceOf = ({ dir, config, sandbox }: GatherOptions): Workspace =>
  withCachedList(openWorkspace(dir, { allow: config.evidence.passEnv, sandbox }))

/** Collects all evidence about the workspace, compared with the state before the first iteration. */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const workspace = workspaceOf(options)
  const { baseline, problems } = await baselineOf(workspace, options)
  const commands =
    commandsOfStart(baseline, options.config) ?? (await detect(workspace, { commands: options.config.commands }))
  const input = await inputOf(workspace, commands, options, baseline)
  // Copies of the workspace that a killed process left; nothing waits for their removal.
  if (options.claim && baseline !== undefined) void sweepScratch().catch(() => {})
  const maximumMs = input.context.deadlineMs
  const deadlineOf = ({ name }: Pick<Check, 'name'>) => {
    const before = baseline?.evidence[name]?.ms
    return deadlineFor(before === undefined ? [] : [before, options.slowest?.[name] ?? 0], maximumMs)
  }
  const collected = await collect(checksFor(input, options.moreChecks), input.context, { deadlineOf })
  const evidence = Object.entries(collected.evidence).map(([name, each]) => [
    name,
    withNextDeadline(each, deadlineOf({ name }), maximumMs),
  ])
  return { evidence: Object.fromEntries(evidence), problems: [...problems, ...collected.problems] }
}

/** Before the first iteration: runs the same checks and stores the results out of the agent's reach. */
export async function gatherBaseline(options: GatherOptions): Promise<Gathered> {
  const { config, at } = options
  const workspace = workspaceOf(options)
  const commands = await detect(workspace, { commands: config.commands })
  const input = await inputOf(workspace, commands, { ...options, claim: false })
  const isAborted = () => options.signal?.aborted === true
  if (isAborted()) return { evidence: {}, problems: [] }
  const { context, snapshot } = input
  const { evidence, problems } = await collect(checksFor(input, options.moreChecks), context)
  // After an interrupt, don't make the user wait until all of it is stored.
  if (isAborted()) return { evidence, problems }
  const { run } = await input.tests(context)
  const { head } = typeof snapshot.status === 'string' ? {} : snapshot.status
  const keep = config.plan === undefined ? [] : planFiles(planNow(workspace), planPath(workspace.dir, config.plan))
  const kept = { workspace, commands, evidence, tree: context.tree, at, keep }
  const { id } = await takeBaseline(
    { ...kept, ...(run === undefined ? {} : { tests: run }), ...(head === undefined ? {} : { head }) },
    options.stateDir,
  )
  return { evidence, problems, baselineId: id }
}

async function inputOf(
  workspace: Workspace,
  commands: readonly Detected[],
  options: GatherOptions,
  baseline?: Baseline,
): Promise<CheckInput> {
  const { config, checks: policy, task, taskTexts, skipped, previousPlan } = options
  const testCommands = preferred(commands, 'test')
  const { snapshot, seen } = await takeSnapshots(workspace, testCommands, options)
  return {
    config,
    policy,
    context: contextOf(workspace, options, baseline, snapshot),
    testCommands,
    tests: testsOf(testCommands, options, seen),
    snapshot,
    taskTexts,
    ...(task === undefined ? {} : { task }),
    ...(skipped === undefined ? {} : { skipped }),
    ...(previousPlan === undefined ? {} : { previousPlan }),
  }
}

/**
 * The stored baseline, a revision if the caller names one, or the last commit, so that uncommitted work is compared with something.
 */
async function baselineOf(
  workspace: Workspace,
  options: GatherOptions,
): Promise<{ baseline: Baseline | undefined; problems: readonly string[] }> {
  if (options.base === undefined && options.baselineId !== undefined) {
    const remembered = openBaseline(options.stateDir, { expect: options.baselineId })
    if (remembered !== undefined) return { baseline: remembered, problems: remembered.problems }
  }
  const baseline = await baselineFromRevision(workspace, options.base ?? 'HEAD')
  const missing =
    options.base !== undefined && baseline === undefined
      ? [`--base ${options.base} is not a commit of this repository`]
      : []
  return { baseline, problems: missing }
}

/** One look at files and git, for the tree's identity and for the watch on files while the tests run. */
async function takeSnapshots(
  workspace: Workspace,
  testCommands: readonly Detected[],
  { ignore }: GatherOptions,
): Promise<{ readonly snapshot: GitSnapshot; readonly seen?: FileStates }> {
  if (testCommands.length === 0) return { snapshot: await takeGitSnapshot(workspace, { ignore }) }
  const seen = await fileStates(workspace)
  return { snapshot: await takeGitSnapshot(workspace, { ignore, output: seen.gitOutput }), seen }
}

function contextOf(
  workspace: Workspace,
  options: GatherOptions,
  baseline: Baseline | undefined,
  { tree }: GitSnapshot,
): CheckContext {
  return {
    workspace,
    ...(baseline === undefined ? {} : { baseline }),
    claim: options.claim,
    tree,
    taskTexts: [...options.taskTexts, ...folderTexts(workspace, options.config.plan)],
    deadlineMs: options.config.evidence.maximumMinutes * 60_000,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }
}

const MOST_TASK_TEXTS = 1_000

/** The tasks of a folder can name tests, like a plan in one file. */
function folderTexts(workspace: Workspace, plan: string | undefined): readonly string[] {
  const path = plan === undefined ? '' : planPath(workspace.dir, plan)
  if (path === '' || workspace.read(path) !== undefined) return []
  const files = planFiles(planNow(workspace), path).slice(0, MOST_TASK_TEXTS)
  return files.flatMap((file) => workspace.read(file) ?? [])
}

/**
 * The commands detected at the start, so that the agent cannot choose others; detected again if the user has set another test
 * command since.
 */
function commandsOfStart(baseline: Baseline | undefined, { commands }: Config): readonly Detected[] | undefined {
  const known = baseline?.commands ?? []
  const { test } = commands
  const renamed = test !== undefined && !known.some(({ kind, command }) => kind === 'test' && command === test)
  return known.length === 0 || renamed ? undefined : known
}

/** A check that timed out gets more time in the next iteration. Saying so keeps the agent from blaming the project. */
function withNextDeadline(evidence: Evidence, deadlineMs: number, maximumMs: number): Evidence {
  const { answer, ms, detail } = evidence
  if (answer !== 'unknown' || ms < deadlineMs) return evidence
  const next = Math.round(deadlineFor([ms], maximumMs) / 1000)
  const hint =
    deadlineMs < maximumMs
      ? `The next run may take up to ${next} s.`
      : 'To allow more time, raise evidence.maximumMinutes.'
  return { ...evidence, detail: `${detail} ${hint}` }
}

/** The tests run once, however many checks need their results. */
function testsOf(
  commands: readonly Detected[],
  { config, checks, stateDir, at }: GatherOptions,
  seen?: FileStates,
): CheckInput['tests'] {
  const { confirmRuns, quarantine } = config.evidence
  const options: TestsOptions = {
    commands,
    run: (detected, options, workspace) => runTestCommand(workspace, detected, options),
    confirmRuns: Math.max(confirmRuns, checks.confirmRuns ?? 0),
    quarantine,
    ...config.baseline,
    history: openFlakeHistory(stateDir),
    ...(seen === undefined ? {} : { seen }),
    now: () => at,
  }
  let collected: Promise<CollectedTests> | undefined
  return (context) => {
    collected ??= collectTests(options, context)
    return collected
  }
}

/** The checks of the policy and the configuration, then those of the caller. */
function checksFor(input: CheckInput, more: readonly Check[] = []): readonly Check[] {
  const asked = CHECKS.filter(({ name, onlyListed }) => onlyListed !== true || input.policy.also.includes(name))
  return [...asked.flatMap((definition) => definition.checksFor(input)), ...more]
}
