import { count } from '../../../packages/core/src/count.ts'
import type { JsonReader, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { saysNoNetwork } from '../network.ts'
import { countIn, fields, isCount, isFields, list, text } from './fields.ts'

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
    const { ancestorTitles, title, fullName, status, retryReasons, invocations, failureMessages } = fields(one)
    const groups = list(ancestorTitles).filter((group) => typeof group === 'string' && group !== '')
    const name = [...groups, text(title) ?? text(fullName) ?? 'test'].join(' > ')
    const state = STATES[text(status) ?? ''] ?? 'failed'
    return {
      name,
      state,
      ...(path !== undefined && { file: path }),
      ...(state === 'passed' &&
        (list(retryReasons).length > 0 || countIn(invocations) > 1) && { flaky: true as const }),
      ...(state === 'failed' && saysNoNetwork(list(failureMessages).join('\n')) && { network: true as const }),
    }
  })
}

/** jest's `--json`, and vitest's `--reporter=json`, which writes the same. The tests are counted, not taken from the totals. */
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
  const failed = Math.max(of('failed'), countIn(numFailedTests))
  const broken =
    unloaded > 0 || countIn(numRuntimeErrorTestSuites) > 0
      ? `${count(Math.max(unloaded, countIn(numRuntimeErrorTestSuites)), 'test file')} could not be run.`
      : failed === 0 && (success === false || countIn(numFailedTestSuites) > 0)
        ? 'The runner reports that the run failed.'
        : undefined
  const interrupted = wasInterrupted === true ? 'The test run was interrupted.' : undefined
  const missing =
    numTotalTests > tests.length
      ? `The report counts ${count(numTotalTests, 'test')} but lists ${tests.length}.`
      : undefined
  const unproven = interrupted ?? missing
  return {
    framework: 'openHandles' in document || 'numRuntimeErrorTestSuites' in document ? 'jest' : 'vitest',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed,
    skipped: of('skipped'),
    suitesFailed: Math.max(unloaded, countIn(numRuntimeErrorTestSuites)),
    tests,
    ...(broken !== undefined && { broken }),
    ...(unproven !== undefined && { unproven }),
  }
}
