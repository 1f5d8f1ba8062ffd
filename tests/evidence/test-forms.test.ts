import { existsSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { patience } from '../timing.ts'
import { claimOn, HEAD, type Settings } from './claimed.ts'

type Files = Readonly<Record<string, string>>

/** A product with one function, and a project that tests it in some form. */
interface Form {
  readonly needs?: string
  readonly settings: Settings
  /** With this value as what the product gives. */
  readonly product: (value: string) => Files
  readonly files?: Files
  /** The test file: what it says instead of the assertion that the value is 2. */
  readonly tests: (assertion: string) => Files
  readonly checks: string
  readonly weaker: readonly string[]
  /** A new function with its test. */
  readonly feature: Files
}

const RUNNERS = ['node_modules', ...(process.env.EXITGATE_BARE ? [] : ['.tools/runners/node_modules'])]
const packageFolder = (name: string) => RUNNERS.map((dir) => resolve(dir, name)).find((dir) => existsSync(dir))

const ASSERT = "const assert = require('node:assert')\n"
const javascript = (head: string, call: (name: string, body: string) => string, more: Partial<Form> = {}): Form => ({
  settings: { command: { command: 'node --test', runner: 'node' } },
  product: (value) => ({ 'm.js': `exports.g = () => ${value}\n` }),
  tests: (assertion) => ({
    'm.test.js': `${head}${ASSERT}const { g } = require('./m.js')\n${call('gives two', assertion)}\n${call('kind', "assert.equal(typeof g(), 'number')")}\n`,
  }),
  checks: 'assert.equal(g(), 2)',
  weaker: ['assert.ok(true)', "assert.ok(typeof g() === 'number')", 'g()'],
  feature: {
    'h.js': 'exports.h = () => 7\n',
    'h.test.js': `${head}${ASSERT}const { h } = require('./h.js')\n${call('h', 'assert.equal(h(), 7)')}\n`,
  },
  ...more,
})
const called = (name: string) => (title: string, body: string) => `${name}('${title}', () => { ${body} })`

const forms: Record<string, Form> = {
  'a variable bound to the runner': javascript("const check = require('node:test')\n", called('check')),
  'a function of the runner under another name': javascript(
    "const { test: check } = require('node:test')\n",
    called('check'),
  ),
  'a wrapper': javascript(
    "const { test } = require('node:test')\nconst check = (name, body) => test(name, body)\n",
    called('check'),
  ),
  'a declared wrapper': javascript(
    `const { test } = require('node:test')\nfunction check(name, body) {\n  return test(\`of m: \${name}\`, body)\n}\n`,
    called('check'),
  ),
  'an extended function': javascript(
    "const { test } = require('node:test')\ntest.extend = () => (name, body) => test(name, body)\nconst appTest = test.extend({})\n",
    called('appTest'),
  ),
  'a wrapper of a helper': javascript("const { check } = require('./test-helpers/check.js')\n", called('check'), {
    files: {
      'test-helpers/check.js':
        "const { test } = require('node:test')\nexports.check = (name, body) => test(name, body)\n",
    },
  }),
  'a suite of uvu': javascript("const { suite } = require('uvu')\nconst M = suite('M')\n", called('M'), {
    needs: 'uvu',
    settings: { command: { command: 'node node_modules/uvu/bin.js . .test.js$', runner: 'uvu' } },
    tests: (assertion) => ({
      'm.test.js': `const { suite } = require('uvu')\n${ASSERT}const { g } = require('./m.js')\nconst M = suite('M')\nM('gives two', () => { ${assertion} })\nM('kind', () => { assert.equal(typeof g(), 'number') })\nM.run()\n`,
    }),
    feature: {
      'h.js': 'exports.h = () => 7\n',
      'h.test.js': `const { suite } = require('uvu')\n${ASSERT}const { h } = require('./h.js')\nconst H = suite('H')\nH('h', () => { assert.equal(h(), 7) })\nH.run()\n`,
    },
  }),
  'suites of uvu in a shared module': javascript('', called('M'), {
    needs: 'uvu',
    settings: { command: { command: 'node node_modules/uvu/bin.js test -i suites', runner: 'uvu' } },
    tests: (assertion) => ({
      'test/m.js': "require('./suites/g.js')(require('../m.js').g)\n",
      'test/suites/g.js': `const { suite } = require('uvu')\n${ASSERT}module.exports = (g) => {\n  const M = suite('M')\n  M('gives two', () => { ${assertion} })\n  M('kind', () => { assert.equal(typeof g(), 'number') })\n  M.run()\n}\n`,
    }),
    feature: {
      'h.js': 'exports.h = () => 7\n',
      'test/h.js': `const { test } = require('uvu')\n${ASSERT}const { h } = require('../h.js')\ntest('h', () => { assert.equal(h(), 7) })\ntest.run()\n`,
    },
  }),
  busted: {
    needs: 'busted',
    settings: { command: { command: 'busted', runner: 'busted' } },
    product: (value) => ({ 'm.lua': `return { g = function() return ${value} end }\n` }),
    tests: (assertion) => ({
      'spec/m_spec.lua': `local M = require 'm'\ndescribe('m', function()\n  it('gives two', function()\n    ${assertion}\n  end)\n  it('gives a number', function()\n    assert.is_number(M.g())\n  end)\nend)\n`,
    }),
    checks: 'assert.equals(2, M.g())',
    weaker: ['assert.is_true(true)', 'assert.is_number(M.g())', 'M.g()'],
    feature: {
      'h.lua': 'return { h = function() return 7 end }\n',
      'spec/h_spec.lua':
        "local H = require 'h'\ndescribe('h', function()\n  it('gives seven', function()\n    assert.equals(7, H.h())\n  end)\nend)\n",
    },
  },
  'Perl, with a new export': {
    needs: 'prove',
    settings: { command: { command: 'prove -lr t', runner: 'prove' } },
    product: (value) => ({
      'lib/M.pm': `package M;\nuse strict;\nuse Exporter 'import';\nour @EXPORT_OK = qw(g);\nsub g { return ${value} }\n1;\n`,
    }),
    tests: (assertion) => ({
      't/m.t': `use strict;\nuse Test::More;\nuse M qw(g);\n${assertion}\nlike(g(), qr/\\d/, 'a number');\ndone_testing;\n`,
    }),
    checks: "is(g(), 2, 'two');",
    weaker: ["ok(1, 'two');", "ok(g(), 'two');", "like(g(), qr/./, 'two');"],
    feature: {
      'lib/M.pm':
        "package M;\nuse strict;\nuse Exporter 'import';\nour @EXPORT_OK = qw(g seven);\nsub g { return 2 }\nsub seven { return 7 }\n1;\n",
      't/h.t': "use strict;\nuse Test::More;\nuse M qw(seven);\nis(seven(), 7, 'seven');\ndone_testing;\n",
    },
  },
}

const WRONG = '3'
const start = ({ files, product, tests, checks }: Form) => ({ ...files, ...product('2'), ...tests(checks) })

async function claim(form: Form, work: Files, task?: readonly string[]) {
  const { needs } = form
  const folder = needs === undefined ? undefined : packageFolder(needs)
  return claimOn(
    { ...start(form), ...(folder !== undefined && { '.gitignore': 'node_modules\n' }) },
    (p) => p.write(work),
    {
      ...form.settings,
      ...(task && { task }),
      ...(folder !== undefined && {
        prepare: (dir: string) => {
          symlinkSync(resolve(folder, '..'), resolve(dir, 'node_modules'))
        },
      }),
    },
  )
}

const missing = ({ needs }: Form) =>
  needs === undefined || packageFolder(needs) !== undefined || findProgram(needs, '.', process.env) !== undefined
    ? undefined
    : `${needs} is not installed`

describe.each(Object.entries(forms))('%s', (_name, form) => {
  const reason = missing(form)
  it.for(form.weaker)(
    'a broken product is refused with the test weakened to %s',
    {
      timeout: patience(60_000),
    },
    async (weaker, { skip }) => {
      skip(reason !== undefined, reason)
      const { tests, tampering } = await claim(form, { ...form.product(WRONG), ...form.tests(weaker) })
      expect([tests.answer, tampering?.answer], tests.detail).not.toEqual(['yes', 'yes'])
    },
  )

  it('a feature with its test is verified', { timeout: patience(60_000) }, async ({ skip }) => {
    skip(reason !== undefined, reason)
    const { tests, tampering, proven } = await claim(form, form.feature)
    expect([tests.answer, tampering?.answer, proven?.answer], proven?.detail).toEqual(['yes', 'yes', 'yes'])
  })

  it('another expectation that the task names is verified', { timeout: patience(60_000) }, async ({ skip }) => {
    skip(reason !== undefined, reason)
    const other = form.checks.replace('2', '31')
    const { tests, tampering, proven } = await claim(form, { ...form.product('31'), ...form.tests(other) }, [
      'It must give 31.',
    ])
    expect([tests.answer, tampering?.answer, proven?.answer], proven?.detail).toEqual(['yes', 'yes', 'yes'])
  })
})

describe('rows of a table that another function turns into tests', () => {
  const calc = (sum: string) => `export const add = (a, b) => ${sum}\n`
  const table = (rows: string) =>
    `${HEAD}import { add } from '../src/calc.js'\nfunction runTest(name, rows) {\n  for (const [a, b, sum] of rows) test(\`\${name}(\${a}, \${b}) is \${sum}\`, () => assert.equal(add(a, b), sum))\n}\nrunTest('add', [${rows}])\n`
  const files = (sum: string, rows: string) => ({ 'src/calc.js': calc(sum), 'test/calc.test.js': table(rows) })
  const before = '[1, 2, 3], [2, 2, 4]'
  it.each([
    ['a new row proves', 'Number(a) + Number(b)', `${before}, ["4", 5, 9]`, ['yes', 'yes', 1, undefined]],
    ['a new row that passes without the change', 'b + a', `${before}, [4, 5, 9]`, ['yes', 'yes', 0, undefined]],
    ['rows that expect something else', 'a - b', '[1, 2, -1], [2, 2, 0]', ['yes', 'yes', 0, 2]],
    ['and a new one beside them', 'a - b', '[1, 2, -1], [2, 2, 0], [3, 1, 2]', ['yes', 'yes', 0, 2]],
    ['a row less', 'b + a', '[1, 2, 3]', ['no', 'yes', undefined, undefined]],
  ] as const)('%s', { timeout: patience(60_000) }, async (_name, sum, rows, expected) => {
    const start = { 'package.json': '{"type":"module"}\n', ...files('a + b', before) }
    const { tests, tampering, proven } = await claimOn(start, (p) => p.write(files(sum, rows)))
    const found = [tests.answer, tampering?.answer, proven?.counts?.proves, tampering?.counts?.changed]
    expect(found, `${tests.detail} ${tampering?.detail} ${proven?.detail}`).toEqual(expected)
  })
})

describe('a condition around a test that runs here', () => {
  const files = (options: string) => ({
    'src/calc.js': 'export const add = (a, b) => a + b\n',
    'test/calc.test.js': `${HEAD}import { add } from '../src/calc.js'\ntest('adds', ${options}() => {\n  assert.equal(add(1, 2), 3)\n})\n`,
  })
  it.each([
    ["{ skip: typeof structuredClone === 'undefined' }, ", 'yes'],
    ['{ skip: process.env.OTHER_PLACE !== undefined }, ', 'no'],
    ["{ skip: !existsSync('src') }, ", 'no'],
    ['{ skip: Date.now() > 5e15 }, ', 'no'],
    ['{ skip: true }, ', 'no'],
  ])('%s', { timeout: patience(60_000) }, async (options, answer) => {
    const work = files(options)
    const start = { 'package.json': '{"type":"module"}\n', ...files('') }
    const imports = { 'test/calc.test.js': `import { existsSync } from 'node:fs'\n${work['test/calc.test.js']}` }
    const { tests, tampering } = await claimOn(start, (p) =>
      p.write({ ...work, ...imports, 'src/more.js': 'export const b = 1\n' }),
    )
    const found = [tests.answer, tampering?.answer].includes('no') ? 'no' : tampering?.answer
    expect(found, `${tests.detail} ${tampering?.detail}`).toBe(answer)
  })
})
