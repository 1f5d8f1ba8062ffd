import type { Answer, Evidence } from '../../core/types.ts'
import type { TestRun, TestState } from '../../test-output/types.ts'
import { changedSince } from '../baseline/changed.ts'
import type { ChangedFile } from '../red-proof/plan.ts'
import { roleOf } from '../red-proof/roles.ts'
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
  /** What the tests say about the tree as it is. */
  readonly testsNow: () => Promise<CollectedTests>
  /** Tests that the user's configuration accepts by name. */
  readonly accept: readonly string[]
  readonly allow: readonly Allowance[]
  readonly scratch?: ScratchOptions
}

const NAMED = 5
const KIND = 'expectation-changed'
const TRIES = /\b(?:for|while|do|until|loop|repeat\w*|retry\w*|retries|attempts?|tries|eventually|waitFor)\b/i

export const baselineTests: CheckDefinition = {
  name: 'baseline-tests',
  checksFor({ config, context, testCommands: commands, tests }) {
    const { baseline, workspace } = context
    if (baseline === undefined) return []
    const { accept } = config.baseline
    const changed = () => changedSince(baseline, workspace)
    const testsNow = () => tests(context)
    return [
      baselineTestsCheck({ commands, run: runTestCommand, changed, testsNow, accept, allow: config.evidence.allow }),
    ]
  },
}

/**
 * Whether tests that failed before the run and pass now also pass as they were. Whoever changes what is expected, a recording
 * or a helper turns a test green as well, and leaves the source as it was. And where a test has learned to try again: whether it is
 * steady as it was. Asked on a claim only, and only where the side of the tests was changed; behaviour that was tested and right
 * before may be changed together with its tests.
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
  const changes = changesOf(await options.changed(), {}, context).filter((change) => isHeld(change, options.allow))
  if (changes.length === 0) return []
  const { run: now, evidence } = await options.testsNow()
  // Where tests fail anyway, nothing is gained by asking how the others came to pass.
  if (now === undefined || evidence.some(({ check, answer }) => check === 'tests' && answer === 'no')) return []
  const wanted = (state: TestState) => namesOf(before, state).filter((name) => !options.accept.includes(name))
  const passing = new Set(namesOf(now, 'passed'))
  const asked: Asked = {
    fixed: wanted('failed').filter((name) => passing.has(name)),
    kept: changes.some(triesAgain) ? wanted('passed').filter((name) => passing.has(name)) : [],
  }
  if (asked.fixed.length + asked.kept.length === 0) return []
  const { answer, detail } = await askCopies(asked, changes, options, context)
  return [{ check: 'baseline-tests', answer, detail, ms: Math.round(performance.now() - started), tree: context.tree }]
}

interface Asked {
  /** Failed before, and pass now. */
  readonly fixed: readonly string[]
  /** Passed before and now, where something in the tests tries again. */
  readonly kept: readonly string[]
}

async function askCopies(
  { fixed, kept }: Asked,
  changes: readonly ChangedFile[],
  options: BaselineTestsOptions,
  context: CheckContext,
): Promise<{ readonly answer: Answer; readonly detail: string }> {
  const asTheyWere = changes.map(({ path, before = '' }) => ({ path, text: before }))
  const changed = `Changed: ${some(changes.map(({ path }) => path))}.`
  try {
    const first = await failingInCopy(asTheyWere, options, context)
    if (first === undefined)
      return { answer: 'unknown', detail: 'The tests as they were could not be run in a copy of the tree.' }
    const still = fixed.filter((name) => first.has(name))
    // A test that fails in any copy says something about copies, and nothing about its change.
    const control = still.length === 0 ? undefined : await failingInCopy([], options, context)
    const real = control === undefined ? [] : still.filter((name) => !control.has(name))
    if (real.length > 0) return { answer: 'no', detail: `${refuted(real)} ${changed}` }
    if (still.length > 0) return { answer: 'unknown', detail: 'In a copy of the tree the tests fail as they are, too.' }
    const second = kept.length === 0 ? first : await failingInCopy(asTheyWere, options, context)
    const loose = second === undefined ? [] : kept.filter((name) => first.has(name) !== second.has(name))
    return loose.length > 0
      ? { answer: 'no', detail: `${swallowed(loose)} ${changed}` }
      : { answer: 'yes', detail: 'What passes now passes also with the tests as they were before the run.' }
  } catch (error) {
    return {
      answer: 'unknown',
      detail: `The tree could not be copied: ${error instanceof Error ? error.message : error}.`,
    }
  }
}

/** The tests' side of the change, unless a person allows it. What was not there before is not held to anything. */
function isHeld(change: ChangedFile, allow: readonly Allowance[]): boolean {
  const { path: file, before, after } = change
  if (before === undefined || before === after || roleOf(change) !== 'test') return false
  return !allow.some((each) => allows(each, { kind: KIND, file }))
}

/** A line that was not there before loops, or speaks of another try. Whether it hides anything is for the copies to say. */
function triesAgain({ before = '', after = '' }: ChangedFile): boolean {
  const known = new Set(before.split('\n').map((line) => line.trim()))
  return after.split('\n').some((line) => TRIES.test(line) && !known.has(line.trim()))
}

/** The tests that fail in a copy of the tree with some files as they were. */
async function failingInCopy(
  revert: CopyRun['revert'],
  { commands, run, scratch }: BaselineTestsOptions,
  { workspace, deadlineMs, signal }: CheckContext,
): Promise<ReadonlySet<string> | undefined> {
  const asked = { commands, run, revert, deadlineMs, ...(signal && { signal }), ...(scratch && { scratch }) }
  const { run: told } = await runInCopy(workspace, asked)
  return told === undefined ? undefined : new Set(namesOf(told, 'failed'))
}

/** Tests of one state by name; of several that share a name, one that failed speaks for all. */
function namesOf(run: TestRun, state: TestState): readonly string[] {
  const those = (one: TestState) => (run.tests ?? []).filter((test) => test.state === one).map(({ name }) => name)
  const failed = new Set(those('failed'))
  return state === 'failed' ? [...failed] : [...new Set(those(state))].filter((name) => !failed.has(name))
}

const refuted = (names: readonly string[]) =>
  `${names.length === 1 ? 'A test' : `${names.length} tests`} failed before and ${names.length === 1 ? 'passes' : 'pass'} only since the tests were changed; as ${names.length === 1 ? 'it was, it still fails' : 'they were, they still fail'}: ${some(names.map((name) => `"${name}"`))}.`

const swallowed = (names: readonly string[]) =>
  `${names.length === 1 ? 'A test changes its mind' : `${names.length} tests change their mind`} on the same files as ${names.length === 1 ? 'it was' : 'they were'} before the run, and only tries again now: ${some(names.map((name) => `"${name}"`))}.`

const some = (all: readonly string[]) =>
  all.slice(0, NAMED).join(', ') + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')
