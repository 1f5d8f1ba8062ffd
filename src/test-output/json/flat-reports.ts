import { count } from '../../../packages/core/src/count.ts'
import type { JsonReader, TestCase, TestState } from '../../../packages/test-output/src/types.ts'
import { saysNoNetwork } from '../network.ts'
import { countIn, fields, isCount, isFields, list, text } from './fields.ts'

/** mocha's `json` reporter; mochawesome has the same totals and a different body. */
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
    skipped: countIn(pending) + countIn(skipped),
    // A failed hook is a failure, but not a test.
    total: Math.max(total, passes + failures + countIn(pending) + countIn(skipped)),
    tests,
    ...(hasOther === true && { unproven: 'Some tests ended in an unknown state (mocha).' }),
  }
}

function named(tests: unknown, state: TestState): readonly TestCase[] {
  return list(tests).map((one) => {
    const { fullTitle, title, file, currentRetry, err } = fields(one)
    const { message, stack, code } = fields(err)
    const error = [message, stack, code].map((part) => text(part) ?? '').join('\n')
    return {
      name: withGroups(text(fullTitle), text(title)),
      state,
      ...(text(file) !== undefined && { file: text(file)! }),
      ...(state === 'passed' && countIn(currentRetry) > 0 && { flaky: true as const }),
      ...(state === 'failed' && saysNoNetwork(error) && { network: true as const }),
    }
  })
}

/** The full title has only spaces between its groups. */
function withGroups(full: string | undefined, title: string | undefined): string {
  if (full === undefined || title === undefined || title === '') return full ?? title ?? 'test'
  const groups = full.endsWith(` ${title}`) ? full.slice(0, -title.length).trim() : ''
  return groups === '' ? full : `${groups} > ${title}`
}

const CTRF_STATES: Record<string, TestState> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
}

/** The common test report format. The state `other` proves nothing. */
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
  const failed = Math.max(of('failed'), countIn(summary.failed))
  const missing = countIn(summary.tests) > given.length
  return {
    framework: text(tool.name) ?? 'ctrf',
    from: 0,
    to: 0,
    passed: of('passed'),
    failed,
    skipped: of('skipped'),
    total: Math.max(of('passed') + failed + of('skipped') + others, missing ? 0 : countIn(summary.tests)),
    tests,
    ...(missing && {
      unproven: `The report counts ${count(countIn(summary.tests), 'test')} but lists ${given.length}.`,
    }),
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
  const failed = countIn(summary.failed) + countIn(summary.error)
  const unloaded = list(document.collectors).filter((one) => fields(one).outcome === 'failed').length
  return {
    framework: 'pytest',
    from: 0,
    to: 0,
    passed: countIn(summary.passed) + countIn(summary.xpassed),
    failed,
    skipped: countIn(summary.skipped) + countIn(summary.xfailed),
    suitesFailed: unloaded,
    tests,
    ...(exitcode !== 0 && exitcode !== 5 && failed === 0 && { broken: `pytest exited with ${exitcode}.` }),
  }
}

const RSPEC_STATES: Record<string, TestState> = { passed: 'passed', failed: 'failed', pending: 'skipped' }

/** RSpec's `json` formatter. */
export const rspecJson: JsonReader = (document) => {
  if (!isFields(document) || !Array.isArray(document.examples) || !isFields(document.summary)) return undefined
  const { example_count: total, failure_count: failures, errors_outside_of_examples_count: outside } = document.summary
  if (!isCount(total) || !isCount(failures)) return undefined
  const tests: readonly TestCase[] = list(document.examples).map((one) => {
    const { full_description: name, description, status, file_path: file, exception } = fields(one)
    const state = RSPEC_STATES[text(status) ?? ''] ?? 'failed'
    const noNetwork = state === 'failed' && saysNoNetwork(text(fields(exception).message) ?? '')
    return {
      name: withGroups(text(name), text(description)),
      state,
      ...(noNetwork && { network: true as const }),
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
    ...(countIn(outside) > 0 && {
      suitesFailed: countIn(outside),
      broken: `${count(countIn(outside), 'error')} outside of examples (rspec).`,
    }),
    ...(total > tests.length && {
      unproven: `The report counts ${count(total, 'example')} but lists ${tests.length}.`,
    }),
  }
}
