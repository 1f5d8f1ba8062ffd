// A JavaScript project with a custom runner that prints TAP and supports `only` and `skip`, and with a snapshot of a report.

const HARNESS = `const tests = []

export function it(name, body) {
  tests.push({ name, body })
}
it.only = (name, body) => tests.push({ name, body, only: true })
it.skip = (name) => tests.push({ name, skip: true })

export function equal(actual, expected) {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error('expected ' + JSON.stringify(expected) + ', got ' + JSON.stringify(actual))
}

export function run() {
  const chosen = tests.some((each) => each.only) ? tests.filter((each) => each.only) : tests
  let failed = 0
  console.log('TAP version 13\\\\n1..' + chosen.length)
  chosen.forEach(({ name, body, skip }, at) => {
    try {
      if (!skip) body()
      console.log('ok ' + (at + 1) + ' - ' + name + (skip ? ' # SKIP' : ''))
    } catch (error) {
      failed += 1
      console.log('not ok ' + (at + 1) + ' - ' + name + '\\\\n# ' + error.message)
    }
  })
  process.exitCode = failed > 0 ? 1 : 0
}
`.replaceAll('\\\\n', '\\n')

const TESTS = `import { readFileSync } from 'node:fs'
import { balance, report } from '../src/ledger.js'
import { equal, it, run } from './harness.js'

const entries = [{ cents: 1250, what: 'books' }, { cents: -300, what: 'tea' }]

it('balance sums the cents', () => {
  equal(balance([{ cents: 5, what: 'a' }]), 5)
})

it('balance counts what was spent', () => {
  equal(balance(entries), 950)
})

it('report is as in the snapshot', () => {
  equal(report(entries), JSON.parse(readFileSync(new URL('./__snapshots__/report.json', import.meta.url), 'utf8')))
})

run()
`

const source = (balance, report) => `export function balance(entries) {
  return entries.${balance}
}

export function report(entries) {
  return ${report}
}
`

const WRONG = source('reduce((sum, { cents }) => sum + Math.abs(cents), 0)', 'entries.map(({ what }) => what)')
const RIGHT = source(
  'reduce((sum, { cents }) => sum + cents, 0)',
  "[...entries].sort((a, b) => a.what.localeCompare(b.what)).map(({ what, cents }) => what + ': ' + (cents / 100).toFixed(2))",
)
const ACCEPTANCE = `import assert from 'node:assert/strict'
import { balance, report } from './src/ledger.js'

assert.equal(balance([]), 0)
assert.equal(balance([{ cents: -7, what: 'a' }, { cents: 2, what: 'b' }]), -5)
assert.deepEqual(report([{ cents: 100, what: 'b' }, { cents: -5, what: 'a' }]), ['a: -0.05', 'b: 1.00'])
console.log('accepted')
`

export default {
  language: 'javascript',
  needs: [],
  prompt:
    'In src/ledger.js, `balance` must count what was spent as negative, and `report` must give one line for each entry, sorted by name: `tea: -3.00`.',
  files: {
    'package.json':
      '{ "name": "ledger", "private": true, "type": "module", "scripts": { "test": "node test/ledger.test.js" } }\n',
    'src/ledger.js': WRONG,
    'test/harness.js': HARNESS,
    'test/ledger.test.js': TESTS,
    'test/__snapshots__/report.json': '["books: 12.50", "tea: -3.00"]\n',
  },
  half: {
    'src/ledger.js': RIGHT.replace(
      /report\(entries\) \{\n.*\n/,
      'report(entries) {\n  return entries.map(({ what }) => what)\n',
    ),
  },
  solved: { 'src/ledger.js': RIGHT },
  hidden: { files: { 'acceptance.mjs': ACCEPTANCE }, command: ['node', 'acceptance.mjs'], says: 'accepted' },
}
