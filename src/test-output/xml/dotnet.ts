import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { child, descendants, type Element, numberOf } from './parse.ts'
import { settle } from './settle.ts'

/** Visual Studio's test results, written by `dotnet test --logger trx`. */
export function readTrx(root: Element): Part | undefined {
  if (root.name !== 'TestRun') return undefined
  const found = root.children.filter((one) => one.name === 'Results').flatMap(trxResults)
  const tests: readonly TestCase[] = found.map((one) => ({
    name: one.attributes.testName ?? 'test',
    state: trxState(one.attributes.outcome),
  }))
  const summary = child(root, 'ResultSummary')
  const counters = summary === undefined ? undefined : child(summary, 'Counters')
  const failed =
    counters === undefined ? 0 : ['failed', 'error', 'timeout'].reduce((all, name) => all + numberOf(counters, name), 0)
  const outcome = summary?.attributes.outcome ?? ''
  const red = /^(?:Failed|Error|Aborted|Timeout)$/i.test(outcome)
  const infos = summary === undefined ? [] : [...descendants(summary, 'RunInfo')]
  const escaped = infos.some((info) => /^(?:Error|Failed|Aborted)$/i.test(info.attributes.outcome ?? ''))
  const shown = tests.filter((test) => test.state === 'failed').length
  const aborted = found.some((one) => /^(?:Aborted|Disconnected|InProgress)$/i.test(one.attributes.outcome ?? ''))
  const broken = (red || escaped || aborted) && shown === 0 ? 'The run failed without a failed test (TRX).' : undefined
  return settle({
    framework: 'trx',
    tests,
    claimed: { total: 0, failed, skipped: 0 },
    broken,
  })
}

const TRX_PASSED = /^(?:Passed|Completed|Warning|PassedButRunAborted)$/i
const TRX_SKIPPED = /^(?:NotExecuted|Inconclusive|NotRunnable|Pending|InProgress|Disconnected|Aborted)$/i

function trxState(outcome: string | undefined): TestState {
  if (outcome === undefined) return 'failed'
  return TRX_PASSED.test(outcome) ? 'passed' : TRX_SKIPPED.test(outcome) ? 'skipped' : 'failed'
}

/** Data-driven tests contain their rows; the rows are the tests. */
function trxResults(element: Element): readonly Element[] {
  return element.children.flatMap((one) => {
    if (!/^(?:Unit|Generic|Web|Manual|Ordered)?TestResult(?:Aggregation)?$/.test(one.name)) return []
    const inner = child(one, 'InnerResults')
    const rows = inner === undefined ? [] : trxResults(inner)
    return rows.length > 0 ? rows : [one]
  })
}

/** xUnit.net, version 1 (`assembly`) and 2 (`assemblies`). */
export function readXunit(root: Element): Part | undefined {
  if (root.name !== 'assemblies' && root.name !== 'assembly') return undefined
  const assemblies = root.name === 'assembly' ? [root] : root.children.filter((one) => one.name === 'assembly')
  const tests: readonly TestCase[] = [...descendants(root, 'test')].map((test) => ({
    name: test.attributes.name ?? 'test',
    state: XUNIT_STATES[(test.attributes.result ?? '').toLowerCase()] ?? 'failed',
  }))
  const sum = (attribute: string) => assemblies.reduce((all, one) => all + numberOf(one, attribute), 0)
  const errors = assemblies.reduce(
    (all, one) => all + Math.max(numberOf(one, 'errors'), child(one, 'errors')?.children.length ?? 0),
    0,
  )
  return settle({
    framework: 'xunit',
    tests,
    claimed: { total: sum('total'), failed: sum('failed'), skipped: sum('skipped') + sum('not-run') },
    suitesFailed: errors,
    broken: errors > 0 ? `${count(errors, 'error')} outside of the tests (xUnit).` : undefined,
  })
}

const XUNIT_STATES: Record<string, TestState> = { pass: 'passed', fail: 'failed', skip: 'skipped', notrun: 'skipped' }

/** NUnit 3 (`test-run`) and NUnit 2 (`test-results`). Inconclusive proves nothing. */
export function readNunit(root: Element): Part | undefined {
  const three = root.name === 'test-run'
  if (!three && root.name !== 'test-results' && root.name !== 'test-suite') return undefined
  const cases = [...descendants(root, 'test-case')]
  const tests: readonly TestCase[] = cases.map((test) => ({
    name: test.attributes.fullname ?? test.attributes.name ?? 'test',
    state: nunitState(test),
  }))
  const suites = [...descendants(root, 'test-suite')]
  const failed = tests.filter((test) => test.state === 'failed').length
  // A fixture whose set-up failed has failed, and its tests may not even be listed.
  const red = suites.filter(
    (suite) => NUNIT_FAILED.test(suite.attributes.result ?? '') || suite.attributes.success === 'False',
  )
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
  return unrun === 0 ? part : { ...part, unproven: `${count(unrun, 'test')} could not be run (NUnit).` }
}

const NUNIT_FAILED = /^(?:Failed(?:\(Child\))?|Failure|Error|Cancelled|Invalid)$/i
const NUNIT_PASSED = /^(?:Passed|Success|Warning)$/i

function nunitState(test: Element): TestState {
  const { result, success, executed, runstate } = test.attributes
  if (result !== undefined) {
    if (NUNIT_FAILED.test(result) || NUNIT_FAILED.test(test.attributes.label ?? '')) return 'failed'
    if (NUNIT_PASSED.test(result)) return 'passed'
    return 'skipped'
  }
  if (child(test, 'failure') !== undefined || success?.toLowerCase() === 'false') return 'failed'
  return executed?.toLowerCase() === 'false' || runstate === 'Ignored' ? 'skipped' : 'passed'
}
