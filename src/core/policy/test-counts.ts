import type { Condition, Facts, Finding } from '../types.ts'
import { finding, yesNo } from './finding.ts'
import { countIn } from './measures.ts'

interface Counts {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Tests by their counts. None counted, or counts that the check itself does not stand for, are `unknown`. */
const byCounts =
  (judge: (counts: Counts, facts: Facts) => Finding): Condition =>
  (facts) => {
    const tests = facts.evidence.tests
    const [total, passed, failed] = ['total', 'passed', 'failed'].map((name) => countIn(facts, 'tests', name))
    if (!tests || total === undefined || passed === undefined || failed === undefined)
      return finding('tests', 'unknown', `tests: ${tests?.detail || 'no counts were gathered'}`)
    if (total === 0) return finding('tests', 'unknown', 'tests: none ran')
    if (tests.answer === 'unknown')
      return finding('tests', 'unknown', `tests: ${tests.detail || 'the answer is unknown'}`)
    return judge({ total, passed, failed, skipped: countIn(facts, 'tests', 'skipped') ?? 0 }, facts)
  }

/** The counts say yes; then the check must not have said no for a reason that no count shows. */
const unlessRefuted = (holds: boolean, words: string, { evidence: { tests } }: Facts): Finding =>
  holds && tests?.answer === 'no'
    ? finding('tests', 'no', `tests: ${tests.detail || 'the answer is no'}`)
    : finding('tests', yesNo(holds), words)

/** More than zero, none failing, none left out. */
export const allGreen: Condition = byCounts(({ total, passed, failed }, facts) =>
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

/** How many tests there are that were not there before the run. Nothing known about then is none. */
export function newTests(facts: Facts): number | undefined {
  const total = countIn(facts, 'tests', 'total')
  return total === undefined ? undefined : total - before(facts, 'total')
}

const before = ({ baseline }: Facts, name: string): number => baseline?.tests?.counts?.[name] ?? 0

/** Before the work begins every new test has to fail, and those that were there before go on as they did. */
export const everyTestFails: Condition = byCounts(({ total, passed, failed }, facts) => {
  const old = before(facts, 'total')
  const gone = countIn(facts, 'tests', 'missing') ?? 0
  if (gone > 0) return finding('all red', 'no', `${gone} tests of before the run are gone`)
  const red = { total: total - old, failed: failed - before(facts, 'failed'), passed: passed - before(facts, 'passed') }
  if (red.passed < 0) return finding('all red', 'no', `${-red.passed} tests that passed before the run do not any more`)
  if (red.failed < 0) return finding('all red', 'no', `${-red.failed} tests that failed before the run pass already`)
  const words = `${red.failed} of ${red.total} ${old > 0 ? 'new ' : ''}tests fail, ${red.passed} pass`
  return finding('all red', yesNo(red.total > 0 && red.failed === red.total && red.passed === 0), words)
})
