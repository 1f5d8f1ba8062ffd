import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../core/config.ts'
import { ownPartsOf } from '../core/own-parts.ts'
import type { EvidenceSet } from '../core/types.ts'
import { type FileStates, fileStates } from './baseline/file-states.ts'
import { openBaseline } from './baseline/open.ts'
import { baselineFromRevision } from './baseline/revision.ts'
import { takeBaseline } from './baseline/take.ts'
import { withOneList } from './cached-workspace.ts'
import { artifactsCheck } from './checks/artifacts.ts'
import { commandCheck } from './checks/command.ts'
import { criteriaCheck } from './checks/criteria.ts'
import { documentsCheck } from './checks/documents.ts'
import { gitCheck } from './checks/git.ts'
import { ownCheck } from './checks/own.ts'
import { planCheck } from './checks/plan-progress.ts'
import { reviewCheck } from './checks/review.ts'
import { tamperingCheck } from './checks/tampering.ts'
import { taskDoneCheck } from './checks/task-done.ts'
import { type CollectedTests, collectTests, type TestsOptions } from './checks/tests.ts'
import { collect } from './collect.ts'
import { copyChecks } from './copy-checks.ts'
import { deadlineFor } from './deadlines.ts'
import { detect, preferred } from './detect/index.ts'
import { openFlakeHistory } from './flake-history.ts'
import { type GitLook, lookAtGit } from './git.ts'
import { planFiles, planNow, planPath } from './plan/view.ts'
import { runTestCommand } from './runners/run.ts'
import type { Baseline, Check, CheckContext, Detected, Workspace } from './types.ts'
import { openWorkspace } from './workspace.ts'

export interface GatherOptions {
  readonly dir: string
  readonly config: Config
  /** The run's folder for what is remembered between iterations. */
  readonly stateDir: string
  readonly claim: boolean
  readonly task?: string
  readonly taskTexts: readonly string[]
  /** Tasks that a person has taken off the list, by id. */
  readonly skipped?: readonly string[]
  /** The plan's text after the iteration before (`planText`). */
  readonly previousPlan?: string
  /** The run's own baseline; without it the last commit is compared with. */
  readonly baselineId?: string
  /** A git revision to compare with, instead of the remembered baseline. */
  readonly base?: string
  /** Our own files in the workspace. */
  readonly ignore: readonly string[]
  readonly at: number
  readonly signal?: AbortSignal
}

export interface Gathered {
  readonly evidence: EvidenceSet
  /** Of the baseline that was taken. */
  readonly baselineId?: string
  readonly problems: readonly string[]
}

/** Everything exitgate can find out about the workspace itself, compared with what was so before the first iteration. */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const { config } = options
  const workspace = withOneList(openWorkspace(options.dir, { allow: config.evidence.passEnv }))
  const { baseline, problems } = await baselineOf(workspace, options)
  const commands = stillNamed(baseline, config) ?? (await detect(workspace, { commands: config.commands }))
  const { look, seen } = await lookAround(workspace, commands, options)
  const context = contextOf(workspace, options, baseline, look)
  const tests = testsOf(commands, options, seen)
  const collected = await collect(checksOf(commands, options, context, look, tests), context, {
    deadlineOf: ({ name }) => deadlineFor(earlier(baseline, name), context.deadlineMs),
  })
  return { evidence: collected.evidence, problems: [...problems, ...collected.problems] }
}

/** Before the first iteration: the same questions, and their answers kept where the agent does not come. */
export async function gatherBaseline(options: GatherOptions): Promise<Gathered> {
  const { config, at } = options
  const workspace = withOneList(openWorkspace(options.dir, { allow: config.evidence.passEnv }))
  const commands = await detect(workspace, { commands: config.commands })
  const { look, seen } = await lookAround(workspace, commands, options)
  const context = contextOf(workspace, { ...options, claim: false }, undefined, look)
  const tests = testsOf(commands, options, seen)
  const { evidence, problems } = await collect(checksOf(commands, options, context, look, tests), context)
  const { run } = await tests(context)
  const { head } = typeof look.status === 'string' ? {} : look.status
  const keep = config.plan === undefined ? [] : planFiles(planNow(workspace), planPath(workspace.dir, config.plan))
  const kept = { workspace, commands, evidence, tree: context.tree, at, keep }
  const { id } = await takeBaseline(
    { ...kept, ...(run === undefined ? {} : { tests: run }), ...(head === undefined ? {} : { head }) },
    options.stateDir,
  )
  return { evidence, problems, baselineId: id }
}

/** The remembered baseline; a revision when one is named; else the last commit, so that uncommitted work is compared with something. */
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

/** One look at files and git, for the tree's identity and for whoever watches the files while the tests run. */
async function lookAround(
  workspace: Workspace,
  commands: readonly Detected[],
  { ignore }: GatherOptions,
): Promise<{ readonly look: GitLook; readonly seen?: FileStates }> {
  if (preferred(commands, 'test').length === 0) return { look: await lookAtGit(workspace, { ignore }) }
  const seen = await fileStates(workspace)
  return { look: await lookAtGit(workspace, { ignore, words: seen.words }), seen }
}

function contextOf(
  workspace: Workspace,
  options: GatherOptions,
  baseline: Baseline | undefined,
  { tree }: GitLook,
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

/** The tasks of a folder name tests as a plan in one file does. */
function folderTexts(workspace: Workspace, plan: string | undefined): readonly string[] {
  const path = plan === undefined ? '' : planPath(workspace.dir, plan)
  if (path === '' || workspace.read(path) !== undefined) return []
  const files = planFiles(planNow(workspace), path).slice(0, MOST_TASK_TEXTS)
  return files.flatMap((file) => workspace.read(file) ?? [])
}

/** The commands of the start, so that the agent cannot choose others; unless the person has named another one since. */
function stillNamed(baseline: Baseline | undefined, { commands }: Config): readonly Detected[] | undefined {
  const known = baseline?.commands ?? []
  const { test } = commands
  const renamed = test !== undefined && !known.some(({ kind, command }) => kind === 'test' && command === test)
  return known.length === 0 || renamed ? undefined : known
}

/** How long a check took before the run. */
function earlier(baseline: Baseline | undefined, name: string): readonly number[] {
  const before = baseline?.evidence[name]?.ms
  return before === undefined ? [] : [before]
}

type Tests = (context: CheckContext) => Promise<CollectedTests>

/** The tests are asked once, whoever wants to know. */
function testsOf(commands: readonly Detected[], { config, stateDir, at }: GatherOptions, seen?: FileStates): Tests {
  const { confirmRuns, quarantine } = config.evidence
  const options: TestsOptions = {
    commands: preferred(commands, 'test'),
    run: (detected, options, workspace) => runTestCommand(workspace, detected, options),
    // GREEN wants consecutive green runs, and they may as well be had at once.
    confirmRuns: config.preset === 'prp' ? Math.max(confirmRuns, config.prp.greenRuns - 1) : confirmRuns,
    quarantine,
    ...config.baseline,
    history: openFlakeHistory(stateDir),
    ...(seen === undefined ? {} : { seen }),
    now: () => at,
  }
  let asked: Promise<CollectedTests> | undefined
  return (context) => {
    asked ??= collectTests(options, context)
    return asked
  }
}

function checksOf(
  commands: readonly Detected[],
  options: GatherOptions,
  context: CheckContext,
  look: GitLook,
  tests: Tests,
): readonly Check[] {
  const { config, task } = options
  const { baseline, workspace } = context
  const checks: Check[] = [gitCheck({ look }), tamperingCheck(config.evidence.allow)]
  if (preferred(commands, 'test').length > 0)
    checks.push({ name: 'tests', collect: async (each) => (await tests(each)).evidence })
  for (const [name, command] of Object.entries(config.commands))
    if (name !== 'test' && command !== undefined) checks.push(commandCheck({ name, command }))
  const planned =
    config.plan !== undefined && (config.preset === 'default' || existsSync(join(workspace.dir, config.plan)))
  if (config.plan !== undefined && planned)
    checks.push(
      planCheck({
        ...{ path: config.plan, optionalSections: config.optionalSections, plansOnly: config.preset === 'gsd' },
        ...(options.skipped === undefined ? {} : { skipped: options.skipped }),
        ...(options.previousPlan === undefined ? {} : { previous: options.previousPlan }),
      }),
    )
  if (task !== undefined && config.preset === 'doyaken') checks.push(taskDoneCheck({ task }))
  if (config.evidence.artifacts.length > 0)
    checks.push(artifactsCheck(config.evidence.artifacts.map((path) => ({ path }))))
  const { requiredDocs: docs, requireAdr: adr, requireC4: c4, requireDiagrams: diagrams } = config.prp
  if (config.preset === 'prp')
    checks.push(criteriaCheck(config), documentsCheck({ needs: { docs, adr, c4, diagrams } }))
  else if (config.evidence.documents) checks.push(documentsCheck())
  if (config.evidence.review !== undefined)
    checks.push(
      reviewCheck({
        command: config.evidence.review,
        ...(task === undefined ? {} : { task }),
        criteria: options.taskTexts,
      }),
    )
  checks.push(...ownPartsOf(config).checks.map(ownCheck))
  if (baseline !== undefined)
    checks.push(...copyChecks(preferred(commands, 'test'), config, { ...context, baseline }, () => tests(context)))
  return checks
}
