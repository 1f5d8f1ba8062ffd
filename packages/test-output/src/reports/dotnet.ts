import type { Part, TestCase, TestState } from '../types.ts'
import { count, inState } from '../words.ts'
import { child, descendants, type Element, numberOf } from './element.ts'
import { stateIn } from './fields.ts'
import { settle } from './settle.ts'

const TRX_PASSED = /^(?:Passed|Completed|Warning|PassedButRunAborted)$/i
const TRX_SKIPPED = /^(?:NotExecuted|Inconclusive|NotRunnable|Pending|InProgress|Disconnected|Aborted)$/i

/** Visual Studio's test results, written by `dotnet test --logger trx`. */
export function readTrx(root: Element): Part | undefined {
  if (root.name !== 'TestRun') return undefined
  const found = root.children.filter((one) => one.name === 'Results').flatMap(trxResults)
  const tests = found.map(({ attributes: { testName: name = 'test', outcome = '' } }): TestCase => {
    const state = TRX_PASSED.test(outcome) ? 'passed' : TRX_SKIPPED.test(outcome) ? 'skipped' : 'failed'
    return { name, state }
  })
  const summary = child(root, 'ResultSummary')
  const outcomes = [summary, ...(summary === undefined ? [] : descendants(summary, 'RunInfo'))]
  const red =
    outcomes.some((one) => /^(?:Failed|Error|Aborted|Timeout)$/i.test(one?.attributes.outcome ?? '')) ||
    found.some((one) => /^(?:Aborted|Disconnected|InProgress)$/i.test(one.attributes.outcome ?? ''))
  return settle({
    framework: 'trx',
    tests,
    claimed: { total: 0, failed: numberOf(child(summary, 'Counters'), 'failed', 'error', 'timeout'), skipped: 0 },
    broken: red && inState(tests, 'failed') === 0 ? 'The run failed without a failed test (TRX).' : undefined,
  })
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
  const sum = (pick: (assembly: Element) => number) => assemblies.reduce((all, one) => all + pick(one), 0)
  const errors = sum((one) => Math.max(numberOf(one, 'errors'), child(one, 'errors')?.children.length ?? 0))
  return settle({
    framework: 'xunit',
    tests: descendants(root, 'test').map(({ attributes: { name = 'test', result } }) => ({
      name,
      state: stateIn(result, { notrun: 'skipped' }),
    })),
    claimed: {
      total: sum((one) => numberOf(one, 'total')),
      failed: sum((one) => numberOf(one, 'failed')),
      skipped: sum((one) => numberOf(one, 'skipped', 'not-run')),
    },
    suitesFailed: errors,
    broken: errors > 0 ? `${count(errors, 'error')} outside of the tests (xUnit).` : undefined,
  })
}

const NUNIT_FAILED = /^(?:Failed(?:\(Child\))?|Failure|Error|Cancelled|Invalid)$/i
const NUNIT_PASSED = /^(?:Passed|Success|Warning)$/i

/** NUnit 3 (`test-run`) and NUnit 2 (`test-results`). Inconclusive proves nothing. */
export function readNunit(root: Element): Part | undefined {
  const isThree = root.name === 'test-run'
  if (!isThree && root.name !== 'test-results' && root.name !== 'test-suite') return undefined
  const cases = descendants(root, 'test-case')
  const tests = cases.map((test) => ({
    name: test.attributes.fullname ?? test.attributes.name ?? 'test',
    state: nunitState(test),
  }))
  // A fixture whose set-up failed has failed, and its tests may not even be listed.
  const red = descendants(root, 'test-suite').some(
    ({ attributes: { result = '', success } }) => NUNIT_FAILED.test(result) || success === 'False',
  )
  const isBroken = red && inState(tests, 'failed') === 0
  const unrun = cases.filter((test) => test.attributes.result === 'NotRunnable').length
  const part = settle({
    framework: 'nunit',
    tests,
    claimed: {
      total: isThree ? numberOf(root, 'total') : 0,
      failed: isThree ? numberOf(root, 'failed') : numberOf(root, 'failures', 'errors'),
      skipped: numberOf(root, 'skipped'),
    },
    suitesFailed: isBroken ? 1 : 0,
    broken: isBroken ? 'A suite failed without a failed test (NUnit).' : undefined,
  })
  return unrun === 0 ? part : { ...part, unproven: `${count(unrun, 'test')} could not be run (NUnit).` }
}

function nunitState(test: Element): TestState {
  const { result, success, executed, runstate, label = '' } = test.attributes
  if (result !== undefined) {
    if (NUNIT_FAILED.test(result) || NUNIT_FAILED.test(label)) return 'failed'
    return NUNIT_PASSED.test(result) ? 'passed' : 'skipped'
  }
  if (child(test, 'failure') !== undefined || success?.toLowerCase() === 'false') return 'failed'
  return executed?.toLowerCase() === 'false' || runstate === 'Ignored' ? 'skipped' : 'passed'
}
