import { count } from '../../packages/core/src/count.ts'
import { lineOf, titleOf } from '../../packages/exitgate/src/checks/test-names.ts'
import type { TestCase, TestRun } from '../../packages/test-output/src/types.ts'
import type { Quarantine, Quarantined } from './quarantine.ts'
import { alone } from './runners/alone.ts'
import { type RunTests, runRound } from './test-results/round.ts'
import type { Detected, RunOptions, UnsteadyTest, Workspace } from './types.ts'

/** Without a way to run some tests alone, a suite that takes longer than this is not run again. */
const LONGEST_MS = 300_000
const TIMES = 2

/**
 * Runs the failing tests again, without the others, before the agent had a chance to change anything. A test that passes then
 * changes its result by itself.
 */
export async function findUnsteady(
  failing: readonly TestCase[],
  {
    commands,
    run,
    workspace,
    options,
    ms,
  }: {
    readonly commands: readonly Detected[]
    readonly run: RunTests
    readonly workspace: Workspace
    readonly options: RunOptions
    /** How long all tests took. */
    readonly ms: number
  },
): Promise<readonly UnsteadyTest[]> {
  const found: UnsteadyTest[] = []
  let left = failing
  for (let time = 0; time < TIMES && left.length > 0 && options.signal?.aborted !== true; time += 1) {
    const some = commands.map((detected) => alone(detected, left) ?? detected)
    if (ms > LONGEST_MS && some.some((detected) => commands.includes(detected))) break
    const few = count(left.length, 'failing test')
    const why = some.some((detected) => commands.includes(detected)) ? `all tests again, for ${few}` : `${few} again`
    const { run: again } = await runRound(some, run, { ...options, as: { check: 'tests', why } }, workspace)
    const passed = left.filter((test) => statesIn(again, test).includes('passed'))
    found.push(...passed.map((test) => unsteady(test, 'flaky')))
    left = left.filter((test) => !passed.includes(test))
  }
  return [...found, ...left.filter(({ network }) => network === true).map((test) => unsteady(test, 'network'))]
}

const SHORTEST_TITLE = 6

/** A test that the task names must pass, however unsteady it is: making it stable may be the task. */
export function isNamedInTask({ name }: Pick<TestCase, 'name'>, taskTexts: readonly string[]): boolean {
  const title = lineOf(titleOf(name))
  return title.length >= SHORTEST_TITLE && taskTexts.some((text) => lineOf(text).includes(title))
}

const unsteady = ({ name, file }: TestCase, why: UnsteadyTest['why']): UnsteadyTest => ({
  name,
  ...(file !== undefined && { file }),
  why,
})

const isSame = (a: Pick<TestCase, 'name' | 'file'>, b: Pick<TestCase, 'name' | 'file'>) =>
  a.name === b.name && (a.file === undefined || b.file === undefined || a.file === b.file)

/** If several tests share a name, all of them must have passed. */
function statesIn(run: TestRun | undefined, test: TestCase): readonly string[] {
  const states = (run?.tests ?? []).filter((one) => isSame(one, test)).map(({ state }) => state)
  return states.includes('failed') ? [] : states
}

const REASONS = {
  flaky: 'it failed before the run, then passed with nothing changed',
  network: 'it needs a network, and failed before the run without one',
} as const

/** Like the user's quarantine, for tests that were unsteady before the agent started. */
export function withUnsteady(
  quarantine: Quarantine,
  tests: readonly UnsteadyTest[],
  run: TestRun | undefined,
): Quarantine {
  // With a network, or after another kind of failure, the result counts.
  const excused = tests.filter(
    (test) =>
      test.why === 'flaky' ||
      (run?.tests ?? []).every((one) => !isSame(one, test) || one.state !== 'failed' || one.network),
  )
  if (excused.length === 0) return quarantine
  return {
    ...quarantine,
    active: (test, file) => {
      const own = quarantine.active(test, file)
      const known = own ?? excused.find((one) => isSame(one, test))
      return known === undefined || own !== undefined ? own : entryOf(known as UnsteadyTest)
    },
  }
}

const entryOf = ({ name, why }: UnsteadyTest): Quarantined => ({ test: name, until: '', reason: REASONS[why] })

/** An entry that exitgate made itself has no end. */
export const isUnsteadyEntry = ({ until }: Quarantined): boolean => until === ''

/** What a test did in the end: one that passed when it ran again did not fail for good. */
export function withoutUnsteady(run: TestRun, tests: readonly UnsteadyTest[]): TestRun {
  const passes = (test: TestCase) =>
    test.state === 'failed' && tests.some((one) => one.why === 'flaky' && isSame(one, test))
  if (run.tests === undefined || !run.tests.some(passes)) return run
  return { ...run, tests: run.tests.map((test) => (passes(test) ? { ...test, state: 'passed' } : test)) }
}
