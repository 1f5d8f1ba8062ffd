import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { claimOn, HEAD, type Settings } from './claimed.ts'
import { folder } from './folders.ts'
import type { Project } from './git-project.ts'

type Files = Readonly<Record<string, string>>

const tests = `${HEAD}import { sum } from '../src/sum.js'
test('sums', () => {
  assert.equal(sum(1, 2), 3)
})
`
const start: Files = {
  'package.json': '{"type":"module"}\n',
  'src/sum.js': 'export const sum = (a, b) => a - b\n',
  'tests/sum.test.js': tests,
}
const right = { 'src/sum.js': 'export const sum = (a, b) => a + b\n' }
const more = { 'tests/sum.test.js': `${tests}test('sums nothing', () => assert.equal(sum(2, 0), 2))\n` }
const random = { ...start, 'tests/time.test.js': `${HEAD}test('made at ' + Math.random(), () => assert.ok(true))\n` }

/** Counts its runs in a file outside of the workspace. */
const counting = (file: string) =>
  `import { appendFileSync, readFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(file)}, 'x')\nconst n = readFileSync(${JSON.stringify(file)}, 'utf8').length\n`
const counter = (p: Project) => join(p.dir, '../counter')
const coin = (p: Project) => ({
  'tests/coin.test.js': `${counting(counter(p))}${HEAD}test('tosses', () => assert.equal(n % 2, 1))\n`,
})
const quarantine = [{ test: 'tosses', until: '2199-01-01', reason: 'known to toss' }]
/** Reports a test if its file is there. Every second time it fails. */
const script = (file: string) =>
  `import { appendFileSync, existsSync, readFileSync } from 'node:fs'
const isThere = existsSync('tests/add.rs')
if (isThere) appendFileSync(${JSON.stringify(file)}, 'x')
const isEven = isThere && readFileSync(${JSON.stringify(file)}, 'utf8').length % 2 === 0
const tests = ['ok 1 - starts', ...(isThere ? [(isEven ? 'not ok' : 'ok') + ' 2 - adds'] : [])]
console.log(['TAP version 13', '1..' + tests.length, ...tests].join('\\n'))
process.exitCode = isEven ? 1 : 0
`

type Row = [name: string, files: Files, work: (p: Project) => Files, answer: string, said: RegExp, settings?: Settings]
const rows: readonly Row[] = [
  ['honest work on the source', start, () => right, 'yes', /^1 of 1 test passes \(last of 2 runs\)\./],
  ['honest work with a test', start, () => ({ ...right, ...more }), 'yes', /^2 of 2 tests pass \(last of 2 runs\)\./],
  [
    'a new test that fails in every second run',
    start,
    (p) => ({ ...right, ...coin(p) }),
    'unknown',
    /Different results for the same code: "tosses" \(passed, then failed\)/,
  ],
  [
    'the same in quarantine',
    start,
    (p) => ({ ...right, ...coin(p) }),
    'yes',
    /2 tests that exitgate broke on purpose failed, as expected\. In quarantine until 2199-01-01: "tosses" \(known to toss\)\./,
    { tests: { quarantine } },
  ],
  [
    'source that is right in every second run',
    { ...start, ...more },
    (p) => ({ 'src/sum.js': `${counting(counter(p))}export const sum = (a, b) => (n % 2 === 1 ? a + b : a - b)\n` }),
    'unknown',
    /Different results for the same code: "sums"/,
  ],
  ['a test with a random name, and work on the source', random, () => right, 'yes', /^2 of 2 tests pass/],
  ['a test with a random name, and a new test', random, () => ({ ...right, ...more }), 'yes', /^3 of 3 tests pass/],
  [
    'new tests of a runner that is not known, in a language in which files need each other',
    { 'src/lib.rs': 'pub fn add() {}\n', 'run.mjs': script(join(folder(), 'counter')) },
    () => ({
      'src/lib.rs': 'pub fn add() -> u8 {\n    2\n}\n',
      'tests/add.rs': '#[test]\nfn adds() {\n    assert_eq!(sums::add(), 2);\n}\n',
    }),
    'unknown',
    /Different results for the same code: "adds"/,
    { command: { command: 'node run.mjs', runner: undefined }, experiments: { withoutChange: false } },
  ],
]

describe('every test runs twice on a claim', () => {
  it.each(rows)('%s', { timeout: patience(60_000) }, async (_name, files, work, answer, said, settings) => {
    const claimed = await claimOn(files, (p) => p.write(work(p)), settings)
    expect(claimed.tests.detail).toMatch(said)
    expect(claimed.tests.answer).toBe(answer)
    expect(claimed.tampering?.detail).toBe('No tests were weakened.')
  })
})
