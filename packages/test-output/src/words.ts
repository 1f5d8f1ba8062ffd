import type { TestCase, TestState } from './types.ts'

/** `all` tests ran, and those that did nothing else passed; `total` is stated next to the passed ones. */
export type Meaning = TestState | 'total' | 'all' | 'aside' | 'outside'

/** What a word next to a number, or a word or sign next to a test, means in most runners. A plural means the same. */
const MEANINGS: Readonly<Record<Meaning, string>> = {
  passed:
    'passed, pass, passing, ok, success, successes, successful, succeeded, xpass, xpassed, leak, bench:, ✓, ✔, √, .',
  failed:
    'failed, fail, failing, failure, error, exception, cancelled, interrupted, invalid, timeout, timed out, exec failed, hook failed, hooks failed, unexpected successes, ✗, ✘, ✖, ×, ✕, ⨯, x, f, e',
  skipped:
    'skipped, skip, ignored, pending, todo, canceled, disabled, incomplete, omission, xfail, ○, ↓, », ✎, □, ﹣, -, s',
  total: 'total',
  all: 'all',
  aside: 'aside, expected failure, known failure',
  outside:
    'outside, uncaught exception, unhandled rejection, remained pending, error occurred outside of examples, errors occurred outside of examples',
}
const MEANING_OF = new Map(
  Object.entries(MEANINGS).flatMap(([meaning, words]) => words.split(', ').map((word) => [word, meaning as Meaning])),
)

export type Words = Readonly<Record<string, Meaning | undefined>>

export function meaningOf(word: string, own: Words = {}): Meaning | undefined {
  const one = word.replace(/^tests? (?=passed|failed)/, '').replace(/(?<=\w\w)s$/, '')
  const known = [word, one].find((each) => each in own)
  return known === undefined ? (MEANING_OF.get(word) ?? MEANING_OF.get(one)) : own[known]
}

export function stateOf(sign: string, own?: Words): TestState | undefined {
  const meaning = meaningOf(sign.toLowerCase(), own)
  return meaning === 'passed' || meaning === 'failed' || meaning === 'skipped' ? meaning : undefined
}

/** Numbers by their words: `2 failed | 3 passed`, `Tests: 5, Failures: 1`, `failures=1`. Brackets repeat a part of them. */
export function numbersIn(text: string): Record<string, number> {
  const counts: Record<string, number> = Object.create(null)
  const bare = text.replace(/\([^)]*\)/g, '')
  for (const [, number, words] of bare.matchAll(/(\d+) +([A-Za-z]+(?: [A-Za-z]+)*)/g))
    counts[words!.toLowerCase()] = (counts[words!.toLowerCase()] ?? 0) + Number(number)
  for (const [, words, number] of bare.matchAll(/([A-Za-z]+(?: [A-Za-z]+)*) ?[:=] *(\d+)/g))
    counts[words!.toLowerCase()] = Number(number)
  return counts
}

/** Tests by name. The last result for a name counts, as for tests that are retried. */
export class Tests {
  readonly #byName = new Map<string, TestCase>()

  set(name: string, state: TestState, file?: string): void {
    const before = this.#byName.get(name)
    const flaky = before?.state === 'failed' && state === 'passed'
    const known = file ?? before?.file
    this.#byName.set(name, {
      name,
      state,
      ...(known !== undefined && { file: known }),
      ...(flaky && { flaky: true as const }),
    })
  }

  list(): readonly TestCase[] {
    return [...this.#byName.values()]
  }
}

export const inState = (tests: readonly TestCase[], state: TestState): number =>
  tests.reduce((count, test) => (test.state === state ? count + 1 : count), 0)

export const byState = (tests: readonly TestCase[]): Readonly<Record<TestState, number>> => ({
  passed: inState(tests, 'passed'),
  failed: inState(tests, 'failed'),
  skipped: inState(tests, 'skipped'),
})

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
