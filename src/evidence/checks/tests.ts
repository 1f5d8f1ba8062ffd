import { isByExitCode, wasByExitCode } from '../../../packages/exitgate/src/checks/exit-code.ts'
import type { Own } from '../../../packages/exitgate/src/checks/experiments.ts'
import type { TestCase } from '../../../packages/test-output/src/types.ts'
import type { Answer, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { FileStates } from '../baseline/file-states.ts'
import type { OutputFiles } from '../callers-files.ts'
import { suspectsIn } from '../canary/suspects.ts'
import type { Proof } from '../experiments.ts'
import type { FlakeHistory } from '../flakes.ts'
import { compareRuns, type Flake } from '../flakes.ts'
import { quarantineAt } from '../quarantine.ts'
import { answerOf, countsOf, detailOf, type Findings, flakeText, runsIn } from '../test-results/answer.ts'
import { compareContext } from '../test-results/compare.ts'
import { type AcceptedTests, testFindings } from '../test-results/findings.ts'
import { type JudgedRound, judgeRound } from '../test-results/judge-round.ts'
import { type RunTests, runRound, type TestRound } from '../test-results/round.ts'
import { namedTests } from '../test-results/sentences.ts'
import { type TreeChanges, type TreeWatch, watchTree } from '../test-results/tree-watch.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import { findUnsteady, isNamedInTask, withUnsteady } from '../unsteady.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'

export interface TestsOptions extends Partial<AcceptedTests> {
  readonly commands: readonly Detected[]
  readonly run: RunTests
  /** Further complete runs on a claim, on the same tree, next to the one with the original tests. */
  readonly moreRuns?: number
  /** For people: what the run is for. */
  readonly why?: string
  /** Before the first iteration: tests that fail run again alone, to find those that change their result by themselves. */
  readonly rerunFailing?: boolean
  /** On a claim whose tests pass: what they prove, and whether they can fail at all. */
  readonly experiments?: (
    own: Own,
    isHeld: (test: TestCase) => boolean,
    context: CheckContext,
  ) => Promise<Proof | undefined>
  readonly quarantine?: Parameters<typeof quarantineAt>[0]
  readonly history?: FlakeHistory
  /** The files as they were when the tree was identified; read again if absent. */
  readonly seen?: FileStates
  readonly outputs?: OutputFiles
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

/** Runs the project's tests, judges the results, and on a claim tries what they prove. */
export async function collectTests(options: TestsOptions, context: CheckContext): Promise<CollectedTests> {
  const started = awake.now()
  const { workspace, claim, deadlineMs, signal, tree: id } = context
  const at = (options.now ?? Date.now)()
  const listed = quarantineAt(options.quarantine ?? [], at)
  let unsteady = context.baseline?.unsteady ?? []
  const finish = (answer: Answer, detail: string, more: Partial<Evidence> = {}, flakes?: string): Evidence[] => {
    const ms = Math.round(awake.now() - started)
    const tests: Evidence = { check: 'tests', answer, detail, ...more, ms, tree: id }
    if (flakes === undefined) return [tests]
    return [tests, { check: 'flakes', answer: 'unknown', detail: `${flakes} ${FLAKE_REMEDY}`, ms: 0, tree: id }]
  }
  if (options.commands.length === 0)
    return { evidence: finish('unknown', 'No test command found. Pass --test "..." or set commands.test.') }
  if (signal?.aborted === true) return { evidence: finish('unknown', 'The run was interrupted before the tests ran.') }

  // Commands in a private copy can't be shown other files, so there is nothing to watch.
  const watch = workspace.copy === undefined ? await watchTree(workspace, options) : UNWATCHED
  const { accept = [], acceptFailing = false, accepted = [], allow = [] } = options
  // A command that reported no tests counts only while it is used.
  const then = context.baseline?.tests
  const isSame = !isByExitCode(then) || options.commands.some(({ command }) => wasByExitCode(then, command))
  const atStart = isSame ? then : undefined
  const contextFor = compareContext(context, { accept, acceptFailing, accepted, allow })
  const quarantineFor = ({ run }: TestRound) => withUnsteady(listed, unsteady, run)
  const judge = (round: TestRound, flakes: readonly Flake[] = []) =>
    judgeRound(round, atStart, contextFor, quarantineFor(round), flakes)
  const as = { check: 'tests', ...(options.why !== undefined && { why: options.why }) }
  const limits = { as, deadlineMs, ...(signal !== undefined && { signal }) }
  const rounds: JudgedRound[] = []
  let tree: TreeChanges = { changed: [], rewritten: [] }
  let proof: Proof | undefined
  const wanted = 1 + (claim ? Math.max(0, options.moreRuns ?? 0) : 0)
  while (rounds.length < wanted) {
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
    if (!judged.green || tree.changed.length > 0) break
    if (claim && rounds.length === wanted && round.run !== undefined) {
      const quarantine = quarantineFor(round)
      const isHeld = (test: TestCase) => quarantine.active(test) !== undefined
      proof = await options.experiments?.({ run: round.run, ms }, isHeld, context)
      tree = await watch.changes()
    }
  }
  const flaked = flakesOf(rounds, proof?.flaky ?? [], options.history, id)
  const quarantine = quarantineFor(rounds.at(-1)!.round)
  const uncoveredFlakes = flaked.flakes.filter((flake) => quarantine.active(flake) === undefined)
  const last = uncoveredFlakes.length === 0 ? rounds.at(-1)! : await judge(rounds.at(-1)!.round, uncoveredFlakes)
  const suspects = proof?.broken?.state === 'disarmed' ? suspectsIn(proof.sources, workspace.read) : []
  const findings: Findings = { last, rounds, tree, proof, suspects, uncoveredFlakes, unnamedFlake: flaked.unnamed }
  // Before this run is recorded: the rate covers earlier runs only.
  const flakes =
    uncoveredFlakes.length > 0 || flaked.unnamed !== undefined ? flakeText(findings, options.history) : undefined
  const steady = tree.changed.length === 0
  const again = runsIn(findings) - rounds.length
  const greenAgain = { green: uncoveredFlakes.length === 0, failed: uncoveredFlakes.map(({ name }) => name) }
  options.history?.record({
    // If the tree changed meanwhile, the results don't belong to any tree.
    tree: steady ? id : '',
    at,
    rounds: [
      ...rounds.map(({ green, failing }) => ({ green, failed: failing.map(({ name }) => name) })),
      ...Array.from({ length: again }, () => greenAgain),
    ],
    flaky: flaked.flakes.map(({ name }) => name),
  })
  const detail = detailOf(findings, flakes, flaked.flakes, quarantine)
  const counts = countsOf(findings, steady ? options.history?.onTree(id)?.green : 0)
  const answer = answerOf(findings)
  const { run } = last.round
  const named = namedTests(last.failing, last.comparison?.fixed, last.accepted, last.unsteady)
  const more = { counts, ...(named !== undefined && { named }), ...testFindings(last, answer) }
  return {
    evidence: finish(answer, detail, more, flakes),
    ...(run !== undefined && { run }),
    ...(proof && { proof }),
    ...(options.rerunFailing && unsteady.length > 0 && { unsteady }),
  }
}

/** The failing tests as the report has them. */
const failingIn = ({ run }: TestRound, { failing }: JudgedRound): readonly TestCase[] => {
  const names = new Set(failing.map(({ name }) => name))
  return (run?.tests ?? []).filter(({ name, state }) => state === 'failed' && names.has(name))
}

/** Differences between runs on the same files, and between them and earlier ones on the same tree. */
function flakesOf(
  rounds: readonly JudgedRound[],
  failedAgain: readonly TestCase[],
  history: FlakeHistory | undefined,
  tree: string,
) {
  const runs = rounds.flatMap(({ round }) => (round.run === undefined ? [] : [round.run]))
  const { flakes, unnamed } = compareRuns(runs)
  const before = history?.onTree(tree)
  const greenNow = rounds.at(-1)!.green ? (before?.green ?? 0) + rounds.filter(({ green }) => green).length : 0
  const failedThen = new Set(before?.failed ?? [])
  const passing = runs.at(-1)?.tests?.filter(({ name, state }) => state === 'passed' && failedThen.has(name)) ?? []
  const asFlake =
    (...states: readonly string[]) =>
    ({ name, file }: TestCase): Flake => ({ name, ...(file !== undefined && { file }), states })
  const turned = greenNow >= SETTLED_RUNS ? [] : passing.map(asFlake('failed earlier', 'passed'))
  const found = [...failedAgain.map(asFlake('passed', 'failed')), ...turned]
  const fresh = found.filter(({ name }) => !flakes.some((flake) => flake.name === name))
  return { flakes: [...flakes, ...fresh], ...(unnamed !== undefined && { unnamed }) }
}
