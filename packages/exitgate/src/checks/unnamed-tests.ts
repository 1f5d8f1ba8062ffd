import { count } from '../../../core/src/count.ts'
import type { TestRun } from '../../../test-output/src/types.ts'

/** What the counts show of tests that no report names. */
export interface UnnamedTests {
  /** Failures that block. */
  readonly failing: number
  /** Failures that you accepted with all that failed before the run: as many as failed then. */
  readonly accepted: number
  /** Tests that are skipped now or gone: what to call them, and why they count as lost. */
  readonly lost: readonly { readonly name: string; readonly why: string }[]
}

const failuresWithoutNames = ({ failed, tests = [] }: TestRun) =>
  Math.max(0, failed - tests.filter(({ state }) => state === 'failed').length)
/** Skipped tests have not run: a test that is skipped now must not keep its place in a total. */
const ran = ({ passed, failed }: TestRun) => passed + failed

const unnamed = (number: number) => `${count(number, 'test')} that the report does not name`

/** `areNamed`: both reports name all their tests, so that the names show which are lost. `lost`: how many the names show already. */
export function unnamedTests(
  then: TestRun | undefined,
  now: TestRun,
  {
    areNamed,
    acceptFailing,
    lost,
  }: { readonly areNamed: boolean; readonly acceptFailing: boolean; readonly lost: number },
): UnnamedTests {
  const failing = failuresWithoutNames(now)
  const accepted = acceptFailing && then !== undefined ? Math.min(failing, failuresWithoutNames(then)) : 0
  const left = { failing: failing - accepted, accepted }
  if (then === undefined || areNamed) return { ...left, lost: [] }
  const all = ran(then) - ran(now)
  const skipped = Math.max(0, now.skipped - then.skipped - lost)
  const gone = all - skipped - lost
  const found = [
    ...(skipped > 0 ? [{ name: unnamed(skipped), why: 'skipped now, not before the run' }] : []),
    ...(gone > 0 ? [{ name: unnamed(gone), why: 'ran before, gone now' }] : []),
  ]
  return { ...left, lost: found }
}

/** One sentence for each kind that is there. */
export function unnamedSentences({ failing, accepted }: UnnamedTests): readonly string[] {
  return [
    ...(failing > 0 ? [`The report does not name ${count(failing, 'failing test')}.`] : []),
    ...(accepted > 0
      ? [
          `The report names no failing test. ${count(accepted, 'failure')} ${accepted === 1 ? 'is' : 'are'} accepted by number: as many tests failed before the run.`,
        ]
      : []),
  ]
}
