import { expect, it } from 'vitest'
import { findTampering, type SourceView } from '../../src/evidence/tampering/index.ts'

const one = (path: string, text: string): SourceView => ({ paths: [path], read: () => text })
const blocking = async (path: string, before: string, after: string) =>
  (await findTampering(one(path, before), one(path, after)))
    .filter(({ severity }) => severity === 'block')
    .map(({ kind }) => kind)

const JS = "it('a', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"
const JAVA = 'class ATest {\n  @Test void a() {\n    assertEquals(3, add(1, 2));\n  }\n}\n'

it.each<readonly [name: string, path: string, before: string, after: string, kinds: readonly string[]]>([
  ['an if without braces', 'a.test.ts', JS, JS.replace('expect(', 'if (false) expect('), ['assertion-vacuous']],
  ['the same in Java', 'ATest.java', JAVA, JAVA.replace('assertEq', 'if (false) assertEq'), ['assertion-vacuous']],
  ['a return of another branch', 'a.test.ts', JS, JS.replace('  expect(', '  if (slow)\n    return\n  expect('), []],
  ['type assertions in angle brackets', 'a.test.ts', JS, JS.replace('add(1, 2)', '<number>add(1, 2)'), []],
  ['brackets too deep to read', 'a.test.ts', JS, `${JS}// ${'('.repeat(2000)}`, ['test-removed', 'test-removed']],
])('%s', async (_name, path, before, after, kinds) => {
  expect(await blocking(path, before, after)).toEqual(kinds)
})
