import { wasByExitCode } from '../../packages/exitgate/src/checks/exit-code.ts'
import { isTestFile } from '../../packages/exitgate/src/frameworks/test-files.ts'
import { plain } from '../../packages/test-output/src/streams.ts'
import type { TestRun } from '../../packages/test-output/src/types.ts'
import type { Config } from '../core/config.ts'
import type { AcceptedFinding, ChecksPolicy, Evidence, EvidenceSet, RanIn } from '../core/types.ts'
import { redact } from '../system/redact.ts'
import type { SandboxSetup } from '../system/sandbox/enter.ts'
import type { Carried } from './baseline/carried.ts'
import { changedSince } from './baseline/changed.ts'
import type { FileStates } from './baseline/file-states.ts'
import type { CallersFiles, OutputFiles } from './callers-files.ts'
import type { CheckInput, CollectedTests } from './checks/definition.ts'
import { CHECKS } from './checks/index.ts'
import { collectQuickTests, quickCommands } from './checks/quick-tests.ts'
import { collectTests, type TestsOptions } from './checks/tests.ts'
import { collect } from './collect.ts'
import { deadlineFor, longestMs, withNextDeadline } from './deadlines.ts'
import { preferred } from './detect/index.ts'
import { experimentsOn } from './experiments.ts'
import { type FlakeHistory, openFlakeHistory } from './flakes.ts'
import type { GitSnapshot } from './git.ts'
import { planFiles, planNow, planPath } from './plan/view.ts'
import { runTestCommand, withExitCode } from './runners/run.ts'
import type {
  Baseline,
  Check,
  CheckContext,
  CleanRoom,
  Detected,
  OnCommand,
  RunOptions,
  TestResult,
  UnsteadyTest,
  Workspace,
} from './types.ts'
import { withoutUnsteady } from './unsteady.ts'
import { withCachedList } from './workspace.ts'

export interface GatherOptions extends CallersFiles {
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
  /** Called before the checks, to see what changed. */
  readonly changes?: ((workspace: Workspace, baseline: Baseline) => Promise<void>) | undefined
  /** Hears of the commands of the checks while they run. */
  readonly onCommand?: OnCommand | undefined
  readonly claim: boolean
  /** The next claim needs its rooms again. The caller calls `removeRooms` after the last one. */
  readonly keepRooms?: true
  /** A run decides, and not `check` or a hook. */
  readonly isRun?: true
  /** Before the first iteration: tests that fail run again alone. */
  readonly isBaseline?: true
  readonly task?: string | undefined
  readonly taskTexts: readonly string[]
  /** Ids of the tasks that the user skipped. */
  readonly skipped?: readonly string[] | undefined
  /** Findings that the user accepted. */
  readonly accepted?: readonly AcceptedFinding[] | undefined
  /** The plan's text after the previous iteration (`planText`). */
  readonly previousPlan?: string | undefined
  /** The run's own baseline; without it, the last commit is the baseline. */
  readonly baselineId?: string | undefined
  /** A git revision to compare with, instead of the stored baseline. */
  readonly base?: string | undefined
  /** An earlier tree to compare the files with, although the work is counted from the last commit. */
  readonly reference?: Reference | undefined
  /** For a new baseline: files whose change was refused before. They keep their earlier state. */
  readonly carried?: readonly Carried[]
  /** Without a claim, some of the tests are enough, if the policy agrees. */
  readonly quick?: boolean
  /** The longest time that each check took before, in ms, which determines its deadline. */
  readonly slowest?: Readonly<Record<string, number>> | undefined
  readonly ignore: readonly string[]
  readonly at: number
  readonly signal?: AbortSignal
}

/** A baseline stored in this folder. */
export interface Reference {
  readonly dir: string
  readonly id: string
}

/** Where and with what the checks run. */
export interface Setting {
  readonly workspace: Workspace
  readonly commands: readonly Detected[]
  readonly baseline?: Baseline | undefined
  readonly snapshot: GitSnapshot
  readonly seen?: FileStates | undefined
  readonly outputs: OutputFiles
  readonly openRoom?: (() => Promise<CleanRoom>) | undefined
  /** Only these checks. */
  readonly only?: ReadonlySet<string>
  /** Only to see whether more passes here than in another place: failing tests don't run again. */
  readonly toCompare?: true
  /** For people: where the tests of the baseline run. */
  readonly where?: string | undefined
}

export interface GatheredOnce {
  readonly evidence: EvidenceSet
  readonly problems: readonly string[]
  readonly tests?: TestRun
  /** Before the first iteration: tests that failed for a reason that is not in the code. */
  readonly unsteady?: readonly UnsteadyTest[]
  /** Lines of commands that failed, about something that is missing or forbidden, by what they are in any place. */
  readonly lacks: ReadonlyMap<string, string>
  /** Adds the test results to the history of flaky tests. Call it if this is the evidence that counts. */
  record(): void
}

/** Runs every check once, in one place. */
export async function gatherOnce(asked: Setting, options: GatherOptions): Promise<GatheredOnce> {
  const { baseline, only } = asked
  const workspace = withCachedList(asked.workspace)
  const lacks = new Map<string, string>()
  const setting = { ...asked, workspace: listening(workspace, lacks) }
  const history = openFlakeHistory(options.stateDir, { later: true })
  const input = inputOf(setting, options, history)
  const { context } = input
  const maximumMs = context.deadlineMs
  const isTest = (path: string) => isTestFile(path, workspace.read(path))
  const hasNewTests = options.claim && baseline !== undefined && (await changedSince(baseline, workspace)).some(isTest)
  const deadlineOf = ({ name, deadlineMs }: Pick<Check, 'name' | 'deadlineMs'>) => {
    if (deadlineMs !== undefined) return deadlineMs
    const before = baseline?.evidence[name]?.ms
    return deadlineFor(
      before === undefined ? [] : [before, options.slowest?.[name] ?? 0],
      maximumMs,
      hasNewTests && name === 'tests',
    )
  }
  const checks = checksFor(input, options.moreChecks).filter(({ name }) => only?.has(name) ?? true)
  const collected = await collect(checks, context, { deadlineOf })
  const evidence = Object.entries(collected.evidence).map(([name, each]) => [
    name,
    withNextDeadline(each, deadlineOf({ name }), maximumMs),
  ])
  const isTested = input.testCommands.length > 0 && checks.some(({ name }) => name === 'tests')
  const none: Partial<CollectedTests> = {}
  // If the tests could not be run, for example without a temporary folder, their check says why.
  const { run, unsteady = [] } =
    isTested && options.signal?.aborted !== true ? await input.tests(context).catch(() => none) : none
  const tests = run && withoutUnsteady(run, unsteady)
  return {
    evidence: Object.fromEntries(evidence),
    problems: collected.problems,
    lacks,
    ...(tests !== undefined && { tests }),
    ...(unsteady.length > 0 && { unsteady }),
    record: () => {
      if (tests !== undefined) history.save()
    },
  }
}

const LACKS =
  /no such file|not found|not exist|cannot find|can't (?:find|open)|cannot open|could not (?:find|open|be found)|no module named|not a git repository|permission denied|not permitted|read-only file|\bE(?:NOENT|ACCES|PERM|ROFS)\b/i
const LONGEST_LINE = 200

/** Collects what commands that fail say about something that is missing or forbidden. */
function listening(workspace: Workspace, lacks: Map<string, string>): Workspace {
  const { dir, copy = { dir, seenAs: dir } } = workspace
  return {
    ...workspace,
    async run(...call) {
      const result = await workspace.run(...call)
      if (result.ended !== 'exit' || result.code === 0) return result
      for (const line of plain(result.output).split('\n')) {
        if (!LACKS.test(line)) continue
        const here = [copy.dir, copy.seenAs, dir].reduce((text, path) => text.replaceAll(path, '.'), line).trim()
        lacks.set(here.replaceAll(/\d+/g, '0'), redact(here.slice(0, LONGEST_LINE)))
      }
      return result
    },
  }
}

/** These read files and git. All others run commands. */
const READ_ONLY = new Set(
  'changed clean tampering special-cased checklist criteria artifacts documents task-done'.split(' '),
)

export const runsCommands = (check: string): boolean => !READ_ONLY.has(check)

/** The evidence of commands, with the place where they ran. */
export const withPlace = (evidence: EvidenceSet, ranIn: RanIn): EvidenceSet =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, each]): [string, Evidence] => {
      if (!runsCommands(name) || each.counts?.runs === 0) return [name, each]
      const space = each.detail.endsWith('\n') ? '' : ' '
      const detail = name === 'tests' ? `${each.detail}${space}${placeSentence(each, ranIn)}` : each.detail
      return [name, { ...each, detail, ranIn }]
    }),
  )

function placeSentence({ answer }: Evidence, { cleanRoom, why, sandbox }: RanIn): string {
  if (!cleanRoom) return `Not in a clean room: ${why}.`
  const hint = answer === 'yes' ? '' : ', without ignored files'
  return `Ran in a clean room${hint}${sandbox === undefined ? '' : ` (${sandbox})`}.`
}

function inputOf(setting: Setting, options: GatherOptions, history: FlakeHistory): CheckInput {
  const { config, checks: policy, task, taskTexts, skipped, previousPlan, accepted = [] } = options
  const { commands, snapshot } = setting
  const testCommands = preferred(commands, 'test')
  return {
    config,
    policy,
    stateDir: options.stateDir,
    context: contextOf(setting, options),
    testCommands,
    tests: testsOf(testCommands, options, history, setting),
    snapshot,
    taskTexts,
    accepted,
    task,
    skipped,
    previousPlan,
    isRun: options.isRun,
    said: options.said,
  }
}

function contextOf(setting: Setting, options: GatherOptions): CheckContext {
  const { workspace, baseline, snapshot, openRoom } = setting
  return {
    workspace,
    ...(baseline === undefined ? {} : { baseline }),
    claim: options.claim,
    tree: snapshot.tree,
    taskTexts: [...options.taskTexts, ...folderTexts(workspace, options.config.plan)],
    deadlineMs: longestMs(setting.baseline, options),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(openRoom === undefined ? {} : { openRoom }),
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

/** The tests run once, however many checks need their results. */
function testsOf(
  commands: readonly Detected[],
  { config, checks, at, quick, claim, accepted = [], isBaseline, isRun }: GatherOptions,
  history: FlakeHistory,
  { seen, toCompare, outputs, where, baseline }: Setting,
): CheckInput['tests'] {
  const { confirmRuns, quarantine, canary, allow, confirmAllMinutes, expects, reset } = config.evidence
  const run: TestsOptions['run'] = async (detected, options, workspace) => {
    const unset = await notReset(reset, options, workspace)
    if (unset !== undefined) return unset
    const result = await runTestCommand(workspace, detected, options)
    const wasSo = wasByExitCode(baseline?.tests, detected.command)
    return isBaseline || wasSo ? withExitCode(result, detected, wasSo) : result
  }
  const longMs = confirmAllMinutes === undefined ? undefined : confirmAllMinutes * 60_000
  const asked = { commands, run, canary, isRun, withoutChange: true, longMs, ...(expects && { expects }) }
  const options: TestsOptions = {
    commands,
    run,
    moreRuns: Math.max(confirmRuns, checks.confirmRuns ?? 0) - 1,
    ...((isBaseline || claim) && { why: `all tests${where === undefined ? '' : `, ${where}`}` }),
    ...(isBaseline && !toCompare && { rerunFailing: true }),
    ...(!toCompare && {
      experiments: (own, isHeld, context) =>
        experimentsOn(own, { ...asked, ...config.baseline, accepted, allow, isHeld }, context),
    }),
    quarantine,
    ...config.baseline,
    accepted,
    allow,
    history,
    ...(seen === undefined ? {} : { seen }),
    outputs,
    now: () => at,
  }
  const isQuick = quick === true && !claim && checks.quick === true && isBaseline !== true
  const collectAll = async (context: CheckContext): Promise<CollectedTests> => {
    const known = claim && checks.proof === true && config.requireChange ? await resultAtStart(context) : undefined
    if (known !== undefined) return notAgain(await collectTests(withResult(options, known), context))
    const some = isQuick ? await quickCommands(commands, config, context) : undefined
    return some === undefined
      ? collectTests(options, context)
      : collectQuickTests({ ...options, commands: some }, context)
  }
  let collected: Promise<CollectedTests> | undefined
  return (context) => {
    collected ??= collectAll(context)
    return collected
  }
}

/** What services that the tests share contain is reset first. Tests that can't rely on that don't run. */
async function notReset(
  command: string | undefined,
  { deadlineMs, signal, as }: RunOptions,
  workspace: Workspace,
): Promise<TestResult | undefined> {
  if (command === undefined) return undefined
  const ran = await workspace.run(command, {
    deadlineMs,
    ...(signal && { signal }),
    ...(as && { as: { ...as, command } }),
  })
  if (ran.ended === 'aborted' || (ran.ended === 'exit' && ran.code === 0)) return undefined
  const problem = `evidence.reset (${command}) ${ran.ended === 'exit' ? `exited with ${ran.code}` : 'did not finish'}`
  return { ran: { ...ran, ended: 'not-started', problem }, source: 'none' }
}

/** What the tests showed before the work, if nothing has changed since then: a claim without a change completes nothing. */
async function resultAtStart({ baseline, workspace }: CheckContext): Promise<TestResult | undefined> {
  const { tests: run } = baseline ?? {}
  if (baseline === undefined || run === undefined || run.ok === null) return undefined
  if ((await changedSince(baseline, workspace)).length > 0) return undefined
  return { ran: { code: run.ok ? 0 : 1, ended: 'exit', output: '', cut: 0, ms: 0 }, run, source: 'report' }
}

function withResult(
  { history: _history, experiments: _experiments, ...rest }: TestsOptions,
  known: TestResult,
): TestsOptions {
  return { ...rest, commands: rest.commands.slice(0, 1), moreRuns: 0, run: async () => known }
}

const NOT_AGAIN = 'Nothing has changed since these tests ran, so they did not run again.'

const notAgain = ({ evidence, ...rest }: CollectedTests): CollectedTests => ({
  ...rest,
  evidence: evidence.map((each) => ({
    ...each,
    detail: `${each.detail} ${NOT_AGAIN}`,
    counts: { ...each.counts, runs: 0, greenRuns: 0 },
  })),
})

/** The checks of the policy and the configuration, then those of the caller. */
function checksFor(input: CheckInput, more: readonly Check[] = []): readonly Check[] {
  const asked = CHECKS.filter(({ name, onlyListed }) => onlyListed !== true || input.policy.also.includes(name))
  return [...asked.flatMap((definition) => definition.checksFor(input)), ...more]
}
