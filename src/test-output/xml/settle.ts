import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestCase, TestState } from '../../../packages/test-output/src/types.ts'

/** The totals that the head of a report claims. */
export interface Claimed {
  readonly total: number
  readonly failed: number
  readonly skipped: number
}

interface Shown {
  readonly framework: string
  readonly tests: readonly TestCase[]
  readonly claimed: Claimed
  readonly broken?: string | undefined
  readonly suitesFailed?: number
}

/**
 * Counts the tests and compares the result with the head. If the head has more failures or more tests than the report lists,
 * something is missing, and the report never counts as passed.
 */
export function settle({ framework, tests, claimed, broken, suitesFailed = 0 }: Shown): Part {
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  const failed = Math.max(of('failed'), claimed.failed)
  const skipped = Math.max(of('skipped'), claimed.skipped)
  // If a report has totals but no tests, the totals are all there is.
  const rest = Math.max(0, Math.max(tests.length, claimed.total) - failed - skipped)
  const passed = tests.length === 0 || tests.length >= claimed.total ? rest : of('passed')
  const hidden =
    claimed.failed > of('failed')
      ? `The report counts ${count(claimed.failed, 'failure')} but lists ${of('failed')}.`
      : undefined
  const missing =
    claimed.total > tests.length
      ? `The report counts ${count(claimed.total, 'test')} but lists ${tests.length}.`
      : undefined
  const reason = broken ?? hidden
  return {
    framework,
    from: 0,
    to: 0,
    passed,
    failed,
    skipped,
    tests,
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(reason !== undefined && { broken: reason }),
    ...(missing !== undefined && { unproven: missing }),
  }
}
