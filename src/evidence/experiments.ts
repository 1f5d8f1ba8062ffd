import { commandsToProve, emptiedFiles, failingIn, isOnlyRenamed } from '../../packages/exitgate/src/checks/command.ts'
import { isByExitCode } from '../../packages/exitgate/src/checks/exit-code.ts'
import { expectsNothing } from '../../packages/exitgate/src/checks/expects.ts'
import {
  type Experiments,
  type Own,
  type Questions,
  runExperiments,
} from '../../packages/exitgate/src/checks/experiments.ts'
import { namesAll } from '../../packages/exitgate/src/checks/matched-tests.ts'
import {
  type OriginalsQuestion,
  outcomesOf,
  testKey,
  testsOfBoth,
} from '../../packages/exitgate/src/checks/originals.ts'
import { helperJudge } from '../../packages/exitgate/src/checks/replaces-product.ts'
import { withReported } from '../../packages/exitgate/src/checks/reported-to-prove.ts'
import { canBeLeftOut, originalSide, otherTests, roleOf } from '../../packages/exitgate/src/checks/sides.ts'
import { isNamed, nameOf, withoutEnding } from '../../packages/exitgate/src/checks/test-names.ts'
import { EXPERIMENTS, type Ran, type RunTree } from '../../packages/exitgate/src/checks/trees.ts'
import { unclearJudge, usedByTests } from '../../packages/exitgate/src/checks/unclear.ts'
import type { WithoutPlan } from '../../packages/exitgate/src/checks/without.ts'
import { shuffleOptions } from '../../packages/exitgate/src/frameworks/shuffle.ts'
import { isTestFile } from '../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestCase, TestRun } from '../../packages/test-output/src/types.ts'
import type { EvidenceConfig } from '../core/config.ts'
import { changedSince, viewOf } from './baseline/changed.ts'
import { breaker } from './canary/index.ts'
import { changesOf } from './changes-of.ts'
import { experimentDeadline } from './deadlines.ts'
import { hollowed } from './red-proof/hollow.ts'
import { type ChangedFile, planRedProof } from './red-proof/plan.ts'
import { combined, runInCopy } from './red-proof/run-copy.ts'
import type { ScratchOptions } from './red-proof/scratch.ts'
import { alone, inOrder, onlyFiles } from './runners/alone.ts'
import { withGrammars } from './syntax/parse.ts'
import { successorsOf } from './tampering/compare/successors.ts'
import { machineryIn } from './tampering/machinery/find.ts'
import { startedFiles } from './tampering/test-scripts/started-files.ts'
import type { AcceptedTests } from './test-results/findings.ts'
import type { RunTests } from './test-results/round.ts'
import { testIndex } from './test-results/test-index.ts'
import type { CheckContext, Detected, TestResult } from './types.ts'
import { removals } from './user-words.ts'

export interface ExperimentOptions extends Partial<AcceptedTests> {
  readonly commands: readonly Detected[]
  readonly run: RunTests
  /** Whether new and changed tests also run without the change. */
  readonly withoutChange: boolean
  /** Whether tests are broken on purpose. */
  readonly canary?: boolean | undefined
  readonly isRun?: true | undefined
  /** Tests in quarantine: their results don't count. */
  readonly isHeld: (test: TestCase) => boolean
  /** A suite that takes longer runs with the original tests only where the change can reach. */
  readonly longMs?: number | undefined
  /** What the work should show, if you said it. */
  readonly expects?: EvidenceConfig['expects']
  readonly scratch?: ScratchOptions
}

export interface Proof extends Experiments {
  readonly plan: WithoutPlan
  /** Run A was compared with the start test by test. */
  readonly isNamed: boolean
  /** Changed files that are neither tests nor documents or settings. */
  readonly sources: readonly string[]
  /** Of a long suite, the only test files of run B. */
  readonly onlyFiles?: readonly string[]
}

const SHORTEST_MS = 20_000

/** Prepares the experiments from the two trees and runs them. Undefined if nothing has changed, so that there is nothing to ask. */
export async function experimentsOn(
  own: Own,
  options: ExperimentOptions,
  context: CheckContext,
): Promise<Proof | undefined> {
  const { workspace, baseline, deadlineMs } = context
  const paths = baseline === undefined ? [] : await changedSince(baseline, workspace)
  if (baseline !== undefined && paths.length === 0) return undefined
  const changes = changesOf(paths, context)
  const asked = await originalsQuestion(changes, own.run, options, context)
  const scripts = asked.side.files.flatMap(({ path, started }) => (started === 'test' ? [path] : []))
  const plan = await planOf(changes, own.run, scripts, options, context)
  const limitMs = Math.max(SHORTEST_MS, Math.min(deadlineMs, 3 * own.ms + SHORTEST_MS))
  const fixed = plan.tests.flatMap(({ kind, file }) => (kind === 'fixed' ? [file] : []))
  const isLong = own.ms > (options.longMs ?? Number.POSITIVE_INFINITY)
  const only = isLong ? await reachedBy(changes, fixed, asked.side.files, context) : undefined
  const originals = { ...asked, ...(only && { only }) }
  const changed = changes.flatMap(({ path, after }) => (after === undefined ? [] : [path]))
  const added = changed.filter((path) => isTestFile(path, workspace.read(path)))
  const isCommand = isByExitCode(own.run)
  const choose = options.canary !== false && !isCommand ? await breaker({ ...options, own }, context) : undefined
  const emptied = () => withGrammars(() => hollowed(changes, plan.revert))
  const isAdded = options.isRun && baseline !== undefined && !baseline.commands.some(({ kind }) => kind === 'test')
  const questions: Questions = {
    ...(isAdded && { isAdded }),
    ...(options.withoutChange &&
      plan.tests.length > 0 &&
      plan.revert.length > 0 && {
        without: { plan, emptied },
      }),
    originals,
    ...(originals.side.files.length > 0 && { again: new Set(added) }),
    ...(choose && { broken: { choose, limitMs } }),
    ...(isCommand && {
      command: {
        emptied: async () =>
          (await emptied())?.files ?? emptiedFiles(changed.filter((path) => !scripts.includes(path))),
        failing: failingIn([...asked.scripts, ...added], (path) => workspace.read(path)),
        failingBefore: [
          ...changes.map(({ path, before }) => ({ path, ...(before !== undefined && { text: before }) })),
          ...failingIn(asked.scripts, (path) => baseline?.read(path) ?? workspace.read(path)),
        ],
        isOptional: expectsNothing(options.expects, context.taskTexts),
        limitMs,
      },
    }),
  }
  const isNamed = baseline?.tests !== undefined && namesAll(baseline.tests) && namesAll(own.run)
  const sources = changes.filter((change) => roleOf(change) === 'source').map(({ path }) => path)
  const found = await runExperiments(own, questions, runTree(own.ms, options, context))
  return { ...found, plan, sources, isNamed, ...(only && { onlyFiles: [...only] }) }
}

/** Test files that changed, that hold newly fixed tests, or that name a changed file; undefined if that may be any file. */
async function reachedBy(
  changes: readonly ChangedFile[],
  fixed: readonly string[],
  original: readonly { readonly path: string }[],
  { workspace, baseline }: CheckContext,
): Promise<ReadonlySet<string> | undefined> {
  const textOf = (path: string) => baseline?.read(path) ?? workspace.read(path)
  const isTests = (path: string) => isTestFile(path, textOf(path))
  if (fixed.includes('') || !original.every(({ path }) => isTests(path))) return undefined
  const stems = changes.map(({ path }) => withoutEnding(path))
  const names = (path: string) => {
    const words = new Set(textOf(path)?.split(/[^\p{L}\p{N}_.-]+|\.\w+(?!\w)/u))
    return stems.some((stem) => words.has(stem))
  }
  const reached = (await workspace.list()).filter((path) => isTests(path) && names(path))
  const all = new Set([...original.map(({ path }) => path), ...fixed, ...reached])
  return all.size === 0 ? undefined : all
}

/**
 * Every run gets a new copy; only a second run of a tree that was not in a copy stays where it is. Where only some test files are
 * needed, the others are left out of the copy, or out of the command.
 */
function runTree(ownMs: number, { commands, run, scratch }: ExperimentOptions, context: CheckContext): RunTree {
  const { workspace, signal, openRoom } = context
  const deadlineMs = experimentDeadline(ownMs, context.deadlineMs)
  const limits = (leftMs: number, why?: string) => ({
    as: { check: 'tests', ...(why && { why }) },
    deadlineMs: leftMs,
    ...(signal && { signal }),
  })
  const seed = String(1 + Math.floor(Math.random() * 9999))
  return async ({ experiment, put, only, shuffled, deadlineMs: limitMs = deadlineMs }) => {
    let order: string | undefined
    const ordered = (each: Detected): Detected => {
      const wanted = shuffled && shuffleOptions(each.runner ?? '', seed, workspace.read)
      const other = wanted && inOrder(each, wanted)
      if (other) order = wanted.options.join(' ')
      return other ?? each
    }
    const withOrder = (ran: Ran): Ran => ({ ...ran, ...(order !== undefined && { order }) })
    if (experiment === 'own' && openRoom === undefined) {
      const asked = [...(only ?? [])].map((file): TestCase => ({ name: '', state: 'passed', file }))
      const few = only === undefined ? commands : commands.map((each) => alone(each, asked) ?? each)
      const runOne = (each: Detected) => run(each, limits(limitMs, EXPERIMENTS[experiment]), workspace)
      return withOrder(await inPlace(few.map(ordered), runOne))
    }
    const textOf = (path: string) => {
      const other = put.find((each) => each.path === path)
      return other === undefined ? workspace.read(path) : other.text
    }
    const few = only && [...only].every(canBeLeftOut) ? await leftOut(only, put, context) : []
    const limited = only === undefined ? commands : commands.map((each) => onlyFiles(each, [...only], textOf) ?? each)
    const copied = runInCopy(workspace, {
      commands: limited.map(ordered),
      run: (copy, detected, limits) => run(detected, limits, copy),
      revert: [...few, ...[...put].sort((a, b) => Number(a.text !== undefined) - Number(b.text !== undefined))],
      deadlineMs: limitMs,
      why: EXPERIMENTS[experiment],
      ...((experiment === 'own' || experiment === 'broken') && { unnoticed: true as const }),
      ...(openRoom && { openRoom }),
      ...(signal && { signal }),
      ...(scratch && { scratch }),
    })
    return copied.then(withOrder, (error: unknown): Ran => {
      const why = error instanceof Error ? error.message : String(error)
      return { run: undefined, output: '', stopped: `the workspace could not be copied: ${why}` }
    })
  }
}

async function inPlace(commands: readonly Detected[], run: (detected: Detected) => Promise<TestResult>): Promise<Ran> {
  const results: TestResult[] = []
  for (const each of commands) results.push(await run(each))
  return combined(results)
}

/** The test files that none of the wanted ones mentions. */
async function leftOut(
  only: ReadonlySet<string>,
  put: Parameters<RunTree>[0]['put'],
  { workspace }: CheckContext,
): Promise<readonly { readonly path: string }[]> {
  const changed = new Map(put.map(({ path, text }) => [path, text]))
  const texts = [...only].map((path) => (changed.has(path) ? changed.get(path) : workspace.read(path)) ?? '')
  const isMentioned = (path: string) => texts.some((text) => text.includes(withoutEnding(path)))
  const others = otherTests(await workspace.list(), only).filter((path) => !isMentioned(path))
  return others.map((path) => ({ path }))
}

/** What run C reverts, and the tests that must notice: those in the files, those that only the report shows, and those that failed before. */
async function planOf(
  changes: readonly ChangedFile[],
  own: TestRun,
  scripts: readonly string[],
  { isHeld }: ExperimentOptions,
  { workspace, baseline }: CheckContext,
): Promise<WithoutPlan> {
  const read = await withGrammars(() => planRedProof(changes))
  const plan = { ...read, revert: read.revert.filter(({ path }) => !scripts.includes(path)) }
  // A report without names shows only that all pass now, and did not at the start.
  const isFixed = own.ok === true && (baseline?.tests?.failed ?? 0) > 0 && plan.tests.length === 0
  if (plan.revert.length === 0 || own.tests === undefined)
    return isFixed ? { ...plan, tests: [{ file: '', groups: [], name: '', kind: 'fixed' }] } : plan
  const then = outcomesOf(baseline?.tests?.tests ?? [])
  if (isByExitCode(own)) {
    const hasFailed = (name: string) => then.get(testKey({ name, state: 'failed' })) === 'failed'
    const isNew = (change: ChangedFile) =>
      change.after !== undefined && (scripts.includes(change.path) || roleOf(change) !== 'source')
    return { ...plan, tests: commandsToProve(own, hasFailed, changes.some(isNew)) }
  }
  const places = async () => testIndex(await viewOf(workspace), workspace.dir)
  return withReported(plan, own, then, changes, { isHeld, places })
}

async function originalsQuestion(
  changes: readonly ChangedFile[],
  own: TestRun,
  { isHeld, accept = [], acceptFailing = false, accepted = [] }: ExperimentOptions,
  context: CheckContext,
): Promise<OriginalsQuestion & { readonly scripts: readonly string[] }> {
  const { workspace, baseline } = context
  const before = baseline?.tests
  const paths = changes.map(({ path }) => path)
  const was = baseline && viewOf(baseline, paths)
  const tests = baseline?.commands.filter(({ kind }) => kind === 'test') ?? []
  const started = new Set(was === undefined ? [] : await withGrammars(() => startedFiles(tests, was.read)))
  const lines = tests.map(({ command, behind = '' }) => `${command} ${behind}`).join(' ')
  const used = was === undefined ? new Set<string>() : usedByTests(changes, was)
  const startedBy = (path: string) =>
    started.has(path) ? (lines.includes(nameOf(path)) ? 'command' : 'script') : used.has(path) ? 'test' : undefined
  const [now, past] = [await viewOf(workspace), was && (await testIndex(was, workspace.dir))]
  const fileOf = (test: TestCase) => past?.fileOf(test) ?? test.file
  const remaining = new Set((own.tests ?? []).map(testKey))
  const isRemovalAsked = before?.tests?.some((test) => !remaining.has(testKey(test)))
    ? await removals(context)
    : () => false
  const failed = new Set((before?.tests ?? []).filter(({ state }) => state === 'failed').map(testKey))
  const excused = new Set(accepted.filter(({ kind }) => kind.startsWith('test-')).flatMap(({ test = '' }) => test))
  const side = originalSide(changes, startedBy)
  const isOfTests = ({ path }: ChangedFile) => side.files.some((file) => file.path === path)
  const product = changes.filter((each) => !isOfTests(each))
  return {
    side,
    isOnlyRenamed: isByExitCode(own) && isOnlyRenamed(changes.filter(isOfTests), product),
    scripts: [...started].filter((path) => startedBy(path) === 'command'),
    before: testsOfBoth(before, own, (test) => past?.bodyOf(test) !== undefined),
    ...{ own, product },
    isOwnInCopy: context.openRoom !== undefined,
    fileOf,
    isExcused: (test) =>
      isHeld(test) ||
      excused.has(test.name) ||
      (acceptFailing !== false && failed.has(testKey(test))) ||
      (!remaining.has(testKey(test)) && isRemovalAsked(test)) ||
      accept.some((entry) => isNamed(entry, test, fileOf(test))),
    successorsOf: (wanted) => successorsOf(wanted, fileOf, paths, context),
    unclearHides: unclearJudge(changes, now),
    helperHides: helperJudge(changes, new Set(side.files.map(({ path }) => path)), machineryIn(changes, now.paths)),
  }
}
