import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { AcceptedFinding, Evidence } from '../../src/core/types.ts'
import { type MutationOptions, mutationCheck } from '../../src/evidence/checks/mutation.ts'
import { baselineOf } from '../evidence/baseline-of.ts'
import { project } from '../evidence/git-project.ts'
import { contextOf, ONE_NODE, PYTHON, runPlain, testCommand } from '../evidence/red-proof/proving.ts'
import { patience } from '../timing.ts'

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const LONG = { timeout: patience(120_000) }

async function look(
  start: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  command: string,
  more: Partial<MutationOptions> = {},
  prepare: (dir: string) => void = () => {},
): Promise<Evidence | undefined> {
  const place = project(start)
  prepare(place.dir)
  place.write(after)
  const check = mutationCheck({
    commands: [testCommand(command)],
    run: runPlain,
    tests: async () => ({ evidence: [] }),
    isRequired: true,
    allow: [],
    accepted: [],
    ...more,
  })
  const [evidence] = await check.collect(contextOf(place.workspace, { baseline: baselineOf(start) }))
  for (const [path, text] of Object.entries({ ...start, ...after })) expect(place.text(path)).toBe(text)
  return evidence
}

interface Language {
  readonly name: string
  readonly isInstalled: () => boolean
  readonly command: string
  readonly source: string
  readonly text: string
  readonly test: string
  /** Tests that check the function, and tests that only call it. */
  readonly good: string
  readonly vacuous: string
  readonly more?: Readonly<Record<string, string>>
}

const JS_HEAD = "import test from 'node:test'\nimport assert from 'node:assert'\nimport { price } from './price.js'\n"
const languages: readonly Language[] = [
  {
    name: 'JavaScript',
    isInstalled: () => true,
    command: ONE_NODE,
    source: 'price.js',
    text: 'export function price(n) {\n  if (n > 10) return n * 2\n  return n + 1\n}\n',
    test: 'price.test.js',
    good: `${JS_HEAD}test('a', () => assert.equal(price(11), 22))\ntest('b', () => assert.equal(price(1), 2))\n`,
    vacuous: `${JS_HEAD}test('a', () => { price(20); price(1); assert.ok(true) })\n`,
    more: { 'package.json': '{"type":"module"}' },
  },
  {
    name: 'Python',
    isInstalled: () => has('python3', '--version'),
    command: PYTHON,
    source: 'price.py',
    text: 'def price(n):\n    return n * 2\n',
    test: 'test_price.py',
    good: 'import unittest\nfrom price import price\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(price(11), 22)\n',
    vacuous:
      'import unittest\nfrom price import price\nclass T(unittest.TestCase):\n    def test_a(self):\n        price(20)\n        price(1)\n        self.assertTrue(True)\n',
  },
  {
    name: 'Go',
    isInstalled: () => has('go', 'version'),
    command: 'go test -v ./...',
    source: 'price.go',
    text: 'package price\n\nfunc Price(n int) int {\n\treturn n * 2\n}\n',
    test: 'price_test.go',
    good: 'package price\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif Price(11) != 22 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    vacuous: 'package price\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tPrice(20)\n\tPrice(1)\n}\n',
    more: { 'go.mod': 'module example.com/price\n\ngo 1.18\n' },
  },
  {
    name: 'Rust',
    isInstalled: () => has('cargo', '--version'),
    command: 'cargo test --offline --lib',
    source: 'src/lib.rs',
    text: 'mod tests;\npub fn price(n: i32) -> i32 {\n    n * 2\n}\n',
    test: 'src/tests.rs',
    good: '#[test]\nfn a() {\n    assert_eq!(super::price(11), 22);\n}\n',
    vacuous: '#[test]\nfn a() {\n    super::price(20);\n    super::price(1);\n}\n',
    more: {
      'Cargo.toml': '[package]\nname = "price"\nversion = "0.1.0"\nedition = "2021"\n',
      '.gitignore': 'target\n',
    },
  },
  {
    name: 'Ruby',
    isInstalled: () => has('ruby', '-rminitest', '-e', ''),
    command: 'ruby -I. test_price.rb --verbose',
    source: 'price.rb',
    text: 'def price(n)\n  n * 2\nend\n',
    test: 'test_price.rb',
    good: "require 'minitest/autorun'\nrequire 'price'\nclass TestPrice < Minitest::Test\n  def test_a\n    assert_equal 22, price(11)\n  end\nend\n",
    vacuous:
      "require 'minitest/autorun'\nrequire 'price'\nclass TestPrice < Minitest::Test\n  def test_a\n    price(20)\n    price(1)\n    assert true\n  end\nend\n",
  },
  {
    name: 'PHP',
    isInstalled: () => has('phpunit', '--version'),
    command: 'phpunit --testdox PriceTest.php',
    source: 'price.php',
    text: '<?php\nfunction price(int $n): int {\n  return $n * 2;\n}\n',
    test: 'PriceTest.php',
    good: "<?php\nrequire_once __DIR__ . '/price.php';\nclass PriceTest extends PHPUnit\\Framework\\TestCase {\n  public function testA() { $this->assertSame(22, price(11)); }\n}\n",
    vacuous:
      "<?php\nrequire_once __DIR__ . '/price.php';\nclass PriceTest extends PHPUnit\\Framework\\TestCase {\n  public function testA() { price(20); price(1); $this->assertTrue(true); }\n}\n",
  },
]

it.for(languages)('$name: tests that check the function, and tests that only call it', LONG, async (row, { skip }) => {
  const { isInstalled, name, command, source, text, test, good, vacuous, more = {} } = row
  skip(!isInstalled(), `${name} is not installed`)
  const start = { ...more, [test]: vacuous }
  const [tested, untested] = [
    await look(start, { [source]: text, [test]: good }, command),
    await look(start, { [source]: text }, command),
  ]
  expect(tested).toMatchObject({ answer: 'yes', counts: { functions: 1, survived: 0, untested: 0 } })
  expect(tested?.counts?.killed).toBeGreaterThan(2)
  expect(untested).toMatchObject({ answer: 'no', counts: { functions: 1, killed: 0, untested: 1 } })
  expect(untested?.findings).toMatchObject([{ kind: 'not-tested', file: source, line: expect.any(Number) }])
})

const [javascript] = languages
const { text: PRICE, good: GOOD, vacuous: VACUOUS, more: PACKAGE = {} } = javascript!
/** With few mutants, so that the rows are quick. */
const DOUBLE = 'export const price = (n) => n * 2\n'
const DOUBLE_TEST = `${JS_HEAD}test('a', () => assert.equal(price(4), 8))\n`

interface Row {
  readonly name: string
  readonly start?: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly command?: string
  readonly options?: Partial<MutationOptions>
  readonly answer: string | undefined
  readonly says?: RegExp
}

const rows: readonly Row[] = [
  {
    name: 'nothing but documents changed',
    after: { 'README.md': '# price\n' },
    answer: 'yes',
    says: /^No function changed/,
  },
  {
    name: 'the same when it is not required: no answer at all',
    after: { 'README.md': '# price\n' },
    options: { isRequired: false },
    answer: undefined,
  },
  {
    name: 'not required: a function that is not tested is a warning',
    after: { 'price.js': DOUBLE, 'price.test.js': VACUOUS },
    options: { isRequired: false },
    answer: 'yes',
    says: /Only a warning\. price\.js:1: price is not tested\. Add a test that fails with line 1: export const price = \(n\) => n \* 2 -> export const price = \(n\) => undefined/,
  },
  {
    name: 'a function that you allow to be untested',
    after: { 'price.js': DOUBLE, 'price.test.js': VACUOUS },
    options: { allow: [{ kind: 'not-tested', file: 'price.js', reason: 'tried by hand' }] },
    answer: 'yes',
  },
  {
    name: 'tests that fail with any text but this one',
    after: {
      'price.js': DOUBLE,
      'price.test.js': `${JS_HEAD}import { readFileSync } from 'node:fs'\ntest('a', () => assert.equal(readFileSync(new URL('./price.js', import.meta.url), 'utf8').length, ${DOUBLE.length}))\n`,
    },
    answer: 'unknown',
    says: /fail if only a comment is added/,
  },
  {
    name: 'tests that pass only once in a folder',
    after: {
      'price.js': DOUBLE,
      'price.test.js': `${DOUBLE_TEST}import { existsSync, writeFileSync } from 'node:fs'\ntest('b', () => { assert.ok(!existsSync('ran')); writeFileSync('ran', '') })\n`,
    },
    answer: 'unknown',
    says: /depend on earlier runs/,
  },
  {
    name: 'tests that do not pass in the copy',
    after: { 'price.js': 'export const price = (n) => n * 3\n', 'price.test.js': DOUBLE_TEST },
    answer: 'unknown',
    says: /do not pass in a copy/,
  },
  {
    name: 'tests of build output that is not built again',
    start: { 'dist/price.js': DOUBLE },
    after: { 'price.js': DOUBLE, 'price.test.js': DOUBLE_TEST.replace('./price.js', './dist/price.js') },
    answer: 'unknown',
    says: /unclear, the tests do not read this file, maybe because they use build output/,
  },
  {
    name: 'a file that no test loads',
    after: { 'price.js': DOUBLE, 'other.js': DOUBLE, 'price.test.js': DOUBLE_TEST },
    answer: 'no',
    says: /other\.js:1: price is not tested/,
  },
  {
    name: 'a mutant that never ends counts as noticed, apart from the others',
    // A loop that has run away sleeps, so that it doesn't keep a core busy until the deadline.
    start: {
      'step.js':
        'export const step = (i) => (Math.abs(i) > 9 && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000), i)\n',
    },
    after: {
      'price.js':
        "import { step } from './step.js'\nexport function price(n) {\n  let i = 0\n  while (i !== n) i = step(i) + 1\n  return 2 * i\n}\n",
      'price.test.js': `${JS_HEAD}test('a', () => { price(4); assert.ok(true) })\n`,
    },
    answer: 'yes',
    says: /timed out/,
  },
  {
    name: 'only a constant changed, and no test notices another one',
    start: { 'price.js': 'export function price(n) {\n  wait(500)\n  return n * 2\n}\nfunction wait() {}\n' },
    after: {
      'price.js': 'export function price(n) {\n  wait(900)\n  return n * 2\n}\nfunction wait() {}\n',
      'price.test.js': DOUBLE_TEST,
    },
    answer: 'yes',
    says: /^1 mutant of 1 changed function: 0 killed, 1 survived\. price\.js:1: price: 0 killed, 1 survived\.$/,
  },
  {
    name: 'a language that is not read',
    after: { 'Price.kt': 'fun price(n: Int) = n * 2\n' },
    answer: 'unknown',
    says: /Not read: Price\.kt/,
  },
]

it.for(rows)('$name', LONG, async ({ start = {}, after, command = ONE_NODE, options, answer, says }) => {
  const found = await look({ ...PACKAGE, ...start }, after, command, options)
  expect(found?.answer).toBe(answer)
  if (says !== undefined) expect(found?.detail).toMatch(says)
})

it('an id that you can accept, for exactly this function', LONG, async () => {
  const start = { ...PACKAGE, 'price.test.js': VACUOUS }
  const found = await look(start, { 'price.js': DOUBLE }, ONE_NODE)
  const [finding] = found!.findings!
  expect(found!.detail).toContain(`(${finding!.id})`)
  const accepted: AcceptedFinding[] = [{ ...finding!, by: 'you', reason: 'tried by hand' }]
  const again = await look(start, { 'price.js': `// The price.\n${DOUBLE}` }, ONE_NODE, { accepted })
  expect(again).toMatchObject({ answer: 'yes', counts: { untested: 0 }, accepted: [{ id: finding!.id }] })
  const changed = await look(start, { 'price.js': DOUBLE.replace('2', '3') }, ONE_NODE, { accepted })
  expect(changed).toMatchObject({ answer: 'no', counts: { untested: 1 } })
})

it('stops when the time is used up, and says so', LONG, async () => {
  const after = { 'price.js': PRICE, 'price.test.js': GOOD }
  const found = await look(PACKAGE, after, ONE_NODE, { limitMs: 1 })
  expect(found).toMatchObject({ answer: 'unknown' })
})

const STRYKER = fileURLToPath(new URL('../../.tools/stryker/node_modules', import.meta.url))

it('with Stryker and its settings in the project, its mutants count', LONG, async ({ skip }) => {
  skip(
    process.env.EXITGATE_BARE !== undefined || !existsSync(join(STRYKER, '@stryker-mutator/core')),
    'Stryker is not installed (npm install --prefix .tools/stryker)',
  )
  const start = {
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
    'stryker.config.json': JSON.stringify({ testRunner: 'command' }),
    '.gitignore': 'node_modules\nreports\n',
    'price.test.js': GOOD,
  }
  const after = { 'price.js': `${PRICE}export const half = (n) => n / 2\n` }
  const found = await look(start, after, ONE_NODE, {}, (dir) => symlinkSync(STRYKER, join(dir, 'node_modules')))
  expect(found).toMatchObject({ answer: 'no', counts: { functions: 2, untested: 1 } })
  expect(found?.detail).toMatch(/price\.js:1: price: \d killed.* \(Stryker\)/)
  expect(found?.detail).toMatch(/price\.js:5: half is not tested/)
})
