import { count, listOf } from '../../core/count.ts'
import type { TestRun } from '../../test-output/types.ts'
import { stateIn } from '../red-proof/find-in-report.ts'
import { type BrokenTest, type Chosen, casesOfFile } from './choose.ts'

/** What the broken tests showed: they failed, some passed, or the run doesn't show it. */
export interface CanaryResult {
  readonly state: 'armed' | 'disarmed' | 'unclear'
  /** Broken tests that failed. */
  readonly failed: number
  /** Broken tests that decided against the run. */
  readonly passed: readonly BrokenTest[]
  /** Why it is unclear, without a full stop. */
  readonly why?: string
}

type State = 'failed' | 'passed' | 'unclear'

/**
 * Every test that the claim rests on must fail when it is broken, and in every file at least one test. One unusual older test
 * decides nothing.
 */
export function judgeCanary({ files, complete }: Chosen, run: TestRun, ordinary: TestRun): CanaryResult {
  const unclear = (why: string): CanaryResult => ({ state: 'unclear', failed: 0, passed: [], why })
  if ((ordinary.tests ?? []).length === 0) {
    // The files may not belong to this command, so only all of them together show anything.
    const tests = files.flatMap((file) => file.tests)
    if (run.failed > 0) return { state: 'armed', failed: Math.min(run.failed, tests.length), passed: [] }
    return run.ok === true && complete
      ? { state: 'disarmed', failed: 0, passed: tests }
      : unclear('the report does not name tests')
  }
  const passed: BrokenTest[] = []
  let failed = 0
  for (const { tests } of files) {
    const states = tests.map((test) => [test, stateOf(test, run)] as const)
    const those = (state: State) => states.filter(([, each]) => each === state).map(([test]) => test)
    const [failing, passing] = [those('failed'), those('passed')]
    failed += failing.length
    passed.push(...passing.filter(({ fresh }) => fresh || failing.length === 0))
  }
  if (passed.length > 0) return { state: 'disarmed', failed, passed }
  if (failed > 0) return { state: 'armed', failed, passed }
  return unclear(run.problems?.[0]?.replace(/\.$/, '') ?? 'the report shows none of them')
}

function stateOf(test: BrokenTest, run: TestRun): State {
  const byName = stateIn(run, { ...test, kind: 'changed' })
  if (byName === 'failed' || (test.reported && byName === 'passed')) return byName
  const states = test.reported ? [] : casesOfFile(run, test.file).map(({ state }) => state)
  if (states.length > 0) return states.includes('failed') ? 'failed' : 'passed'
  // A test that passes in the ordinary run can't be missing from a run in which nothing went wrong.
  return run.ok === true ? 'passed' : 'unclear'
}

const MOST_NAMED = 3

export const armedSentence = (failed: number): string =>
  `${count(failed, 'test')} that exitgate broke on purpose failed, as expected.`

export function disarmedSentence({ passed }: CanaryResult, suspects: readonly string[]): string {
  const names = listOf(
    passed.map(({ groups, name, file }) => `"${[...groups, name].join(' > ')}" (${file})`),
    MOST_NAMED,
  )
  const cause =
    suspects.length > 0 ? `Probable cause: ${listOf(suspects, MOST_NAMED)}.` : 'No changed file shows the cause.'
  return (
    `The tests can't fail: exitgate broke ${names} on purpose in a private copy, and the run still reports a pass. ` +
    `Code of the project disables assertions, ends the run early or fakes its result. ${cause} ` +
    'Remove that code, or fix the test so that a failure in it counts.'
  )
}
