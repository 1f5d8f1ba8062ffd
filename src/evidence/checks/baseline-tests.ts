import type { Answer, Evidence } from '../../types.ts'
import type { ChangedFile, TakenBack } from '../red-proof/plan.ts'
import { roleOf } from '../red-proof/roles.ts'
import { type CopyRun, type RunTestCommand, runInCopy } from '../red-proof/run-copy.ts'
import type { ScratchOptions } from '../red-proof/scratch.ts'
import { allows } from '../tampering/findings.ts'
import type { Allowance } from '../tampering/types.ts'
import type { TestRun } from '../test-output/types.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import { changesOf } from './red-proof.ts'
import type { CollectedTests } from './tests.ts'

export interface BaselineTestsOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  /** Paths whose content differs from the baseline's. */
  readonly changed: () => Promise<readonly string[]>
  /** What the tests say about the tree as it is. */
  readonly testsNow: () => Promise<CollectedTests>
  /** Tests that the user's configuration excuses by name. */
  readonly accept: readonly string[]
  readonly allow: readonly Allowance[]
  readonly scratch?: ScratchOptions
}

const NAMED = 5
const KIND = 'expectation-changed'

/**
 * Whether tests that failed before the run and pass now also pass as they were. Whoever changes what is expected, a recording
 * or a helper turns a test green as well, and leaves the source as it was. It is asked on a claim only, and only where the side of
 * the tests was changed; behaviour that was tested and right before may be changed together with its tests.
 */
export function baselineTestsCheck(options: BaselineTestsOptions): Check {
  return { name: 'baseline-tests', collect: (context) => collectBaselineTests(options, context) }
}

async function collectBaselineTests(
  options: BaselineTestsOptions,
  context: CheckContext,
): Promise<readonly Evidence[]> {
  const before = context.baseline?.tests
  if (!context.claim || before === undefined || failedIn(before).size === 0) return []
  const started = performance.now()
  const answered = (answer: Answer, detail: string): readonly Evidence[] => {
    const ms = Math.round(performance.now() - started)
    return [{ check: 'baseline-tests', answer, detail, ms, tree: context.tree }]
  }
  const takeBack = takenBack(changesOf(await options.changed(), {}, context), options.allow)
  if (takeBack.length === 0) return []
  const { run: now, evidence } = await options.testsNow()
  const fixed = now === undefined ? [] : fixedBetween(before, now).filter((name) => !options.accept.includes(name))
  // Where tests fail anyway, nothing is gained by asking how the others came to pass.
  if (fixed.length === 0 || evidence.some(({ check, answer }) => check === 'tests' && answer === 'no')) return []
  try {
    const still = await failingInCopy(fixed, takeBack, options, context)
    if (still === undefined)
      return answered('unknown', 'The tests as they were could not be run in a copy of the tree.')
    if (still.length === 0)
      return answered('yes', `${counted(fixed.length)} also as ${they(fixed.length)} before the run.`)
    // A test that fails in any copy says something about copies, and nothing about its change.
    const control = await failingInCopy(still, [], options, context)
    const real = control === undefined ? [] : still.filter((name) => !control.includes(name))
    return real.length === 0
      ? answered('unknown', 'In a copy of the tree the tests fail as they are, too.')
      : answered('no', `${refuted(real)} Changed: ${some(takeBack.map(({ path }) => path))}.`)
  } catch (error) {
    return answered('unknown', `The tree could not be copied: ${error instanceof Error ? error.message : error}.`)
  }
}

/** The tests' side of the change, as it was. What was new then is not: a new test has nothing to be held to. */
function takenBack(changes: readonly ChangedFile[], allow: readonly Allowance[]): readonly TakenBack[] {
  return changes.flatMap((change): readonly TakenBack[] => {
    const { path, before } = change
    if (before === undefined || before === change.after || roleOf(change) !== 'test') return []
    return allow.some((each) => allows(each, { kind: KIND, file: path })) ? [] : [{ path, text: before }]
  })
}

/** Of these tests, those that fail in a copy of the tree with some files as they were. */
async function failingInCopy(
  names: readonly string[],
  takeBack: CopyRun['takeBack'],
  { commands, run, scratch }: BaselineTestsOptions,
  { workspace, deadlineMs, signal }: CheckContext,
): Promise<readonly string[] | undefined> {
  const asked = { commands, run, takeBack, deadlineMs, ...(signal && { signal }), ...(scratch && { scratch }) }
  const { run: told } = await runInCopy(workspace, asked)
  if (told === undefined) return undefined
  const failed = failedIn(told)
  return names.filter((name) => failed.has(name))
}

const failedIn = (run: TestRun): ReadonlySet<string> =>
  new Set((run.tests ?? []).filter(({ state }) => state === 'failed').map(({ name }) => name))

function fixedBetween(before: TestRun, now: TestRun): readonly string[] {
  const [failedThen, failedNow] = [failedIn(before), failedIn(now)]
  const passed = (now.tests ?? []).filter(({ state, name }) => state === 'passed' && !failedNow.has(name))
  return [...new Set(passed.map(({ name }) => name))].filter((name) => failedThen.has(name))
}

const refuted = (names: readonly string[]) =>
  `${names.length === 1 ? 'A test' : `${names.length} tests`} failed before and ${names.length === 1 ? 'passes' : 'pass'} only since the tests were changed; as ${names.length === 1 ? 'it was, it still fails' : 'they were, they still fail'}: ${some(names.map((name) => `"${name}"`))}.`

const counted = (count: number) =>
  count === 1 ? 'The test that was fixed passes' : `The ${count} tests that were fixed pass`
const they = (count: number) => (count === 1 ? 'it was' : 'they were')

const some = (all: readonly string[]) =>
  all.slice(0, NAMED).join(', ') + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')
