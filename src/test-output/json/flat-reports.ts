import type { JsonReader, TestCase, TestState } from '../types.ts'
import { count, fields, isCount, isFields, list, text } from './fields.ts'

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

const CTRF_STATES: Record<string, TestState> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
}

/** The common test report format. `other` is a state that proves nothing. */
export const ctrf: JsonReader = (document) => {
  if (!isFields(document) || !isFields(document.results)) return undefined
  const { tool, summary, tests: given } = document.results
  if (!isFields(tool) || !isFields(summary) || !Array.isArray(given)) return undefined
  const others = given.filter((one) => CTRF_STATES[text(fields(one).status) ?? ''] === undefined).length
  const tests: readonly TestCase[] = given
    .filter((one) => CTRF_STATES[text(fields(one).status) ?? ''] !== undefined)
    .map((one) => {
      const { name, suite, status, filePath, flaky } = fields(one)
      const groups = Array.isArray(suite) ? suite : text(suite) === undefined ? [] : [suite]
      return {
        name: [...groups, text(name) ?? 'test'].join(' > '),
        state: CTRF_STATES[text(status)!]!,
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

const PYTEST_STATES: Record<string, TestState> = {
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
    return { name, state: PYTEST_STATES[text(outcome) ?? ''] ?? 'failed', file: name.split('::')[0]! }
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

const RSPEC_STATES: Record<string, TestState> = { passed: 'passed', failed: 'failed', pending: 'skipped' }

/** RSpec's `json` formatter. */
export const rspecJson: JsonReader = (document) => {
  if (!isFields(document) || !Array.isArray(document.examples) || !isFields(document.summary)) return undefined
  const { example_count: total, failure_count: failures, errors_outside_of_examples_count: outside } = document.summary
  if (!isCount(total) || !isCount(failures)) return undefined
  const tests: readonly TestCase[] = list(document.examples).map((one) => {
    const { full_description: name, description, status, file_path: file } = fields(one)
    return {
      name: text(name) ?? text(description) ?? 'example',
      state: RSPEC_STATES[text(status) ?? ''] ?? 'failed',
      ...(text(file) !== undefined && { file: text(file)! }),
    }
  })
  const of = (state: TestState) => tests.filter((test) => test.state === state).length
  return {
    framework: 'rspec',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed: Math.max(of('failed'), failures),
    skipped: of('skipped'),
    tests,
    ...(count(outside) > 0 && {
      suitesFailed: count(outside),
      broken: `${count(outside)} errors occurred outside of examples (rspec).`,
    }),
    ...(total > tests.length && { unproven: `The report counts ${total} examples and shows ${tests.length}.` }),
  }
}
