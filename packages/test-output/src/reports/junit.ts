import type { Part, TestCase, TestState } from '../types.ts'
import { count, inState } from '../words.ts'
import { descendants, type Element, numberOf, unityTests } from './element.ts'
import { testCase } from './fields.ts'
import { type Claimed, settle } from './settle.ts'

const RED = new Set(['failure', 'error', 'rerunFailure', 'rerunError'])
const ASIDE = new Set(['skipped', 'skip', 'disabled', 'ignored', 'pending'])
const AGAIN = new Set(['flakyFailure', 'flakyError'])
const ASIDE_WORDS = /^(?:skipped|notrun|disabled|ignored|pending|suppressed|inconclusive|todo)$/i
/** ctest reports it as skipped if there was nothing to run. */
const ABSENT = /^(?:unable to find|could not find|missing) /i
const RED_WORDS = /^(?:fail|failed|failure|error|errored|broken|timeout|timedout)$/i

const isAbsent = (test: Element): boolean =>
  test.children.some((one) => ASIDE.has(one.name) && ABSENT.test(one.attributes.message ?? ''))

function stateOf(test: Element): TestState {
  const names = test.children.map((one) => one.name)
  if (names.some((name) => RED.has(name)) || isAbsent(test)) return 'failed'
  const { status = '', result = '', success } = test.attributes
  if (RED_WORDS.test(status) || RED_WORDS.test(result) || success?.toLowerCase() === 'false') return 'failed'
  if (ASIDE_WORDS.test(status) || ASIDE_WORDS.test(result)) return 'skipped'
  // A test is skipped once. Several are subtests of one that ran.
  return names.filter((name) => ASIDE.has(name)).length === 1 ? 'skipped' : 'passed'
}

/** Writers disagree on what a class name is; a name that already starts with it does not need it twice. */
function nameOf({ attributes: { name = '', classname: given = '' } }: Element, groups: readonly string[]): string {
  // node:test names every class `test`, or joins the groups by dots; the test is nested in the groups themselves.
  const classname = given === 'test' || given === groups.join('.') ? groups.join(' > ') : given
  if (classname === '' || name === classname || name.startsWith(`${classname} `) || name.startsWith(`${classname}.`)) {
    return name || classname || 'test'
  }
  return name === '' ? classname : `${classname} > ${name}`
}

/** Some write the file where others write the class. */
const fileIn = (classname: string | undefined): string | undefined =>
  /^[^\s:]+\.(?:[cm]?[jt]sx?|py|bats)$/.test(classname ?? '') ? classname : undefined

const messagesOf = (test: Element): string =>
  test.children
    .filter(({ name }) => RED.has(name))
    .map(({ attributes, text }) => `${attributes.message ?? ''}\n${text ?? ''}`)
    .join('\n')

function testsIn(suite: Element, file: string | undefined, groups: readonly string[]): readonly TestCase[] {
  return suite.children.flatMap((one) => {
    const place = one.attributes.file ?? one.attributes.filepath ?? fileIn(one.attributes.classname) ?? file
    if (one.name === 'testsuite') return testsIn(one, place, [...groups, one.attributes.name ?? ''])
    if (one.name !== 'testcase') return []
    const state = stateOf(one)
    const flaky = one.children.some((part) => AGAIN.has(part.name))
    const test = testCase(nameOf(one, groups), state, { file: place, flaky, error: messagesOf(one) })
    const printed = one.children.find((part) => part.name === 'system-out')?.text ?? ''
    return [test, ...unityTests(test.name, printed), ...testsIn(one, place, groups)]
  })
}

/** Some heads count everything below them, some only their own tests: the larger of both totals counts. */
function claimedIn(suite: Element, ...attributes: readonly string[]): number {
  const below = suite.children.filter((one) => one.name === 'testsuite')
  const sum = below.reduce((all, one) => all + claimedIn(one, ...attributes), 0)
  return Math.max(numberOf(suite, ...attributes), sum)
}

/** Errors of a suite itself: its set-up, or the entire file. */
const suiteErrors = (root: Element): number =>
  [root, ...descendants(root, 'testsuite')].filter(
    (suite) => suite.name === 'testsuite' && suite.children.some((one) => RED.has(one.name)),
  ).length

/** JUnit XML in its many dialects: testcases below `testsuite`, below nested ones, or directly below `testsuites`. */
export function readJunit(root: Element): Part | undefined {
  if (root.name !== 'testsuites' && root.name !== 'testsuite') return undefined
  const tests = testsIn(root, root.attributes.file, [])
  const errors = suiteErrors(root)
  const absent = descendants(root, 'testcase').filter(isAbsent).length
  const claimed = {
    total: claimedIn(root, 'tests'),
    failed: claimedIn(root, 'failures', 'errors'),
    skipped: Math.max(0, claimedIn(root, 'skipped', 'disabled', 'ignored') - absent),
  }
  const framework = frameworkOf(root)
  return settle({
    framework,
    tests,
    claimed: framework === 'pytest' && tests.length > 0 ? withoutSubtests(claimed, tests, root) : claimed,
    suitesFailed: errors,
    broken: errors > 0 ? `${count(errors, 'suite')} failed as a whole.` : undefined,
  })
}

/** pytest counts subtests in the head, and lists them only as parts of their test. */
function withoutSubtests(claimed: Claimed, tests: readonly TestCase[], root: Element): Claimed {
  const parts = descendants(root, 'testcase').flatMap(({ children }) => children.filter(({ name }) => RED.has(name)))
  if (parts.length < claimed.failed) return claimed
  return {
    total: Math.min(claimed.total, tests.length),
    failed: Math.min(claimed.failed, inState(tests, 'failed')),
    skipped: Math.min(claimed.skipped, inState(tests, 'skipped')),
  }
}

/** Few writers identify themselves. */
const WRITERS = ['pytest', 'jest tests', 'vitest tests', 'mocha tests', 'bun test', 'deno test']

function frameworkOf(root: Element): string {
  const names = [root, ...root.children].map((one) => (one.attributes.name ?? '').toLowerCase())
  const writer = WRITERS.find((one) => names.some((name) => (one === 'pytest' ? name === one : name.startsWith(one))))
  return writer === 'deno test' ? writer : (writer?.split(' ')[0] ?? 'junit')
}
