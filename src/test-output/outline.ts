import type { TestCase, TestState } from '../../packages/test-output/src/types.ts'

/**
 * Tests printed as an indented outline: groups, and below them lines with a symbol. `mark` returns indent, symbol and title.
 * Runners indent groups, so an unindented line was printed by a test.
 */
export function outline(
  lines: readonly string[],
  from: number,
  to: number,
  mark: RegExp,
  states: Readonly<Record<string, TestState>>,
): readonly TestCase[] {
  const tests: TestCase[] = []
  const groups: { indent: number; title: string }[] = []
  for (let at = from; at < to; at += 1) {
    const line = lines[at]!
    const test = mark.exec(line)
    const indent = test === null ? line.search(/\S/) : test[1]!.length
    if (indent < 1) continue
    while (groups.length > 0 && groups[groups.length - 1]!.indent >= indent) groups.pop()
    if (test === null) {
      groups.push({ indent, title: line.trim() })
      continue
    }
    const name = [...groups.map((group) => group.title), test[3]!].join(' > ')
    tests.push({ name, state: states[test[2]!] ?? 'failed' })
  }
  return tests
}
