import type { TestCase, TestState } from '../../packages/test-output/src/types.ts'

/** Numbers by the word or words after them: `2 failed | 3 passed`, `1 timed out, 4 skipped`. */
export function tally(text: string): Record<string, number> {
  const counts: Record<string, number> = Object.create(null)
  for (const [, number, words] of text.matchAll(/(\d+) +([A-Za-z]+(?: [A-Za-z]+)*)/g)) {
    counts[words!.toLowerCase()] = (counts[words!.toLowerCase()] ?? 0) + Number(number)
  }
  return counts
}

/** Numbers by the word before them: `Tests: 5, Failures: 1`. */
export function labelled(text: string): Record<string, number> {
  const counts: Record<string, number> = Object.create(null)
  for (const [, words, number] of text.matchAll(/([A-Za-z]+(?: [A-Za-z]+)*) ?[:=] *(\d+)/g)) {
    counts[words!.toLowerCase()] = Number(number)
  }
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

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  list(): readonly TestCase[] {
    return [...this.#byName.values()]
  }

  count(state: TestState): number {
    let count = 0
    for (const test of this.#byName.values()) if (test.state === state) count += 1
    return count
  }
}

/** The nearest matching line above `at`, down to `floor`: where something begins. */
export function above(lines: readonly string[], at: number, floor: number, pattern: RegExp, reach = 200_000): number {
  const lowest = Math.max(floor, at - reach, 0)
  for (let line = at - 1; line >= lowest; line -= 1) if (pattern.test(lines[line]!)) return line
  return -1
}

/** The first matching line from `start` on, before `end`. */
export function below(lines: readonly string[], start: number, end: number, pattern: RegExp): number {
  const last = Math.min(end, lines.length)
  for (let line = start; line < last; line += 1) if (pattern.test(lines[line]!)) return line
  return -1
}
