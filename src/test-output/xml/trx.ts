import type { Part, TestCase, TestState } from '../types.ts'
import { child, descendants, type Element, numberOf } from './parse.ts'
import { settle } from './settle.ts'

const GREEN = /^(?:Passed|Completed|Warning|PassedButRunAborted)$/i
const ASIDE = /^(?:NotExecuted|Inconclusive|NotRunnable|Pending|InProgress|Disconnected|Aborted)$/i

function stateOf(outcome: string | undefined): TestState {
  if (outcome === undefined) return 'failed'
  return GREEN.test(outcome) ? 'passed' : ASIDE.test(outcome) ? 'skipped' : 'failed'
}

/** Data-driven tests hold their rows; the rows are the tests. */
function results(element: Element): readonly Element[] {
  return element.children.flatMap((one) => {
    if (!/^(?:Unit|Generic|Web|Manual|Ordered)?TestResult(?:Aggregation)?$/.test(one.name)) return []
    const inner = child(one, 'InnerResults')
    const rows = inner === undefined ? [] : results(inner)
    return rows.length > 0 ? rows : [one]
  })
}

/** Visual Studio's test results, which `dotnet test --logger trx` writes. */
export function readTrx(root: Element): Part | undefined {
  if (root.name !== 'TestRun') return undefined
  const found = root.children.filter((one) => one.name === 'Results').flatMap(results)
  const tests: readonly TestCase[] = found.map((one) => ({
    name: one.attributes.testName ?? 'test',
    state: stateOf(one.attributes.outcome),
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
