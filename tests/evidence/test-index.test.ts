import { describe, expect, it } from 'vitest'
import type { TestCase } from '../../packages/test-output/src/types.ts'
import { testIndex } from '../../src/evidence/test-results/test-index.ts'

type Files = Readonly<Record<string, string>>
const indexOf = (files: Files, root = '/home/me/project') =>
  testIndex({ paths: Object.keys(files).sort(), read: (path) => files[path] }, root)
const reported = (name: string, file?: string): TestCase => ({
  name,
  state: 'failed',
  ...(file !== undefined && { file }),
})

const project: Files = {
  'tests/a.test.ts':
    "describe('math', () => { it('adds', () => { expect(add(1, 2)).toBe(3) }); it('defu.fn()', () => { expect(defu.fn()).toBe(1) }) })",
  'tests/b.test.ts': "it.each([[1, 2], [3, 4]])('doubles %i to %i', (a, b) => { expect(2 * a).toBe(b) })",
  'tests/test_c.py':
    'import pytest\n\nclass TestC:\n    def test_one(self):\n        assert one() == 1\n\n@pytest.mark.parametrize("n", [1, 2])\ndef test_many(n):\n    assert n\n',
  'pkg/d_test.go':
    'package pkg\n\nfunc TestD(t *testing.T) {\n\tt.Run("sub case", func(t *testing.T) { if f() != 1 { t.Fatal("x") } })\n}\n',
  'src/e.rs': '#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_works() { assert_eq!(1, 1); }\n}\n',
  'src/lib.rs': 'mod e;\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_is_the_root() { assert_eq!(1, 1); }\n}\n',
  'src/test/java/p/FTest.java': 'class FTest { @Test void subtracts() { assertEquals(1, f()); } }',
  'spec/g_spec.rb': "describe 'G' do\n  it 'divides' do\n    expect(g).to eq(1)\n  end\nend\n",
  'tests/HTest.php':
    '<?php class HTest extends TestCase { public function testPowers() { $this->assertSame(1, h()); } }',
  'src/add.ts': "export const adds = 'adds'",
}

describe('the file of a reported test', () => {
  const rows: [name: string, test: TestCase, file: string | undefined][] = [
    ['as the report gives it', reported('x', 'tests/a.test.ts'), 'tests/a.test.ts'],
    ['with a dot before it', reported('x', './tests/a.test.ts'), 'tests/a.test.ts'],
    ['absolute', reported('x', '/home/me/project/tests/a.test.ts'), 'tests/a.test.ts'],
    ['as an address', reported('x', 'file:///home/me/project/tests/a.test.ts'), 'tests/a.test.ts'],
    ['absolute, from elsewhere', reported('x', '/other/tests/a.test.ts'), undefined],
    ['only its end', reported('x', 'a.test.ts'), 'tests/a.test.ts'],
    ['before the name', reported('tests/a.test.ts > math > adds'), 'tests/a.test.ts'],
    ['before the name, of pytest', reported('tests/test_c.py::TestC::test_one'), 'tests/test_c.py'],
    ['by group and title', reported('math > adds'), 'tests/a.test.ts'],
    ['by title alone', reported('adds'), 'tests/a.test.ts'],
    ["in a module, with cargo's root of the crate", reported('e > tests > it_works', 'src/lib.rs'), 'src/e.rs'],
    ['in the root of the crate', reported('tests > it_is_the_root', 'src/lib.rs'), 'src/lib.rs'],
    ['by a title with places for values', reported('doubles 3 to 4'), 'tests/b.test.ts'],
    ['by a title that looks like a call', reported('math > defu.fn()'), 'tests/a.test.ts'],
    ['by a function of python', reported('TestC > test_one'), 'tests/test_c.py'],
    ['by a function with parameters', reported('test_many[2]'), 'tests/test_c.py'],
    ['by a function of go', reported('TestD/sub_case'), 'pkg/d_test.go'],
    ['by a function of rust', reported('e::tests::it_works'), 'src/e.rs'],
    ['by a method of java', reported('p.FTest > subtracts()'), 'src/test/java/p/FTest.java'],
    ['by an example of ruby', reported('G > divides'), 'spec/g_spec.rb'],
    ['by a method of php', reported('HTest > testPowers'), 'tests/HTest.php'],
    ['nowhere', reported('multiplies'), undefined],
    ['not in a file without tests', reported('export const adds'), undefined],
  ]
  it.each(rows)('%s', async (_name, test, file) => {
    expect((await indexOf(project)).fileOf(test)).toBe(file)
  })

  it('is unknown if it could be one of two', async () => {
    const twice = { ...project, 'tests/z.test.ts': project['tests/a.test.ts']! }
    expect((await indexOf(twice)).fileOf(reported('math > adds'))).toBeUndefined()
    expect((await indexOf(twice)).fileOf(reported('math > adds', 'tests/z.test.ts'))).toBe('tests/z.test.ts')
  })

  const places: [name: string, file: string | undefined][] = [
    ['example.com/m/one > TestA', 'one/a_test.go'],
    ['example.com/m/two > TestA', 'two/a_test.go'],
    ['p.one.FTest > adds()', 'src/test/java/p/one/FTest.java'],
    ['tests.x.test_c > test_one', 'tests/x/test_c.py'],
    ['tests.y.test_c.TestC > test_one', 'tests/y/test_c.py'],
    ['TestA', undefined],
    ['adds()', undefined],
  ]
  it.each(places)('is found by what precedes the title: %s', async (name, file) => {
    const go = 'package p\nfunc TestA(t *testing.T) {}\n'
    const java = 'class FTest { @Test void adds() {} }'
    const python = 'def test_one():\n    pass\n'
    const files = {
      'one/a_test.go': go,
      'two/a_test.go': go,
      'src/test/java/p/one/FTest.java': java,
      'src/test/java/p/two/FTest.java': java,
      'tests/x/test_c.py': python,
      'tests/y/test_c.py': python,
    }
    expect((await indexOf(files)).fileOf(reported(name))).toBe(file)
  })

  it('is found in linear time for any titles', async () => {
    const title = '%s'.repeat(2000)
    const files = { 'a.test.js': `it('${title}!', () => {})` }
    expect((await indexOf(files)).fileOf(reported('a'.repeat(50_000)))).toBeUndefined()
  })
})

describe('the body of a reported test', () => {
  const rows: [test: TestCase, has: readonly string[]][] = [
    [reported('math > adds'), ['add ( 1 , 2 )', 'toBe']],
    [reported('doubles 3 to 4'), ['2 * a', '3 , 4']],
    [reported('TestC > test_one'), ['one ( )']],
    [reported('TestD/sub_case'), ['f ( ) != 1']],
    [reported('e::tests::it_works'), ['assert_eq']],
    [reported('p.FTest > subtracts()'), ['assertEquals']],
    [reported('G > divides'), ['expect']],
    [reported('HTest > testPowers'), ['assertSame']],
  ]
  it.each(rows)('$name', async (test, has) => {
    const body = (await indexOf(project)).bodyOf(test)
    for (const part of has) expect(body).toContain(part)
  })

  it('is that of the right group, also if the report joins groups with spaces', async () => {
    const group = (name: string, n: number) => `describe('${name}', () => { it('adds', () => { expect(${n}) }) })`
    const nested = `describe('math', () => { ${group('of days', 1)}; ${group('of years', 2)}; ${group('of hours', 3)} })`
    const index = await indexOf({ 'tests/n.test.js': nested })
    const bodies = ['years > adds', 'days > adds', 'hours > adds'].map((name) =>
      index.bodyOf(reported(`math of ${name}`)),
    )
    expect(bodies.map((body) => /\d/.exec(body ?? '')?.[0])).toEqual(['2', '1', '3'])
  })

  it('of a table has its rows, so that another row is another body', async () => {
    const other = { 'tests/b.test.ts': project['tests/b.test.ts']!.replace('[3, 4]', '[5, 6]') }
    expect((await indexOf(other)).bodyOf(reported('doubles 5 to 6'))).not.toBe(
      (await indexOf(project)).bodyOf(reported('doubles 3 to 4')),
    )
  })

  it('is unknown for a test that is not found', async () => {
    expect((await indexOf(project)).bodyOf(reported('multiplies', 'tests/a.test.ts'))).toBeUndefined()
    expect((await indexOf(project)).bodyOf(reported('multiplies'))).toBeUndefined()
  })
})
