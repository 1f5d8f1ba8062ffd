import type { JsonReader, TestCase, TestState } from '../types.ts'
import { count, fields, isCount, isFields, list, text } from './fields.ts'

const STATES: Record<string, TestState> = {
  passed: 'passed',
  failed: 'failed',
  pending: 'skipped',
  skipped: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
  focused: 'passed',
}

function testsOf(file: unknown): readonly TestCase[] {
  const path = text(fields(file).name)
  return list(fields(file).assertionResults).map((one) => {
    const { ancestorTitles, title, fullName, status, retryReasons, invocations } = fields(one)
    const groups = list(ancestorTitles).filter((group) => typeof group === 'string' && group !== '')
    const name = [...groups, text(title) ?? text(fullName) ?? 'test'].join(' > ')
    const state = STATES[text(status) ?? ''] ?? 'failed'
    return {
      name,
      state,
      ...(path !== undefined && { file: path }),
      ...(state === 'passed' && (list(retryReasons).length > 0 || count(invocations) > 1) && { flaky: true as const }),
    }
  })
}

/** `--json` of jest, and `--reporter=json` of vitest, which writes the same. Tests are counted, not their sums. */
export const jestJson: JsonReader = (document) => {
  if (!isFields(document) || !isCount(document.numTotalTests) || !Array.isArray(document.testResults)) return undefined
  const { numTotalTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites, success, wasInterrupted } =
    document
  const files = list(document.testResults)
  const tests = files.flatMap(testsOf)
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  const unloaded = files.filter(
    (file) => fields(file).status === 'failed' && !testsOf(file).some((test) => test.state === 'failed'),
  ).length
  const failed = Math.max(of('failed'), count(numFailedTests))
  const broken =
    unloaded > 0 || count(numRuntimeErrorTestSuites) > 0
      ? `${Math.max(unloaded, count(numRuntimeErrorTestSuites))} test files could not be run.`
      : failed === 0 && (success === false || count(numFailedTestSuites) > 0)
        ? 'The run says of itself that it did not succeed.'
        : undefined
  const interrupted = wasInterrupted === true ? 'The run was interrupted.' : undefined
  const missing =
    numTotalTests > tests.length ? `The report counts ${numTotalTests} tests and shows ${tests.length}.` : undefined
  const unproven = interrupted ?? missing
  return {
    framework: 'openHandles' in document || 'numRuntimeErrorTestSuites' in document ? 'jest' : 'vitest',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed,
    skipped: of('skipped'),
    suitesFailed: Math.max(unloaded, count(numRuntimeErrorTestSuites)),
    tests,
    ...(broken !== undefined && { broken }),
    ...(unproven !== undefined && { unproven }),
  }
}
