import { randomInt } from 'node:crypto'
import { count } from '../../core/count.ts'
import type { Answer, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { FileStates } from '../baseline/file-states.ts'
import type { Canary, CanaryOptions } from '../canary/index.ts'
import type { Flake, FlakeHistory } from '../flakes.ts'
import { type Quarantine, type Quarantined, quarantineAt } from '../quarantine.ts'
import { compareContext } from '../test-results/compare.ts'
import { type AcceptedTests, testFindings } from '../test-results/findings.ts'
import { flakesOf } from '../test-results/flaked.ts'
import { type JudgedRound, judgeRound } from '../test-results/judge-round.ts'
import { type RunTests, runRound, type TestRound, type Trouble } from '../test-results/round.ts'
import {
  countsSentence,
  flakeSentence,
  listPaths,
  namedTests,
  quarantineSentences,
  testSentences,
} from '../test-results/sentences.ts'
import { type TreeChanges, type TreeWatch, watchTree } from '../test-results/tree-watch.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import type { ConfirmOptions } from './confirm-changed.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'

export interface TestsOptions extends Partial<AcceptedTests> {
  readonly commands: readonly Detected[]
  readonly run: RunTests
  /** Further runs on a claim, on the same tree; 1 by default. */
  readonly confirmRuns?: number
  /** For a slow suite: runs only changed and fixed tests again. Undefined if all have to run again. */
  readonly confirm?: (options: ConfirmOptions, context: CheckContext) => Promise<number | undefined>
  /** On a claim: shows whether the tests can fail at all. */
  readonly canary?: (options: CanaryOptions, context: CheckContext) => Promise<Canary>
  readonly quarantine?: readonly Quarantined[]
  readonly history?: FlakeHistory
  /** The files as they were when the tree was identified; read again if absent. */
  readonly seen?: FileStates
  readonly now?: () => number
}

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
  const quarantine = quarantineAt(options.quarantine ?? [], at)
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
  const judge = (round: TestRound, flakes: readonly Flake[] = []) =>
    judgeRound(round, context.baseline?.tests, contextFor, quarantine, flakes)
  const rounds: JudgedRound[] = []
  let tree: TreeChanges = { changed: [], rewritten: [] }
  let canary: Canary | undefined
  // Code that counts its runs must not know which of them is the canary.
  const canaryAfter = claim ? 1 + randomInt(wanted) : 0
  const runTwice = wanted > 1 && options.confirm !== undefined
  let confirmed: number | undefined
  while (rounds.length < wanted && signal?.aborted !== true) {
    const limits = { deadlineMs, ...(signal !== undefined && { signal }) }
    const startedRound = awake.now()
    const round = await runRound(options.commands, options.run, limits, workspace)
    const ms = awake.now() - startedRound
    rounds.push(await judge(round))
    tree = await watch.changes()
    if (!rounds.at(-1)!.green || tree.changed.length > 0) break
    const confirm = async () =>
      runTwice && rounds.length === 1 ? options.confirm?.({ ...options, now: round.run! }, context) : undefined
    if (canaryAfter > 1) confirmed = await confirm()
    if (rounds.length === canaryAfter || confirmed !== undefined)
      canary = await options.canary?.({ ...options, now: round.run!, ms }, context)
    if (canary?.state === 'disarmed') break
    if (canaryAfter <= 1) confirmed ??= await confirm()
    if (confirmed !== undefined) break
  }
  if (rounds.length === 0) return { evidence: finish('unknown', 'The run was interrupted before the tests ran.') }

  const flaked = flakesOf(rounds, options.history, context.tree)
  const uncoveredFlakes = flaked.flakes.filter((flake) => quarantine.active(flake) === undefined)
  const last = uncoveredFlakes.length === 0 ? rounds.at(-1)! : await judge(rounds.at(-1)!.round, uncoveredFlakes)
  const findings: Findings = {
    last,
    rounds,
    wanted,
    tree,
    uncoveredFlakes,
    unnamedFlake: flaked.unnamed,
    canary,
    confirmed,
  }
  // Before this run is recorded: the rate covers earlier runs only.
  const flakes =
    uncoveredFlakes.length > 0 || flaked.unnamed !== undefined ? flakeText(findings, options.history) : undefined
  const steady = tree.changed.length === 0
  options.history?.record({
    // If the tree changed meanwhile, the results don't belong to any tree.
    tree: steady ? context.tree : '',
    at,
    rounds: rounds.map(({ green, failing }) => ({ green, failed: failing.map(({ name }) => name) })),
    flaky: flaked.flakes.map(({ name }) => name),
  })
  const detail = detailOf(findings, flakes, flaked.flakes, quarantine)
  const counts = countsOf(findings, steady ? options.history?.onTree(context.tree)?.green : 0)
  const answer = answerOf(findings)
  const { run } = last.round
  const named = namedTests(last.failing, last.comparison?.fixed, last.accepted)
  const more = { counts, ...(named !== undefined && { named }), ...testFindings(last, answer) }
  return {
    evidence: finish(answer, detail, more, flakes),
    ...(run !== undefined && { run }),
  }
}

interface Findings {
  readonly last: JudgedRound
  readonly rounds: readonly JudgedRound[]
  readonly wanted: number
  readonly tree: TreeChanges
  /** Flakes that no quarantine covers. */
  readonly uncoveredFlakes: readonly Flake[]
  readonly unnamedFlake: string | undefined
  readonly canary: Canary | undefined
  /** Tests that passed again, if not all ran again. */
  readonly confirmed: number | undefined
}

function answerOf(findings: Findings): Answer {
  const { last, rounds, tree, uncoveredFlakes, unnamedFlake, canary } = findings
  const { failing, comparison, round } = last
  const { missing = [], unnamed = 0 } = comparison ?? {}
  const refuted = failing.length + missing.length + unnamed > 0 || round.troubles.some(({ answer }) => answer === 'no')
  const flipped = rounds.length > 1 && rounds[0]!.green && !last.green
  if (tree.changed.length > 0) return 'unknown'
  // Tests that passed a moment ago on the same tree are flaky, not failing.
  if (refuted) return flipped ? 'unknown' : 'no'
  if (canary?.state === 'disarmed') return 'unknown'
  return last.green && isConfirmed(findings) && uncoveredFlakes.length === 0 && unnamedFlake === undefined
    ? 'yes'
    : 'unknown'
}

const isConfirmed = ({ rounds, wanted, confirmed }: Findings): boolean =>
  rounds.length === wanted || confirmed !== undefined

function flakeText({ uncoveredFlakes, unnamedFlake }: Findings, history: FlakeHistory | undefined): string {
  if (uncoveredFlakes.length === 0) return `Different results for the same code: ${unnamedFlake}.`
  return flakeSentence(uncoveredFlakes, (name) => history?.rateOf(name))
}

function detailOf(
  findings: Findings,
  flakes: string | undefined,
  flaked: readonly Flake[],
  quarantine: Quarantine,
): string {
  const { last, rounds, wanted, tree, canary, confirmed } = findings
  const { round, comparison, failing, accepted } = last
  const touched = [...(comparison?.tests ?? []), ...flaked]
  const entries = (find: Quarantine['active']) => {
    const found = touched.flatMap((test) => {
      const entry = find(test, test.file)
      return entry === undefined ? [] : [[test.name, { name: test.name, entry }] as const]
    })
    return [...new Map(found).values()]
  }
  const { tests: all = [], missing = [], fixed = [], unnamed = 0, fewer = 0 } = comparison ?? {}
  const dropped = all.filter((test) => test.change === 'missing' && !test.blocks)
  return [
    ...(tree.changed.length > 0 ? [`Files changed while the tests ran: ${listPaths(tree.changed)}.`] : []),
    ...round.troubles.map(({ why }: Trouble) => why),
    ...(canary?.state === 'disarmed' ? [canary.detail] : []),
    ...(round.run === undefined ? [] : [countsSentence(round.run, rounds.length)]),
    ...testSentences({ failing, accepted, missing, dropped, fixed }),
    ...(unnamed > 0 ? [`The report does not name ${count(unnamed, 'failing test')}.`] : []),
    ...(fewer > 0 ? [`${count(fewer, 'fewer test')} ran than before, and the report does not say which.`] : []),
    ...(flakes === undefined ? [] : [flakes]),
    ...(canary !== undefined && canary.state !== 'disarmed' && last.green ? [canary.detail] : []),
    ...(confirmed === undefined ? [] : [`${count(confirmed, 'changed or newly fixed test')} passed a second time.`]),
    ...(last.green && !isConfirmed(findings) && tree.changed.length === 0 && canary?.state !== 'disarmed'
      ? [`Only ${rounds.length} of ${count(wanted, 'run')} done.`]
      : []),
    ...quarantineSentences(entries(quarantine.active), entries(quarantine.expired)),
    ...quarantine.problems,
    ...(tree.rewritten.length > 0
      ? [`Rewritten with the same content while the tests ran: ${listPaths(tree.rewritten)}.`]
      : []),
  ].join(' ')
}

function countsOf(
  { last, rounds, canary, confirmed }: Findings,
  greenOnTree: number | undefined,
): Record<string, number> {
  const { round, comparison, accepted } = last
  const green = last.green ? rounds.filter((judgedRound) => judgedRound.green).length : 0
  const broken = {
    ...(canary?.state === 'armed' && { canary: canary.failed }),
    ...(canary?.state === 'disarmed' && { disarmed: canary.passed }),
  }
  const again = confirmed === undefined ? {} : { confirmed }
  const counts = { runs: rounds.length, greenRuns: greenOnTree ?? green, ...again, ...broken }
  if (round.run === undefined) return counts
  const { passed, failed, skipped, aside = 0 } = round.run
  const [missing, fixed] = [comparison?.missing.length ?? 0, comparison?.fixed.length ?? 0]
  const ran = { total: round.run.total - aside, passed, failed, skipped }
  return { ...ran, excused: accepted.length, missing, fixed, ...counts }
}
