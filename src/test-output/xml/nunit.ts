import type { Part, TestCase, TestState } from '../types.ts'
import { child, descendants, type Element, numberOf } from './parse.ts'
import { settle } from './settle.ts'

const RED = /^(?:Failed(?:\(Child\))?|Failure|Error|Cancelled|Invalid)$/i
const GREEN = /^(?:Passed|Success|Warning)$/i

function stateOf(test: Element): TestState {
  const { result, success, executed, runstate } = test.attributes
  if (result !== undefined) {
    if (RED.test(result) || RED.test(test.attributes.label ?? '')) return 'failed'
    if (GREEN.test(result)) return 'passed'
    return 'skipped'
  }
  if (child(test, 'failure') !== undefined || success?.toLowerCase() === 'false') return 'failed'
  return executed?.toLowerCase() === 'false' || runstate === 'Ignored' ? 'skipped' : 'passed'
}

/** NUnit 3 (`test-run`) and NUnit 2 (`test-results`). Inconclusive proves nothing. */
export function readNunit(root: Element): Part | undefined {
  const three = root.name === 'test-run'
  if (!three && root.name !== 'test-results' && root.name !== 'test-suite') return undefined
  const cases = [...descendants(root, 'test-case')]
  const tests: readonly TestCase[] = cases.map((test) => ({
    name: test.attributes.fullname ?? test.attributes.name ?? 'test',
    state: stateOf(test),
  }))
  const suites = [...descendants(root, 'test-suite')]
  const failed = tests.filter((test) => test.state === 'failed').length
  // A fixture whose set-up failed is red, and its tests may not even be listed.
  const red = suites.filter((suite) => RED.test(suite.attributes.result ?? '') || suite.attributes.success === 'False')
  const broken = red.length > 0 && failed === 0 ? 'A suite failed without a failed test (NUnit).' : undefined
  const unrun = cases.filter((test) => test.attributes.result === 'NotRunnable').length
  const part = settle({
    framework: 'nunit',
    tests,
    claimed: {
      total: three ? numberOf(root, 'total') : 0,
      failed: three ? numberOf(root, 'failed') : numberOf(root, 'failures') + numberOf(root, 'errors'),
      skipped: numberOf(root, 'skipped'),
    },
    suitesFailed: broken === undefined ? 0 : 1,
    broken,
  })
  return unrun === 0 ? part : { ...part, unproven: `${unrun} tests could not be run (NUnit).` }
}
