import type { JsonReader, TestCase, TestState } from '../types.ts'
import { count, fields, isCount, isFields, list, text } from './fields.ts'

function named(tests: unknown, state: TestState): readonly TestCase[] {
  return list(tests).map((one) => {
    const { fullTitle, title, file, currentRetry } = fields(one)
    return {
      name: text(fullTitle) ?? text(title) ?? 'test',
      state,
      ...(text(file) !== undefined && { file: text(file)! }),
      ...(state === 'passed' && count(currentRetry) > 0 && { flaky: true as const }),
    }
  })
}

/** mocha's `json` reporter; mochawesome has the same sums and another body. */
export const mochaJson: JsonReader = (document) => {
  if (!isFields(document) || !isFields(document.stats)) return undefined
  const { passes, failures, pending, tests: total, skipped, hasOther } = document.stats
  if (!isCount(passes) || !isCount(failures) || !isCount(total)) return undefined
  const tests = [
    ...named(document.passes, 'passed'),
    ...named(document.failures, 'failed'),
    ...named(document.pending, 'skipped'),
  ]
  return {
    framework: 'mocha',
    from: 0,
    to: 0,
    passed: passes,
    failed: Math.max(failures, tests.filter((test) => test.state === 'failed').length),
    skipped: count(pending) + count(skipped),
    // A hook that failed is a failure and no test.
    total: Math.max(total, passes + failures + count(pending) + count(skipped)),
    tests,
    ...(hasOther === true && { unproven: 'Some tests ended in no known state (mocha).' }),
  }
}
