import { listOf } from '../../core/src/count.ts'
import type { TestCase, TestState } from './types.ts'

/** A point of a TAP document, with the points of its subtest. */
export interface TapPoint {
  readonly name: string
  readonly state: TestState
  /** Undefined if no subtest belongs to this point: then it is a single assertion, or a test without any. */
  readonly inner?: readonly TapPoint[]
}

/** A comment before a point: what it says, and how many points precede it. */
export interface TapComment {
  readonly text: string
  readonly at: number
}

const SKIPPED = /^SKIP /

/** tape and others print the name of a test as a comment, and then a point for each assertion. */
export function testsAnnounced(points: readonly TapPoint[], comments: readonly TapComment[]): readonly TapPoint[] {
  if (comments[0]?.at !== 0) return points
  return comments.flatMap(({ text, at }, i): readonly TapPoint[] => {
    const own = points.slice(at, comments[i + 1]?.at)
    if (own.length === 0) return SKIPPED.test(text) ? [{ name: text.replace(SKIPPED, ''), state: 'skipped' }] : []
    const has = (state: TestState) => own.some((point) => point.state === state)
    return [{ name: text, state: has('failed') ? 'failed' : has('passed') ? 'passed' : 'skipped' }]
  })
}

export interface TapTests {
  readonly tests: readonly TestCase[]
  /** Subtests that failed although everything inside them passed: a timeout, or a plan that was not met. */
  readonly suites: readonly string[]
}

/**
 * The tests of a TAP document. A subtest that contains no further one is a test, and its points are its assertions. One that
 * contains others is a group: it is also a test if it has assertions of its own.
 */
export function testsInTap(points: readonly TapPoint[]): TapTests {
  const tests: TestCase[] = []
  const suites: string[] = []
  const add = (point: TapPoint, groups: string): void => {
    const name = groups === '' ? point.name : `${groups} > ${point.name}`
    const inner = point.inner ?? []
    // A skipped point is a test that was switched off, whatever surrounds it.
    const nested = point.state === 'skipped' ? [] : inner.filter(isTest)
    if (nested.length === 0) {
      tests.push({ name, state: point.state })
      return
    }
    for (const one of nested) add(one, name)
    const own = inner.filter((one) => !isTest(one))
    const ownFailed = own.some(({ state }) => state === 'failed')
    if (own.length > 0) tests.push({ name, state: ownFailed ? 'failed' : 'passed' })
    const explained = ownFailed || nested.some(({ state }) => state === 'failed')
    if (point.state === 'failed' && !explained) suites.push(name)
  }
  for (const point of points) add(point, '')
  return { tests, suites }
}

export const unexplained = (suites: readonly string[]): string =>
  `${listOf(
    suites.map((name) => `"${name}"`),
    3,
  )} failed, but no test in it did (tap).`

const isTest = (point: TapPoint): boolean => point.inner !== undefined || point.state === 'skipped'
