import { count, listOf } from '../../../packages/core/src/count.ts'
import { roleOf } from '../../../packages/exitgate/src/checks/sides.ts'
import type { TestRun, TestState } from '../../../packages/test-output/src/types.ts'
import type { AcceptedFinding, Evidence } from '../../core/types.ts'
import { digest } from '../../system/digest.ts'
import { findingsIn, openFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince } from '../baseline/changed.ts'
import type { ChangedFile } from '../red-proof/plan.ts'
import { type CopyRun, type RunTestCommand, runInCopy } from '../red-proof/run-copy.ts'
import type { ScratchOptions } from '../red-proof/scratch.ts'
import { runTestCommand } from '../runners/run.ts'
import type { Allowance } from '../tampering/finding.ts'
import { allows } from '../tampering/finding.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'
import { changesOf } from './red-proof.ts'

export interface BaselineTestsOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  /** Paths whose content differs from the baseline's. */
  readonly changed: () => Promise<readonly string[]>
  /** The test results of the current tree. */
  readonly testsNow: () => Promise<CollectedTests>
  /** Tests that the user's configuration accepts by name. */
  readonly accept: readonly string[]
  readonly allow: readonly Allowance[]
  /** Findings that the user accepted. */
  readonly accepted?: readonly AcceptedFinding[]
  readonly scratch?: ScratchOptions
}

const NAMED = 5
const KIND = 'expectation-changed'
const REMEDY = `Fix the code, or allow the test change in evidence.allow (kind ${KIND}).`
const RETRY = /\b(?:for|while|do|until|loop|repeat\w*|retry\w*|retries|attempts?|tries|eventually|waitFor)\b/i

export const baselineTests: CheckDefinition = {
  name: 'baseline-tests',
  checksFor({ config, context, testCommands: commands, tests, accepted }) {
    const { baseline, workspace } = context
    if (baseline === undefined) return []
    const { accept } = config.baseline
    const changed = () => changedSince(baseline, workspace)
    const testsNow = () => tests(context)
    return [
      baselineTestsCheck({
        commands,
        run: runTestCommand,
        changed,
        testsNow,
        accept,
        allow: config.evidence.allow,
        accepted,
      }),
    ]
  },
}

/**
 * Do tests that failed before the run and pass now also pass in their original version? Changing an expectation, a recording or a
 * helper makes a test pass without touching the source. If a test now retries, is its original version stable? Runs only on a
 * claim, and only if test files were changed. Tests that passed before may change together with the behaviour they test.
 */
export function baselineTestsCheck(options: BaselineTestsOptions): Check {
  return { name: 'baseline-tests', collect: (context) => collectBaselineTests(options, context) }
}

async function collectBaselineTests(
  options: BaselineTestsOptions,
  context: CheckContext,
): Promise<readonly Evidence[]> {
  const before = context.baseline?.tests
  if (!context.claim || before === undefined) return []
  const started = performance.now()
  const changes = changesOf(await options.changed(), {}, context).filter((change) =>
    isChangedTestFile(change, options.allow),
  )
  if (changes.length === 0) return []
  const { run: now, evidence } = await options.testsNow()
  // If tests fail anyway, it does not matter why the others pass.
  if (now === undefined || evidence.some(({ check, answer }) => check === 'tests' && answer === 'no')) return []
  const wanted = (state: TestState) => namesOf(before, state).filter((name) => !options.accept.includes(name))
  const passing = new Set(namesOf(now, 'passed'))
  const toRerun: TestsToRerun = {
    fixed: wanted('failed').filter((name) => passing.has(name)),
    kept: changes.some(addsRetry) ? wanted('passed').filter((name) => passing.has(name)) : [],
  }
  if (toRerun.fixed.length + toRerun.kept.length === 0) return []
  const judged = await rerunInCopies(toRerun, changes, options, context)
  return [{ check: 'baseline-tests', ...judged, ms: Math.round(performance.now() - started), tree: context.tree }]
}

interface TestsToRerun {
  /** Failed before, pass now. */
  readonly fixed: readonly string[]
  /** Passed before and now, if something in the tests retries. */
  readonly kept: readonly string[]
}

async function rerunInCopies(
  { fixed, kept }: TestsToRerun,
  changes: readonly ChangedFile[],
  options: BaselineTestsOptions,
  context: CheckContext,
): Promise<Pick<Evidence, 'answer' | 'detail' | 'counts' | 'findings' | 'accepted' | 'onlyFindings'>> {
  const { accepted = [] } = options
  const files = digest(JSON.stringify(changes.map(({ path, after }) => [path, after])))
  /** A later change to one of the files is another finding. */
  const sort = (names: readonly string[], kind: string, detail: (name: string) => string) =>
    withoutAccepted(names, accepted, (test) => openFinding({ kind, test, detail: detail(test) }, [files]))
  const originals = changes.map(({ path, before = '' }) => ({ path, text: before }))
  const changed = `Changed: ${listOf(
    changes.map(({ path }) => path),
    NAMED,
  )}.`
  try {
    const first = await failingInCopy(originals, options, context)
    if (first === undefined)
      return { answer: 'unknown', detail: 'The original tests could not be run in a copy of the workspace.' }
    const still = fixed.filter((name) => first.has(name))
    // If a test fails in any copy, its failure says nothing about the change.
    const control = still.length === 0 ? undefined : await failingInCopy([], options, context)
    const real = control === undefined ? [] : still.filter((name) => !control.has(name))
    const failing = sort(real, KIND, (name) => `Test "${name}" passes only because the test changed.`)
    if (failing.open.length > 0)
      return {
        answer: 'no',
        detail: `${stillFailingText(failing.open)} ${changed} ${REMEDY}`,
        ...findingsIn(failing.findings, failing.accepted),
        onlyFindings: true,
      }
    if (real.length > 0)
      return { answer: 'yes', detail: `${stillFailingText(real)} Accepted.`, ...findingsIn([], failing.accepted) }
    if (still.length > 0)
      return { answer: 'unknown', detail: 'The tests fail even in an unchanged copy of the workspace.' }
    const second = kept.length === 0 ? first : await failingInCopy(originals, options, context)
    const flaky = second === undefined ? [] : kept.filter((name) => first.has(name) !== second.has(name))
    const retried = sort(flaky, 'retry-added', (name) => `Test "${name}" is flaky and is now retried.`)
    return retried.open.length > 0
      ? {
          answer: 'no',
          detail: `${flakyText(retried.open)} ${changed}`,
          ...findingsIn(retried.findings, retried.accepted),
          onlyFindings: true,
        }
      : {
          answer: 'yes',
          detail: [
            ...(fixed.length > 0
              ? [`${count(fixed.length, 'fixed test passes', 'fixed tests pass')} with the original test files too.`]
              : []),
            ...(kept.length > flaky.length ? ['No other test is flaky with them.'] : []),
          ].join(' '),
          counts: { fixed: fixed.length },
          ...findingsIn([], retried.accepted),
        }
  } catch (error) {
    return {
      answer: 'unknown',
      detail: `The workspace could not be copied: ${error instanceof Error ? error.message : error}.`,
    }
  }
}

/** Whether the change is to an existing test file and the user has not allowed it. New files are not compared. */
function isChangedTestFile(change: ChangedFile, allow: readonly Allowance[]): boolean {
  const { path: file, before, after } = change
  if (before === undefined || before === after || roleOf(change) !== 'test') return false
  return !allow.some((each) => allows(each, { kind: KIND, file }))
}

/** Whether a new line loops or mentions a retry. Running the copies shows whether it hides anything. */
function addsRetry({ before = '', after = '' }: ChangedFile): boolean {
  const known = new Set(before.split('\n').map((line) => line.trim()))
  return after.split('\n').some((line) => RETRY.test(line) && !known.has(line.trim()))
}

/** The tests that fail in a copy of the workspace with some files in their original version. */
async function failingInCopy(
  revert: CopyRun['revert'],
  { commands, run, scratch }: BaselineTestsOptions,
  { workspace, deadlineMs, signal, openRoom }: CheckContext,
): Promise<ReadonlySet<string> | undefined> {
  const more = { ...(signal && { signal }), ...(scratch && { scratch }), ...(openRoom && { openRoom }) }
  const { run: copied } = await runInCopy(workspace, { commands, run, revert, deadlineMs, ...more })
  return copied === undefined ? undefined : new Set(namesOf(copied, 'failed'))
}

/** Names of the tests in one state. If several share a name, a failed one decides. */
function namesOf(run: TestRun, state: TestState): readonly string[] {
  const those = (one: TestState) => (run.tests ?? []).filter((test) => test.state === one).map(({ name }) => name)
  const failed = new Set(those('failed'))
  return state === 'failed' ? [...failed] : [...new Set(those(state))].filter((name) => !failed.has(name))
}

const stillFailingText = (names: readonly string[]) =>
  `${count(names.length, 'fixed test')} still ${names.length === 1 ? 'fails' : 'fail'} with the original test files: ${quotedList(names)}.`

const flakyText = (names: readonly string[]) =>
  `${count(names.length, 'test')} ${names.length === 1 ? 'is' : 'are'} flaky with the original test files; the change only adds a retry: ${quotedList(names)}.`

const quotedList = (names: readonly string[]) =>
  listOf(
    names.map((name) => `"${name}"`),
    NAMED,
  )
