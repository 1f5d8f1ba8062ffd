import type { Part, TestCase, TestState } from '../types.ts'
import { count, inState, stateOf } from '../words.ts'
import { countIn, fields, isCount, isFields, list, stateIn, testCase, text } from './fields.ts'
import { settle } from './settle.ts'

/** What a report lists as passed has passed, whatever its totals say. */
const listed: typeof settle = (shown) => ({ ...settle(shown), passed: inState(shown.tests, 'passed') })

/** Reads a JSON document of one runner. Undefined means "not my format", never "nothing failed". */
type JsonReader = (document: Readonly<Record<string, unknown>>) => Part | undefined

/** jest's `--json`, and vitest's `--reporter=json`, which writes the same. */
const jest: JsonReader = (document) => {
  const { numTotalTests, numFailedTests, numRuntimeErrorTestSuites, success, testResults, wasInterrupted } = document
  if (!isCount(numTotalTests) || !Array.isArray(testResults)) return undefined
  const files = testResults.map((file) => ({ file: fields(file), tests: testsOfJest(fields(file)) }))
  const tests = files.flatMap((one) => one.tests)
  const unloaded = files.filter((one) => one.file.status === 'failed' && inState(one.tests, 'failed') === 0).length
  const suitesFailed = Math.max(unloaded, countIn(numRuntimeErrorTestSuites))
  const unrun = suitesFailed > 0 ? `${count(suitesFailed, 'test file')} could not be run.` : undefined
  const failed = Math.max(inState(tests, 'failed'), countIn(numFailedTests))
  const red = failed === 0 && (success === false || countIn(document.numFailedTestSuites) > 0)
  return listed({
    framework: 'openHandles' in document || 'numRuntimeErrorTestSuites' in document ? 'jest' : 'vitest',
    tests,
    claimed: { total: numTotalTests, failed: countIn(numFailedTests), skipped: 0 },
    suitesFailed,
    broken: unrun ?? (red ? 'The runner reports that the run failed.' : undefined),
    unproven: wasInterrupted === true ? 'The test run was interrupted.' : undefined,
  })
}

const testsOfJest = ({ name: file, assertionResults }: Readonly<Record<string, unknown>>): readonly TestCase[] =>
  list(assertionResults).map((one) => {
    const { ancestorTitles, title, fullName, status, retryReasons, invocations, failureMessages } = fields(one)
    const groups = list(ancestorTitles).filter((group) => typeof group === 'string' && group !== '')
    const name = [...groups, text(title) ?? text(fullName) ?? 'test'].join(' > ')
    const flaky = list(retryReasons).length > 0 || countIn(invocations) > 1
    return testCase(name, stateIn(status, { focused: 'passed' }), {
      file,
      flaky,
      error: list(failureMessages).join('\n'),
    })
  })

const PLAYWRIGHT_STATES = { expected: 'passed', flaky: 'passed', unexpected: 'failed' } as const

/** Suites contain suites and specs; a spec has one test per project. */
const playwright: JsonReader = ({ suites, stats, config, errors }) => {
  if (!Array.isArray(suites) || !isFields(stats) || !isFields(config)) return undefined
  const tests = suites.flatMap((suite) => testsOfPlaywright(suite, [], 0))
  const escaped = list(errors).length
  return listed({
    framework: 'playwright',
    tests,
    claimed: { total: 0, failed: countIn(stats.unexpected), skipped: 0 },
    suitesFailed: escaped,
    broken: escaped > 0 ? `${count(escaped, 'error')} outside of the tests (playwright).` : undefined,
  })
}

function testsOfPlaywright(suite: unknown, groups: readonly string[], depth: number): readonly TestCase[] {
  const { title, file, specs, suites } = fields(suite)
  if (depth > 100) return []
  const path = typeof title === 'string' && title !== '' ? [...groups, title] : groups
  const own = list(specs).flatMap((one) => {
    const spec = fields(one)
    return list(spec.tests).map((test) => {
      const { projectName, status } = fields(test)
      const project = text(projectName) ? [`[${projectName}]`] : []
      const name = [...project, ...path, text(spec.title) ?? 'test'].join(' > ')
      return testCase(name, stateIn(status, PLAYWRIGHT_STATES), { file: spec.file ?? file, flaky: status === 'flaky' })
    })
  })
  return [...own, ...list(suites).flatMap((inner) => testsOfPlaywright(inner, path, depth + 1))]
}

/** The common test report format. The state `other` proves nothing. */
const ctrf: JsonReader = ({ results }) => {
  const { tool, summary, tests } = fields(results)
  if (!isFields(tool) || !isFields(summary) || !Array.isArray(tests)) return undefined
  const known = tests.map(fields).filter(({ status }) => stateOf(text(status) ?? '') !== undefined)
  const part = listed({
    framework: text(tool.name) ?? 'ctrf',
    tests: known.map(({ name, status, suite, filePath, flaky }) => {
      const groups = Array.isArray(suite) ? suite : text(suite) === undefined ? [] : [suite]
      const path = [...groups, text(name) ?? 'test'].join(' > ')
      return testCase(path, stateIn(status), { file: filePath, flaky: flaky === true })
    }),
    claimed: { total: 0, failed: countIn(summary.failed), skipped: 0 },
  })
  const missing = countIn(summary.tests) > tests.length
  const total = part.passed + part.failed + part.skipped + tests.length - known.length
  const unproven = `The report counts ${count(countIn(summary.tests), 'test')} but lists ${tests.length}.`
  return { ...part, total: Math.max(total, missing ? 0 : countIn(summary.tests)), ...(missing && { unproven }) }
}

/** RSpec's `json` formatter. */
const rspec: JsonReader = ({ examples, summary }) => {
  if (!Array.isArray(examples) || !isFields(summary)) return undefined
  const { example_count: total, failure_count: failed, errors_outside_of_examples_count: errors } = summary
  if (!isCount(total) || !isCount(failed)) return undefined
  const outside = countIn(errors)
  return listed({
    framework: 'rspec',
    tests: examples.map((one) => {
      const { full_description: name, description, status, file_path: file, exception } = fields(one)
      return testCase(withGroups(name, description), stateIn(status), { file, error: text(fields(exception).message) })
    }),
    claimed: { total, failed, skipped: 0 },
    suitesFailed: outside,
    broken: outside > 0 ? `${count(outside, 'error')} outside of the tests (rspec).` : undefined,
  })
}

/** The plugin pytest-json-report. Its list of tests can be left out. */
const pytest: JsonReader = ({ summary, exitcode, tests, collectors }) => {
  if (!isFields(summary) || !isCount(exitcode)) return undefined
  if (!isCount(summary.total) && !isCount(summary.collected)) return undefined
  const failed = countIn(summary.failed) + countIn(summary.error)
  return {
    ...{ framework: 'pytest', from: 0, to: 0, failed },
    passed: countIn(summary.passed) + countIn(summary.xpassed),
    skipped: countIn(summary.skipped) + countIn(summary.xfailed),
    suitesFailed: list(collectors).filter((one) => fields(one).outcome === 'failed').length,
    tests: list(tests).map((one) => {
      const { nodeid, outcome } = fields(one)
      const name = text(nodeid) ?? 'test'
      return testCase(name, stateIn(outcome, { xfailed: 'skipped' }), { file: name.split('::')[0] })
    }),
    ...(exitcode !== 0 && exitcode !== 5 && failed === 0 && { broken: `pytest exited with ${exitcode}.` }),
  }
}

/** mocha's `json` reporter; mochawesome has the same totals and a different body. A failed hook is a failure, but not a test. */
const mocha: JsonReader = (document) => {
  if (!isFields(document.stats)) return undefined
  const { passes: passed, failures, pending, tests: total, skipped: left, hasOther } = document.stats
  if (!isCount(passed) || !isCount(failures) || !isCount(total)) return undefined
  const tests = [
    ...testsOfMocha(document.passes, 'passed'),
    ...testsOfMocha(document.failures, 'failed'),
    ...testsOfMocha(document.pending, 'skipped'),
  ]
  const failed = Math.max(failures, inState(tests, 'failed'))
  const skipped = countIn(pending) + countIn(left)
  return {
    ...{ framework: 'mocha', from: 0, to: 0, passed, failed, skipped, tests },
    total: Math.max(total, passed + failures + skipped),
    ...(hasOther === true && { unproven: 'Some tests ended in an unknown state (mocha).' }),
  }
}

const testsOfMocha = (tests: unknown, state: TestState): readonly TestCase[] =>
  list(tests).map((one) => {
    const { fullTitle, title, file, currentRetry, err } = fields(one)
    const { message, stack, code } = fields(err)
    const error = [message, stack, code].map((part) => text(part) ?? '').join('\n')
    return testCase(withGroups(fullTitle, title), state, { file, flaky: countIn(currentRetry) > 0, error })
  })

/** The full title has only spaces between its groups. */
function withGroups(full: unknown, title: unknown): string {
  if (typeof full !== 'string' || typeof title !== 'string' || title === '') return text(full) ?? text(title) ?? 'test'
  const groups = full.endsWith(` ${title}`) ? full.slice(0, -title.length).trim() : ''
  return groups === '' ? full : `${groups} > ${title}`
}

const readers: readonly JsonReader[] = [jest, playwright, ctrf, rspec, pytest, mocha]
const TRIES = 20

/** A JSON document, alone or between the lines that a package manager prints around it, and the surrounding text. */
export function readJson(whole: string): { part: Part; rest: string } | undefined {
  const end = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'))
  let tries = 0
  for (const start of whole.matchAll(/^[ \t]*[[{]/gm)) {
    if (start.index > end || tries++ >= TRIES) break
    const document = parsed(whole.slice(start.index, end + 1))
    const part = isFields(document) ? readers.map((reader) => reader(document)).find(Boolean) : undefined
    if (part !== undefined) return { part, rest: `${whole.slice(0, start.index)}\n${whole.slice(end + 1)}` }
  }
  return undefined
}

function parsed(document: string): unknown {
  try {
    return JSON.parse(document)
  } catch {
    return undefined
  }
}
