import type { AcceptedFinding, OpenFinding } from '../../core/types.ts'
import type { TestCase, TestRun } from '../../test-output/types.ts'
import { explains, MISSING, openFinding } from '../accepted-findings.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { type Allowance, allows } from '../tampering/finding.ts'
import type { CheckContext } from '../types.ts'
import { matchTests, namesAll } from './match.ts'
import { isNamed } from './names.ts'
import { type Bodies, type Resolved, resolveRenames } from './renames.ts'
import { testIndex } from './test-index.ts'

/** How a test of this iteration compares with the baseline. */
export type ResultChange =
  /** It fails and did not fail before. */
  | 'new'
  /** It already failed before the run. */
  | 'known'
  /** It failed before and passes now. */
  | 'fixed'
  /** It gave different results on the same tree. */
  | 'flaky'
  /** It ran before and does not run any more. */
  | 'missing'

export interface ComparedTest {
  readonly name: string
  readonly file?: string
  readonly change: ResultChange
  /** Whether it prevents the tests from passing. */
  readonly blocks: boolean
  /** Short reason, without a full stop. */
  readonly why: string
  /** Who accepted it by its id. */
  readonly acceptance?: Pick<AcceptedFinding, 'by' | 'reason'>
}

export interface Comparison {
  /** Every failing, fixed, flaky and missing test; never a test that simply passes. */
  readonly tests: readonly ComparedTest[]
  readonly blocking: readonly ComparedTest[]
  /** Failing, but accepted by the user: always listed. */
  readonly accepted: readonly ComparedTest[]
  readonly fixed: readonly ComparedTest[]
  readonly missing: readonly ComparedTest[]
  /** Failures that the report counts but does not name: they block. */
  readonly unnamed: number
  /** By how many tests the total fell if the names don't show which: they count as missing. */
  readonly fewer: number
}

/** What the user has accepted. */
export interface AcceptedTests {
  /** Tests that may fail, by name. */
  readonly accept: readonly string[]
  /** Every test that already failed in the baseline may fail. */
  readonly acceptFailing: boolean
  /** Findings that the user accepted by their ids. */
  readonly accepted?: readonly AcceptedFinding[]
  /** Changes to tests that the configuration allows: tests of such a file may disappear. */
  readonly allow?: readonly Allowance[]
}

/** What the user accepts when a test does not pass: that it fails, or that it no longer runs. */
export function testFinding({ name, file, change, why }: ComparedTest): OpenFinding {
  const kind = change === 'missing' ? MISSING : 'test-failing'
  const detail = change === 'missing' ? `Test "${name}" no longer runs (${why}).` : `Test "${name}" fails (${why}).`
  return openFinding({ kind, test: name, ...(file === undefined ? {} : { file }), detail }, [])
}

/** The user's acceptance of a test that doesn't pass; undefined if there is none. */
function allowed(
  test: ComparedTest,
  { accepted = [], allow = [] }: AcceptedTests,
): Pick<ComparedTest, 'why' | 'acceptance'> | undefined {
  const { name, file, change } = test
  if (change === 'flaky') return undefined
  const { key } = testFinding(test)
  // The change in the source that explains it is listed already.
  const cause = accepted.find((each) => change === 'missing' && each.kind !== MISSING && explains(each, name, file))
  if (cause !== undefined) return { why: `accepted by ${cause.by}: ${cause.reason}` }
  const by = accepted.find((each) => each.key === key)
  if (by !== undefined)
    return { why: `accepted by ${by.by}: ${by.reason}`, acceptance: { by: by.by, reason: by.reason } }
  if (change !== 'missing' || file === undefined) return undefined
  const rule = allow.find((each) => ENDS.some((kind) => allows(each, { kind, file })) && each.file !== undefined)
  return rule === undefined ? undefined : { why: `allowed: ${rule.reason}` }
}

const ENDS = ['test-removed', 'test-skipped', 'test-file-deleted']

export interface CompareContext extends Bodies, AcceptedTests {
  /** Path of the file a test is in; undefined when it cannot be found. */
  fileOf(test: TestCase): string | undefined
  /** Tests that gave different results on the same tree. */
  readonly flaky?: readonly string[]
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
  const tests: ComparedTest[] = []
  for (const test of now.tests ?? []) {
    const pair = pairOf.get(test)
    const known = pair?.was.state === 'failed'
    if (flaky.has(test.name)) tests.push(one(test, 'flaky', 'different results for the same code'))
    else if (test.state === 'failed' && known) {
      // If several tests share a name, or this one was renamed, it may not be the one that the user accepted.
      const accepted = context.acceptFailing && !pair.unclear && !pair.renamed
      const why = accepted ? 'failed before the run, accepted' : 'already failed before the run'
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
  for (const test of complete ? matched.gone : []) {
    const ran = test.state !== 'skipped'
    const why = ran ? `${test.state} before the run, not reported now` : 'skipped before the run, gone now'
    tests.push(one(test, 'missing', why, ran))
  }
  const named = (now.tests ?? []).filter(({ state }) => state === 'failed').length
  return {
    tests,
    blocking: tests.filter((test) => test.blocks),
    accepted: tests.filter((test) => !test.blocks && test.change !== 'fixed' && test.change !== 'missing'),
    fixed: tests.filter((test) => test.change === 'fixed'),
    missing: tests.filter((test) => test.change === 'missing' && test.blocks),
    unnamed: Math.max(0, now.failed - named),
    fewer: then === undefined || complete ? 0 : Math.max(0, then.total - now.total),
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
  const { workspace, baseline } = context
  const cheap: CompareContext = { ...accepting, fileOf: ({ file }) => file }
  const readFiles = async (): Promise<CompareContext> => {
    const after = await viewOf(workspace)
    const present = await testIndex(after, workspace.dir)
    if (baseline === undefined) return { ...cheap, fileOf: (test) => present.fileOf(test) }
    const past = await testIndex(viewOf(baseline, await changedSince(baseline, workspace, after.paths)), workspace.dir)
    return {
      ...cheap,
      fileOf: (test) => present.fileOf(test) ?? past.fileOf(test),
      bodyThen: (test) => past.bodyOf(test),
      bodyNow: (test) => present.bodyOf(test),
    }
  }
  let full: Promise<CompareContext> | undefined
  return (now) => {
    const isLost = () => baseline?.tests !== undefined && matchTests(baseline.tests, now).gone.length > 0
    if (now.failed === 0 && !isLost()) return Promise.resolve(cheap)
    full ??= readFiles()
    return full
  }
}
