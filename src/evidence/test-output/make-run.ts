import type { TestRun } from './types.ts'

interface Counted {
  readonly framework: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** What the runner itself gave as the sum; else the parts are added. */
  readonly total?: number
  /** Something other than a test failed: a suite did not load, a plan was not fulfilled, an error escaped. */
  readonly broken?: boolean
  /** The report breaks off before its end, so that green is not proven. */
  readonly unfinished?: boolean
  readonly tests?: NonNullable<TestRun['tests']>
}

/** The one place that says when a run is good: never with zero passed tests. */
export function makeRun(counted: Counted): TestRun {
  const { framework, passed, failed, skipped, tests } = counted
  const total = counted.total ?? passed + failed + skipped
  const broken = counted.broken === true || failed > 0
  const proven = passed > 0 && counted.unfinished !== true && passed + skipped >= total
  const ok = broken ? false : proven ? true : null
  return { passed, failed, skipped, total, ok, framework, ...(tests !== undefined && tests.length > 0 && { tests }) }
}
