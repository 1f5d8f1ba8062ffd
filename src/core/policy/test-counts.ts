import { count } from '../../../packages/core/src/count.ts'
import type { Condition, Facts, Finding } from '../types.ts'
import { finding, yesNo } from './finding.ts'
import { countIn } from './measures.ts'

interface Counts {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Tests by their counts. Without counts, or if the check itself is unknown, the answer is `unknown`. */
const byCounts =
  (judge: (counts: Counts, facts: Facts) => Finding): Condition =>
  (facts) => {
    const tests = facts.evidence.tests
    const [total, passed, failed] = ['total', 'passed', 'failed'].map((name) => countIn(facts, 'tests', name))
    if (!tests || total === undefined || passed === undefined || failed === undefined)
      return finding('tests', 'unknown', `tests: ${tests?.detail || 'no test results'}`)
    if (total === 0) return finding('tests', 'unknown', 'tests: no test ran')
    if (tests.answer === 'unknown') return finding('tests', 'unknown', `tests: ${tests.detail || 'unknown'}`)
    return judge({ total, passed, failed, skipped: countIn(facts, 'tests', 'skipped') ?? 0 }, facts)
  }

/** The check may have failed for a reason that no count shows. */
const unlessRefuted = (holds: boolean, text: string, { evidence: { tests } }: Facts): Finding =>
  holds && tests?.answer === 'no'
    ? finding('tests', 'no', `tests: ${tests.detail || 'fail'}`)
    : finding('tests', yesNo(holds), text)

/** More than zero, none failing, none skipped. */
export const allPass: Condition = byCounts(({ total, passed, failed }, facts) =>
  unlessRefuted(failed === 0 && passed === total, `tests: ${passed} of ${total} pass`, facts),
)

/** None failing; some may be skipped. */
export const noneFailing: Condition = byCounts(({ total, passed, failed, skipped }, facts) =>
  unlessRefuted(
    passed > 0 && failed === 0 && passed + skipped === total,
    `tests: ${passed} of ${total} pass, ${failed} fail`,
    facts,
  ),
)

/** How many tests are new since the start of the run. Without a baseline, all of them are. */
export function newTests(facts: Facts): number | undefined {
  const total = countIn(facts, 'tests', 'total')
  return total === undefined ? undefined : total - before(facts, 'total')
}

const before = ({ baseline }: Facts, name: string): number => baseline?.tests?.counts?.[name] ?? 0

/** In RED every new test has to fail, and the earlier ones behave as before. */
export const everyTestFails: Condition = byCounts(({ total, passed, failed }, facts) => {
  const old = before(facts, 'total')
  const gone = countIn(facts, 'tests', 'missing') ?? 0
  if (gone > 0) return finding('all red', 'no', count(gone, 'earlier test is gone', 'earlier tests are gone'))
  const red = { total: total - old, failed: failed - before(facts, 'failed'), passed: passed - before(facts, 'passed') }
  if (red.passed < 0)
    return finding(
      'all red',
      'no',
      `${count(-red.passed, 'test')} that passed before the run ${red.passed === -1 ? 'fails' : 'fail'} now`,
    )
  if (red.failed < 0)
    return finding(
      'all red',
      'no',
      `${count(-red.failed, 'test')} that failed before the run ${red.failed === -1 ? 'passes' : 'pass'} already`,
    )
  const text = `${red.failed} of ${count(red.total, old > 0 ? 'new test' : 'test')} fail, ${red.passed} pass`
  return finding('all red', yesNo(red.total > 0 && red.failed === red.total && red.passed === 0), text)
})
