import type { Part, TestCase } from '../types.ts'
import { count, inState } from '../words.ts'

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
  readonly unproven?: string | undefined
  readonly suitesFailed?: number
}

/**
 * Counts the tests and compares the result with the head. If the head has more failures or more tests than the report lists,
 * something is missing, and the report never counts as passed.
 */
export function settle({ framework, tests, claimed, broken, unproven, suitesFailed = 0 }: Shown): Part {
  const listed = inState(tests, 'failed')
  const failed = Math.max(listed, claimed.failed)
  const skipped = Math.max(inState(tests, 'skipped'), claimed.skipped)
  // If a report has totals but no tests, the totals are all there is.
  const rest = Math.max(0, Math.max(tests.length, claimed.total) - failed - skipped)
  const hidden =
    claimed.failed > listed ? `The report counts ${count(claimed.failed, 'failure')} but lists ${listed}.` : undefined
  const missing =
    claimed.total > tests.length
      ? `The report counts ${count(claimed.total, 'test')} but lists ${tests.length}.`
      : undefined
  return {
    ...{ framework, from: 0, to: 0, failed, skipped, suitesFailed, tests },
    passed: tests.length === 0 || tests.length >= claimed.total ? rest : inState(tests, 'passed'),
    broken: broken ?? hidden,
    unproven: unproven ?? missing,
  }
}
