import type { Part, TestCase, TestState } from '../types.ts'

/** What the head of a report claims. */
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
 * Tests are counted, heads are only compared: a head that knows of more failures or more tests than the report shows means
 * that something is missing, and a report like that is never green.
 */
export function settle({ framework, tests, claimed, broken, suitesFailed = 0 }: Shown): Part {
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  const failed = Math.max(of('failed'), claimed.failed)
  const skipped = Math.max(of('skipped'), claimed.skipped)
  // A report with sums and no tests at all: the sums are all there is to tell.
  const rest = Math.max(0, Math.max(tests.length, claimed.total) - failed - skipped)
  const passed = tests.length === 0 || tests.length >= claimed.total ? rest : of('passed')
  const hidden =
    claimed.failed > of('failed')
      ? `The report counts ${claimed.failed} failures and shows ${of('failed')}.`
      : undefined
  const missing =
    claimed.total > tests.length ? `The report counts ${claimed.total} tests and shows ${tests.length}.` : undefined
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
