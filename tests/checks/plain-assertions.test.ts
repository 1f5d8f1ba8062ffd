import { describe, expect, it } from 'vitest'
import { plainLoss } from '../../packages/exitgate/src/code/plain-assertions.ts'

type Row = readonly [about: string, path: string, name: string, before: string, after: string]
const FEWER = 'It has fewer assertions than before.'
const WEAKER = 'An assertion is weaker than before.'

const lua = (title: string, body: string) => `describe('m', function()
  it('adds', function() assert.equals(2, M.f(1)) end)
  it('${title}', function()
    ${body}
  end)
end)
`
const perl = (statement: string) => `use Test::More;\nuse M;\nok M::g(), 'another';\n${statement}\ndone_testing;\n`
const bats = (body: string) =>
  `@test "says hello" {\n  run hello\n  ${body}\n}\n\n@test "other" {\n  assert_output "x"\n}\n`
const unity = (body: string) =>
  `static void adds_numbers(void)\n{\n    ${body}\n}\n\nvoid other(void)\n{\n    TEST_ASSERT_EQUAL(1, f());\n}\n`

const weaker: readonly (readonly [...Row, why: string])[] = [
  [
    'busted: a kind of value',
    's_spec.lua',
    'm doubles',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'assert.is_number(M.g(2))'),
    WEAKER,
  ],
  [
    'busted: a constant',
    's_spec.lua',
    'm doubles',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'assert.is_true(true)'),
    WEAKER,
  ],
  [
    'busted: nothing',
    's_spec.lua',
    'm doubles',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'M.g(2)'),
    FEWER,
  ],
  [
    'Perl: is to ok',
    't/a.t',
    'it is right',
    perl("is M::f(), 1, 'it is right';"),
    perl("ok M::f(), 'it is right';"),
    WEAKER,
  ],
  [
    'Perl: is to ok 1',
    't/a.t',
    'it is right',
    perl("is M::f(), 1, 'it is right';"),
    perl("ok 1, 'it is right';"),
    WEAKER,
  ],
  [
    'Perl: ok to ok 1',
    't/a.t',
    'it is right',
    perl("ok M::f() == 1, 'it is right';"),
    perl("ok 1, 'it is right';"),
    WEAKER,
  ],
  [
    'Perl: pass',
    't/a.t',
    'it is right',
    perl("is(\n  M::f(),\n  1,\n  'it is right',\n);"),
    perl("pass('it is right');"),
    WEAKER,
  ],
  [
    'Perl: in a subtest',
    't/a.t',
    'deep > one',
    perl("subtest deep => sub {\n  is M::f(), 1, 'one';\n};"),
    perl("subtest deep => sub {\n  ok 1, 'one';\n};"),
    WEAKER,
  ],
  ['bats: the output', 'a.bats', 'says hello', bats('assert_output "hello"'), bats('assert_success'), WEAKER],
  ['bats: brackets', 'a.bats', 'says hello', bats('[ "$output" = "hello" ]'), bats('[ -n "$output" ]'), WEAKER],
  [
    'Unity: a value',
    'tests/a.c',
    'a > adds_numbers',
    unity('TEST_ASSERT_EQUAL_INT(3, add(1, 2));'),
    unity('TEST_ASSERT_TRUE(add(1, 2));'),
    WEAKER,
  ],
]

const asStrong: readonly Row[] = [
  [
    'busted: another value',
    's_spec.lua',
    'm doubles',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'assert.equals(5, M.g(2))'),
  ],
  [
    'busted: another name of the same',
    's_spec.lua',
    'm doubles',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'assert.are.same(4, M.g(2))'),
  ],
  [
    'busted: one more',
    's_spec.lua',
    'm doubles',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'assert.equals(4, M.g(2))\n    assert.is_number(M.g(1))'),
  ],
  ['busted: gone', 's_spec.lua', 'm doubles', lua('doubles', 'assert.equals(4, M.g(2))'), lua('triples', 'M.g(2)')],
  [
    'busted: another test is weaker',
    's_spec.lua',
    'm adds',
    lua('doubles', 'assert.equals(4, M.g(2))'),
    lua('doubles', 'M.g(2)'),
  ],
  [
    'Perl: another value',
    't/a.t',
    'it is right',
    perl("is M::f(), 1, 'it is right';"),
    perl("is M::f(), 2, 'it is right';"),
  ],
  [
    'Perl: ok to is',
    't/a.t',
    'it is right',
    perl("ok M::f() == 1, 'it is right';"),
    perl("is M::f(), 1, 'it is right';"),
  ],
  ['bats: another value', 'a.bats', 'says hello', bats('assert_output "hello"'), bats('assert_output "bye"')],
  [
    'Unity: another value',
    'tests/a.c',
    'a > adds_numbers',
    unity('TEST_ASSERT_EQUAL_INT(3, add(1, 2));'),
    unity('TEST_ASSERT_EQUAL_INT(4, add(1, 2));'),
  ],
]

describe('a test that no grammar reads', () => {
  it.each(weaker)('is weaker: %s', (_about, path, name, before, after, why) => {
    expect(plainLoss(path, name, before, after)).toMatchObject({ why })
  })
  it.each(asStrong)('is as strong, or not found: %s', (_about, path, name, before, after) => {
    expect(plainLoss(path, name, before, after)).toBeUndefined()
  })
})
