import { randomInt } from 'node:crypto'
import type { TestCase } from '../../../packages/test-output/src/types.ts'
import type { Answer, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { FileStates } from '../baseline/file-states.ts'
import type { Canary, CanaryOptions } from '../canary/index.ts'
import type { FlakeHistory } from '../flakes.ts'
import { compareRuns, type Flake } from '../flakes.ts'
import { quarantineAt } from '../quarantine.ts'
import { answerOf, countsOf, detailOf, type Findings, flakeText } from '../test-results/answer.ts'
import { compareContext } from '../test-results/compare.ts'
import { type AcceptedTests, testFindings } from '../test-results/findings.ts'
import { type JudgedRound, judgeRound } from '../test-results/judge-round.ts'
import { type RunTests, runRound, type TestRound } from '../test-results/round.ts'
import { namedTests } from '../test-results/sentences.ts'
import { type TreeChanges, type TreeWatch, watchTree } from '../test-results/tree-watch.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import { findUnsteady, isNamedInTask, withUnsteady } from '../unsteady.ts'
import type { Confirmed, ConfirmOptions } from './confirm-changed.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'

export interface TestsOptions extends Partial<AcceptedTests> {
  readonly commands: readonly Detected[]
  readonly run: RunTests
  /** Further runs on a claim, on the same tree; 1 by default. */
  readonly confirmRuns?: number
  /** For a slow suite: runs only changed and fixed tests again. */
  readonly confirm?: (options: ConfirmOptions, context: CheckContext) => Promise<Confirmed>
  /** Before the first iteration: tests that fail run again alone, to find those that change their result by themselves. */
  readonly rerunFailing?: boolean
  /** On a claim: shows whether the tests can fail at all. */
  readonly canary?: (options: CanaryOptions, context: CheckContext) => Promise<Canary>
  readonly quarantine?: Parameters<typeof quarantineAt>[0]
  readonly history?: FlakeHistory
  /** The files as they were when the tree was identified; read again if absent. */
  readonly seen?: FileStates
  readonly now?: () => number
}

/** After this many passing runs in a row, a tree that failed before counts as settled. */
const SETTLED_RUNS = 4
const UNWATCHED: TreeWatch = { changes: async () => ({ changed: [], rewritten: [] }) }
const FLAKE_REMEDY = 'Make the results stable, or list the test in evidence.quarantine.'

export const tests: CheckDefinition = {
  name: 'tests',
  checksFor: ({ testCommands, tests }) =>
    testCommands.length === 0 ? [] : [{ name: 'tests', collect: async (context) => (await tests(context)).evidence }],
}

export function testsCheck(options: TestsOptions): Check {
  return { name: 'tests', collect: async (context) => (await collectTests(options, context)).evidence }
}

/** Runs the project's tests, again on a claim, and judges the results. */
export async function collectTests(options: TestsOptions, context: CheckContext): Promise<CollectedTests> {
  const started = awake.now()
  const { workspace, claim, deadlineMs, signal } = context
  const at = (options.now ?? Date.now)()
  const listed = quarantineAt(options.quarantine ?? [], at)
  let unsteady = context.baseline?.unsteady ?? []
  const wanted = 1 + (claim ? Math.max(0, options.confirmRuns ?? 1) : 0)
  const finish = (answer: Answer, detail: string, more: Partial<Evidence> = {}, flakes?: string): Evidence[] => {
    const ms = Math.round(awake.now() - started)
    const { tree } = context
    const tests: Evidence = { check: 'tests', answer, detail, ...more, ms, tree }
    if (flakes === undefined) return [tests]
    return [tests, { check: 'flakes', answer: 'unknown', detail: `${flakes} ${FLAKE_REMEDY}`, ms: 0, tree }]
  }
  if (options.commands.length === 0)
    return { evidence: finish('unknown', 'No test command found. Pass --test "..." or set commands.test.') }

  // Commands in a private copy can't be shown other files, so there is nothing to watch.
  const watch = workspace.copy === undefined ? await watchTree(workspace, options.seen) : UNWATCHED
  const { accept = [], acceptFailing = false, accepted = [], allow = [] } = options
  const contextFor = compareContext(context, { accept, acceptFailing, accepted, allow })
  const quarantineFor = ({ run }: TestRound) => withUnsteady(listed, unsteady, run)
  const judge = (round: TestRound, flakes: readonly Flake[] = []) =>
    judgeRound(round, context.baseline?.tests, contextFor, quarantineFor(round), flakes)
  const rounds: JudgedRound[] = []
  let tree: TreeChanges = { changed: [], rewritten: [] }
  let canary: Canary | undefined
  // Code that counts its runs must not know which of them is the canary.
  const canaryAfter = claim ? 1 + randomInt(wanted) : 0
  let confirmed: number | undefined
  let needed = wanted
  while (rounds.length < needed && signal?.aborted !== true) {
    const as = { check: 'tests', ...(wanted > 1 && { run: Math.min(rounds.length + 1, wanted), of: wanted }) }
    const limits = { as, deadlineMs, ...(signal !== undefined && { signal }) }
    const startedRound = awake.now()
    const round = await runRound(options.commands, options.run, limits, workspace)
    const ms = awake.now() - startedRound
    let judged = await judge(round)
    if (options.rerunFailing && judged.failing.length > 0) {
      const repeated = failingIn(round, judged).filter((test) => !isNamedInTask(test, context.taskTexts))
      unsteady = await findUnsteady(repeated, { ...options, workspace, options: limits, ms })
      if (unsteady.length > 0) judged = await judge(round)
    }
    rounds.push(judged)
    tree = await watch.changes()
    if (tree.changed.length > 0 || !isWorthRepeating(rounds)) break
    if (!judged.green) continue
    const confirm = async (): Promise<number | undefined> => {
      if (wanted === 1 || rounds.length > 1) return undefined
      const once = async () => options.confirm?.({ ...options, now: round.run! }, context)
      const first = await once()
      if (first === undefined || (first !== 'failed' && !isCanaryRun(canary))) return first
      const second = await once()
      // One that passes and one that fails: then only two complete runs in a row count.
      if (second !== first) needed = Math.max(needed, 3)
      return second === first && first !== 'failed' ? first : undefined
    }
    if (canaryAfter > 1) confirmed = await confirm()
    if (rounds.length === canaryAfter || confirmed !== undefined)
      canary = await options.canary?.({ ...options, now: round.run!, ms }, context)
    if (canary?.state === 'disarmed') break
    // Tests that fail in every second run can pass before and after the canary, so then two runs in a row follow it.
    if (isCanaryRun(canary) && rounds.length === 1 && wanted === 2) needed = 3
    if (canaryAfter <= 1) confirmed ??= await confirm()
    if (confirmed !== undefined) break
  }
  if (rounds.length === 0) return { evidence: finish('unknown', 'The run was interrupted before the tests ran.') }

  const flaked = flakesOf(rounds, options.history, context.tree)
  const quarantine = quarantineFor(rounds.at(-1)!.round)
  const uncoveredFlakes = flaked.flakes.filter((flake) => quarantine.active(flake) === undefined)
  const last = uncoveredFlakes.length === 0 ? rounds.at(-1)! : await judge(rounds.at(-1)!.round, uncoveredFlakes)
  // A third run usually shows where the canary ran, which is a secret.
  const counted = rounds.every(({ green }) => green) ? rounds.slice(-wanted) : rounds
  const runs = { last, rounds: counted, wanted, tree, canary, confirmed }
  const findings: Findings = { ...runs, uncoveredFlakes, unnamedFlake: flaked.unnamed }
  // Before this run is recorded: the rate covers earlier runs only.
  const flakes =
    uncoveredFlakes.length > 0 || flaked.unnamed !== undefined ? flakeText(findings, options.history) : undefined
  const steady = tree.changed.length === 0
  options.history?.record({
    // If the tree changed meanwhile, the results don't belong to any tree.
    tree: steady ? context.tree : '',
    at,
    rounds: counted.map(({ green, failing }) => ({ green, failed: failing.map(({ name }) => name) })),
    flaky: flaked.flakes.map(({ name }) => name),
  })
  const detail = detailOf(findings, flakes, flaked.flakes, quarantine)
  const counts = countsOf(findings, steady ? options.history?.onTree(context.tree)?.green : 0)
  const answer = answerOf(findings)
  const { run } = last.round
  const named = namedTests(last.failing, last.comparison?.fixed, last.accepted, last.unsteady)
  const more = { counts, ...(named !== undefined && { named }), ...testFindings(last, answer) }
  return {
    evidence: finish(answer, detail, more, flakes),
    ...(run !== undefined && { run }),
    ...(options.rerunFailing && unsteady.length > 0 && { unsteady }),
  }
}

const isCanaryRun = (canary: Canary | undefined) => canary !== undefined && canary.state !== 'none'

/** A run that fails is repeated once, like one that passes: under load, tests fail that pass a moment later. */
function isWorthRepeating(rounds: readonly JudgedRound[]): boolean {
  const { green, failing, comparison, round } = rounds.at(-1)!
  if (rounds.length > 1) return rounds.every((each) => each.green)
  if (green) return true
  // What failed before the run already ran again then, and a test that is gone stays gone.
  if (failing.some(({ change }) => change === 'known') || (comparison?.missing.length ?? 0) > 0) return false
  const isRed = failing.length > 0 || round.troubles.some(({ answer }) => answer === 'no')
  return isRed && round.troubles.every(({ answer }) => answer === 'no')
}

/** The failing tests as the report has them. */
const failingIn = ({ run }: TestRound, { failing }: JudgedRound): readonly TestCase[] => {
  const names = new Set(failing.map(({ name }) => name))
  return (run?.tests ?? []).filter(({ name, state }) => state === 'failed' && names.has(name))
}

/** Differences between these runs, and between them and earlier ones on the same tree. */
function flakesOf(rounds: readonly JudgedRound[], history: FlakeHistory | undefined, tree: string) {
  const runs = rounds.flatMap(({ round }) => (round.run === undefined ? [] : [round.run]))
  const { flakes, unnamed } = compareRuns(runs)
  const before = history?.onTree(tree)
  const greenNow = rounds.at(-1)!.green ? (before?.green ?? 0) + rounds.filter(({ green }) => green).length : 0
  const failedThen = new Set(before?.failed ?? [])
  const passing = runs.at(-1)?.tests?.filter(({ name, state }) => state === 'passed' && failedThen.has(name)) ?? []
  const turned =
    greenNow >= SETTLED_RUNS
      ? []
      : passing.map(
          ({ name, file }): Flake => ({
            name,
            ...(file !== undefined && { file }),
            states: ['failed earlier', 'passed'],
          }),
        )
  const fresh = turned.filter(({ name }) => !flakes.some((flake) => flake.name === name))
  const turnedGreen = unnamed === undefined && rounds.some(({ green }) => green) && !rounds[0]!.green
  const all = [...flakes, ...fresh]
  const why = unnamed ?? (turnedGreen && all.length === 0 ? 'the first run failed, the next one passed' : undefined)
  return { flakes: all, ...(why !== undefined && { unnamed: why }) }
}
