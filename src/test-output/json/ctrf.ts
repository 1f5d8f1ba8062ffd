import type { JsonReader, TestCase, TestState } from '../types.ts'
import { count, fields, isFields, text } from './fields.ts'

const STATES: Record<string, TestState> = { passed: 'passed', failed: 'failed', skipped: 'skipped', pending: 'skipped' }

/** The common test report format. `other` is a state that proves nothing. */
export const ctrf: JsonReader = (document) => {
  if (!isFields(document) || !isFields(document.results)) return undefined
  const { tool, summary, tests: given } = document.results
  if (!isFields(tool) || !isFields(summary) || !Array.isArray(given)) return undefined
  const others = given.filter((one) => STATES[text(fields(one).status) ?? ''] === undefined).length
  const tests: readonly TestCase[] = given
    .filter((one) => STATES[text(fields(one).status) ?? ''] !== undefined)
    .map((one) => {
      const { name, suite, status, filePath, flaky } = fields(one)
      const groups = Array.isArray(suite) ? suite : text(suite) === undefined ? [] : [suite]
      return {
        name: [...groups, text(name) ?? 'test'].join(' > '),
        state: STATES[text(status)!]!,
        ...(text(filePath) !== undefined && { file: text(filePath)! }),
        ...(flaky === true && { flaky: true as const }),
      }
    })
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  const failed = Math.max(of('failed'), count(summary.failed))
  const missing = count(summary.tests) > given.length
  return {
    framework: text(tool.name) ?? 'ctrf',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed,
    skipped: of('skipped'),
    total: Math.max(of('passed') + failed + of('skipped') + others, missing ? 0 : count(summary.tests)),
    tests,
    ...(missing && { unproven: `The report counts ${summary.tests} tests and shows ${given.length}.` }),
  }
}
