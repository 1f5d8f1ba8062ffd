import type { JsonReader, TestCase, TestState } from '../types.ts'
import { count, fields, isCount, isFields, list, text } from './fields.ts'

const STATES: Record<string, TestState> = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
}

/** The plugin pytest-json-report. */
export const pytestJson: JsonReader = (document) => {
  if (!isFields(document) || !isFields(document.summary) || !isCount(document.exitcode)) return undefined
  if (!isCount(document.summary.total) && !isCount(document.summary.collected)) return undefined
  const tests: readonly TestCase[] = list(document.tests).map((one) => {
    const { nodeid, outcome } = fields(one)
    const name = text(nodeid) ?? 'test'
    return { name, state: STATES[text(outcome) ?? ''] ?? 'failed', file: name.split('::')[0]! }
  })
  const { summary, exitcode } = document
  const failed = count(summary.failed) + count(summary.error)
  const unloaded = list(document.collectors).filter((one) => fields(one).outcome === 'failed').length
  return {
    framework: 'pytest',
    from: 0,
    to: 0,
    passed: count(summary.passed) + count(summary.xpassed),
    failed,
    skipped: count(summary.skipped) + count(summary.xfailed),
    suitesFailed: unloaded,
    tests,
    ...(exitcode !== 0 && exitcode !== 5 && failed === 0 && { broken: `pytest ended with ${exitcode}.` }),
  }
}
