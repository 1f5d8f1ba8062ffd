import { matchTests, namesAll } from '../../../packages/exitgate/src/checks/matched-tests.ts'
import {
  type Bodies,
  isFile,
  type Resolved,
  resolveRenames,
  standsIn,
} from '../../../packages/exitgate/src/checks/renamed-tests.ts'
import { isNamed } from '../../../packages/exitgate/src/checks/test-names.ts'
import { type UnnamedTests, unnamedTests } from '../../../packages/exitgate/src/checks/unnamed-tests.ts'
import type { TestCase, TestRun } from '../../../packages/test-output/src/types.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { successorsOf } from '../tampering/compare/successors.ts'
import type { CheckContext } from '../types.ts'
import { isNamedInTask } from '../unsteady.ts'
import { removals } from '../user-words.ts'
import { type AcceptedTests, allowed, type ComparedTest, LEFT, type ResultChange } from './findings.ts'
import { testIndex } from './test-index.ts'

export interface Comparison {
  /** Every failing, fixed, flaky and missing test; never a test that simply passes. */
  readonly tests: readonly ComparedTest[]
  readonly blocking: readonly ComparedTest[]
  /** Failing, but accepted by the user: always listed. */
  readonly accepted: readonly ComparedTest[]
  readonly fixed: readonly ComparedTest[]
  readonly missing: readonly ComparedTest[]
  readonly unnamed: UnnamedTests
}

export interface CompareContext extends Bodies, AcceptedTests {
  /** Path of the file a test is in; undefined when it cannot be found. */
  fileOf(test: TestCase): string | undefined
  /** Tests that gave different results on the same tree. */
  readonly flaky?: readonly string[]
  /** Whether the task names this test. */
  isInTask?(test: TestCase): boolean
  /** Whether this run shows the new version of a test that has another name or place now. */
  isReplaced?(test: TestCase): boolean
  /** Whether the user asked to remove what a test that is gone checks. */
  isRemovalAsked?(test: TestCase): boolean
}

const NOTHING: Resolved = { pairs: [], gone: [], added: [], replaced: [] }

/** Compares each test that does not simply pass with its result before the run. Only the user can excuse a failure. */
export function compareTests(then: TestRun | undefined, now: TestRun, context: CompareContext): Comparison {
  const matched = then?.tests === undefined ? NOTHING : resolveRenames(matchTests(then, now), context)
  const complete = then !== undefined && namesAll(then) && namesAll(now)
  const flaky = new Set(context.flaky ?? [])
  const pairOf = new Map(matched.pairs.map((pair) => [pair.is, pair]))
  const one = (test: TestCase, standing: ResultChange, why: string, blocks = true): ComparedTest => {
    const file = context.fileOf(test)
    const named = standing !== 'flaky' && context.accept.some((entry) => isNamed(entry, test, file))
    const place = file === undefined ? {} : { file }
    const compared: ComparedTest = { name: test.name, ...place, change: standing, blocks, why }
    const excuse = !blocks ? undefined : named ? { why: 'accepted by name' } : allowed(compared, context)
    return excuse === undefined ? compared : { ...compared, blocks: false, ...excuse }
  }
  const isPart = context.acceptFailing === 'the-rest'
  // What its own task names is not left to other tasks.
  const accepts = (test: TestCase) => (isPart ? context.isInTask?.(test) !== true : context.acceptFailing === true)
  const tests: ComparedTest[] = []
  for (const test of now.tests ?? []) {
    const pair = pairOf.get(test)
    const known = pair?.was.state === 'failed'
    if (flaky.has(test.name)) tests.push(one(test, 'flaky', 'different results for the same code'))
    else if (test.state === 'failed' && known) {
      // If several tests share a name, or this one was renamed, it may not be the one that the user accepted.
      const accepted = accepts(test) && !pair.unclear && !pair.renamed
      const why = !accepted ? 'already failed before the run' : isPart ? LEFT : 'failed before the run, accepted'
      tests.push(one(test, 'known', why, !accepted))
    } else if (test.state === 'failed') {
      tests.push(
        one(test, 'new', then === undefined ? 'no results from before the run' : 'did not fail before the run'),
      )
    } else if (known && test.state === 'passed')
      tests.push(one(test, 'fixed', 'failed before the run, passes now', false))
    else if (pair !== undefined && test.state === 'skipped' && pair.was.state !== 'skipped') {
      tests.push(one(test, 'missing', `${pair.was.state} before the run, skipped now`))
    }
  }
  for (const test of complete ? matched.gone.filter((each) => context.isReplaced?.(each) !== true) : []) {
    const ran = test.state !== 'skipped'
    const isAsked = ran && context.isRemovalAsked?.(test) === true
    const why = ran ? `${test.state} before the run, not reported now` : 'skipped before the run, gone now'
    tests.push(one(test, 'missing', isAsked ? 'your words ask to remove what it checks' : why, ran && !isAsked))
  }
  const lost = tests.filter(({ change }) => change === 'missing').length
  const acceptFailing = context.acceptFailing === true
  const unnamed = unnamedTests(then, now, { areNamed: complete, acceptFailing, lost })
  tests.push(...unnamed.lost.map(({ name, why }) => one({ name, state: 'skipped' }, 'missing', why)))
  return {
    tests,
    blocking: tests.filter((test) => test.blocks),
    accepted: tests.filter((test) => !test.blocks && test.change !== 'fixed' && test.change !== 'missing'),
    fixed: tests.filter((test) => test.change === 'fixed'),
    missing: tests.filter((test) => test.change === 'missing' && test.blocks),
    unnamed,
  }
}

/**
 * What a comparison needs to know about the files. They are listed and compared only if a test failed or is gone, and then once for
 * all runs on the tree.
 */
export function compareContext(
  context: CheckContext,
  accepting: AcceptedTests,
): (now: TestRun) => Promise<CompareContext> {
  const { workspace, baseline, taskTexts } = context
  const isInTask = (test: TestCase) => isNamedInTask(test, taskTexts)
  const cheap: CompareContext = { ...accepting, fileOf: ({ file }) => file, isInTask }
  const goneIn = (now: TestRun) => (baseline?.tests === undefined ? [] : matchTests(baseline.tests, now).gone)
  const readFiles = async (now: TestRun): Promise<CompareContext> => {
    const after = await viewOf(workspace)
    const present = await testIndex(after, workspace.dir)
    if (baseline === undefined) return { ...cheap, fileOf: (test) => present.fileOf(test) }
    const paths = await changedSince(baseline, workspace, after.paths)
    const past = await testIndex(viewOf(baseline, paths), workspace.dir)
    const gone = goneIn(now).filter(({ state }) => state === 'passed')
    const successors = await successorsOf(gone, past.fileOf, paths, context)
    return {
      ...cheap,
      fileOf: (test) => present.fileOf(test) ?? past.fileOf(test),
      bodyThen: (test) => past.bodyOf(test),
      bodyNow: (test) => present.bodyOf(test),
      isReplaced: (test) => {
        if (test.state === 'failed') return isFile(test.name, after.paths)
        return baseline.tests !== undefined && standsIn(successors.get(test), baseline.tests, now)
      },
      isRemovalAsked: await removals(context),
    }
  }
  let full: Promise<CompareContext> | undefined
  return (now) => {
    if (now.failed === 0 && goneIn(now).length === 0) return Promise.resolve(cheap)
    full ??= readFiles(now)
    return full
  }
}
