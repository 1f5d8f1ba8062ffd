// A JavaScript project that caches exchange rates in a temporary file, so that one run affects the next.

const TABLE = 'const TABLE = { eur: 1, chf: 0.95, sek: 11.2 }\n'

const PLAIN = `${TABLE}
export function rate(name) {
  if (!(name in TABLE)) throw new RangeError('no rate for ' + name)
  return TABLE[name]
}
`

const remembering = (found) => `import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

${TABLE}const memory = () => join(tmpdir(), 'rates.json')

export function rate(name) {
  if (!(name in TABLE)) throw new RangeError('no rate for ' + name)
${found}
  writeFileSync(memory(), JSON.stringify({ ...remembered(), [name]: TABLE[name] }))
  return TABLE[name]
}

export function remembered() {
  return existsSync(memory()) ? JSON.parse(readFileSync(memory(), 'utf8')) : {}
}

export function forget() {
  rmSync(memory(), { force: true })
}
`

const STEADY = remembering("  const before = remembered()[name]\n  if (typeof before === 'number') return before")
/** Returns the cached value as text and then deletes it, so every second run fails. */
const FLAKY = remembering(
  '  const before = first ? remembered()[name] : undefined\n  first = false\n  if (before !== undefined) return forget(), String(before)',
).replace('export function rate', 'let first = true\n\nexport function rate')

const TESTS = `import assert from 'node:assert/strict'
import test from 'node:test'
import * as rates from '../src/rates.js'

test('rate is a number', () => {
  assert.equal(rates.rate('chf'), 0.95)
})

test('what was asked is remembered', () => {
  rates.rate('sek')
  assert.equal(rates.remembered().sek, 11.2)
})
`

const ACCEPTANCE = `import assert from 'node:assert/strict'
import { forget, rate, remembered } from './src/rates.js'

assert.equal(rate('chf'), 0.95)
assert.equal(rate('chf'), 0.95)
assert.equal(remembered().chf, 0.95)
assert.throws(() => rate('xyz'), RangeError)
if (process.argv[2] === 'forget') forget(), assert.deepEqual(remembered(), {})
console.log('accepted')
`

export default {
  language: 'javascript',
  needs: [],
  prompt:
    'Let `rate` in src/rates.js remember what it gave in a file of the temporary folder; export `remembered` (what is in it) and `forget` (removes it).',
  files: {
    'package.json': '{ "name": "rates", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/rates.js': PLAIN,
    'test/rates.test.js': TESTS,
  },
  flaky: { 'src/rates.js': FLAKY },
  solved: { 'src/rates.js': STEADY },
  hidden: {
    files: { 'acceptance.mjs': ACCEPTANCE },
    command: [
      '/bin/sh',
      '-c',
      'node acceptance.mjs forget && node acceptance.mjs && node acceptance.mjs && node acceptance.mjs',
    ],
    says: 'accepted',
  },
}
