import { count } from '../../../packages/core/src/count.ts'
import type { Config } from '../../core/config.ts'
import type { Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import { changedSince } from '../baseline/changed.ts'
import { configured } from '../detect/index.ts'
import { quarantineAt } from '../quarantine.ts'
import { relatedTests } from '../runners/related.ts'
import { compareContext } from '../test-results/compare.ts'
import { judgeRound } from '../test-results/judge-round.ts'
import { runRound } from '../test-results/round.ts'
import { namedTests, testSentences } from '../test-results/sentences.ts'
import type { Baseline, CheckContext, Detected } from '../types.ts'
import { withUnsteady } from '../unsteady.ts'
import type { CollectedTests } from './definition.ts'
import type { TestsOptions } from './tests.ts'

const LATER = 'All tests run when the agent says it is done.'

/** Whether all tests took longer than this before the first iteration. */
export function tookLonger(baseline: Baseline | undefined, minutes: number | undefined): boolean {
  const { ms = 0, counts } = baseline?.evidence.tests ?? {}
  return minutes !== undefined && ms / Math.max(1, counts?.runs ?? 1) > minutes * 60_000
}

/**
 * The commands for an iteration without a claim: the user's own, or those of a slow suite limited to the tests that depend on the
 * changes. Undefined if all tests should run.
 */
export async function quickCommands(
  commands: readonly Detected[],
  { commands: { quick }, evidence: { quickAfterMinutes } }: Config,
  { workspace, baseline, deadlineMs, signal }: CheckContext,
): Promise<readonly Detected[] | undefined> {
  if (quick !== undefined) return [await configured(workspace, 'test', quick)]
  if (baseline === undefined || !tookLonger(baseline, quickAfterMinutes)) return undefined
  const changed = await changedSince(baseline, workspace)
  const { head } = baseline
  const limits = { deadlineMs, ...(signal && { signal }) }
  const limited = await Promise.all(commands.map((each) => relatedTests(each, { workspace, changed, head, limits })))
  return limited.every((each) => each === undefined) ? undefined : commands.map((each, at) => limited[at] ?? each)
}

/** Runs them once. Failing tests are a clear answer; passing ones never are, because others did not run. */
export async function collectQuickTests(options: TestsOptions, context: CheckContext): Promise<CollectedTests> {
  const started = awake.now()
  const { workspace, baseline, deadlineMs, signal, tree } = context
  const { accept = [], acceptFailing = false, accepted = [], allow = [] } = options
  const round = await runRound(
    options.commands,
    options.run,
    { as: { check: 'tests' }, deadlineMs, ...(signal && { signal }) },
    workspace,
  )
  const ran = new Set(round.run?.tests?.map(({ name }) => name))
  const then = baseline?.tests
  // Tests that did not run this time are not missing.
  const before = then && { ...then, total: 0, tests: then.tests?.filter(({ name }) => ran.has(name)) ?? [] }
  const contextFor = compareContext(context, { accept, acceptFailing, accepted, allow })
  const listed = quarantineAt(options.quarantine ?? [], (options.now ?? Date.now)())
  const quarantine = withUnsteady(listed, baseline?.unsteady ?? [], round.run)
  const {
    failing,
    accepted: excused,
    unsteady,
    comparison,
  } = await judgeRound(round, before, contextFor, quarantine, [])
  const { total = 0, passed = 0, failed = 0, skipped = 0 } = round.run ?? {}
  const fixed = comparison?.fixed ?? []
  const isRefuted = failing.length > 0 || round.troubles.some(({ answer }) => answer === 'no')
  const isNothing = round.run?.total === 0 && !isRefuted
  const named = namedTests(failing, fixed, excused, unsteady)
  const evidence: Evidence = {
    check: 'tests',
    answer: isRefuted ? 'no' : 'unknown',
    detail: [
      total > 0 ? resultSentence(total, passed, failed) : undefined,
      ...testSentences({ failing, accepted: excused, missing: [], dropped: [], fixed }),
      ...(isNothing ? ['Quick run: no test depends on the changes.'] : round.troubles.map(({ why }) => why)),
      LATER,
    ]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
    counts: { total, passed, failed, skipped, excused: excused.length + unsteady.length, fixed: fixed.length, runs: 1 },
    ...(named !== undefined && { named }),
    quick: true,
    ms: Math.round(awake.now() - started),
    tree,
  }
  return { evidence: [evidence] }
}

const resultSentence = (total: number, passed: number, failed: number): string =>
  failed > 0
    ? `Quick run: ${failed} of ${count(total, 'test')} ${total === 1 ? 'fails' : 'fail'}.`
    : `Quick run: ${passed} of ${count(total, 'test')} ${total === 1 ? 'passes' : 'pass'}.`
