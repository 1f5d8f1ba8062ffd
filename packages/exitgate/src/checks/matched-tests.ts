import type { TestCase, TestRun } from '../../../test-output/src/types.ts'

/** The same test in two runs. */
export interface Pair {
  readonly was: TestCase
  readonly is: TestCase
  /** Several tests share the name and their results differ, so it is unclear which is which. */
  readonly unclear: boolean
  readonly renamed: boolean
}

export interface Matched {
  readonly pairs: readonly Pair[]
  /** Reported then and not found now. */
  readonly gone: readonly TestCase[]
  /** Reported now and not found then. */
  readonly added: readonly TestCase[]
}

/** Whether a report names every test that it counts; some name only the failing ones. */
export const namesAll = ({ tests = [], passed, failed, skipped }: TestRun): boolean =>
  tests.length > 0 && tests.length >= passed + failed + skipped

/** Pairs the tests of two runs by name, and by file if both runs report files. */
export function matchTests(then: TestRun, now: TestRun): Matched {
  const [before, after] = [then.tests ?? [], now.tests ?? []]
  const byFile = [...before, ...after].every((test) => test.file !== undefined)
  const keyOf = (test: TestCase) => (byFile ? `${test.file}\0${test.name}` : test.name)
  const [old, fresh] = [groupBy(before, keyOf), groupBy(after, keyOf)]
  const pairs: Pair[] = []
  const gone: TestCase[] = []
  const added: TestCase[] = []
  for (const [key, tests] of old) {
    const rest = [...(fresh.get(key) ?? [])]
    const states = new Set([...tests, ...rest].map(({ state }) => state))
    const several = Math.max(tests.length, rest.length) > 1
    const unclear = several && (states.size > 1 || rest.length !== tests.length)
    // Tests with the same result as before are paired first; the rest in their order.
    const byState = groupBy([...rest].reverse(), ({ state }) => state)
    const taken = new Set<TestCase>()
    const left = tests.filter((test) => {
      const same = byState.get(test.state)?.pop()
      if (same === undefined) return true
      taken.add(same)
      pairs.push({ was: test, is: same, unclear, renamed: false })
      return false
    })
    const others = rest.filter((test) => !taken.has(test))
    for (const [at, test] of left.entries()) {
      const next = others[at]
      if (next === undefined) gone.push(test)
      else pairs.push({ was: test, is: next, unclear, renamed: false })
    }
    for (const test of others.slice(left.length)) added.push(test)
  }
  for (const [key, tests] of fresh) if (!old.has(key)) for (const test of tests) added.push(test)
  return { pairs, gone, added }
}

function groupBy(tests: readonly TestCase[], keyOf: (test: TestCase) => string): Map<string, TestCase[]> {
  const groups = new Map<string, TestCase[]>()
  for (const test of tests) {
    const group = groups.get(keyOf(test))
    if (group === undefined) groups.set(keyOf(test), [test])
    else group.push(test)
  }
  return groups
}
