// A small JavaScript project that reads and writes CSV. Its tests pass at the start; the task is new behavior that needs tests of its
// own. There is a variant for each of several test runners.

const WRITE = `
/** The text of rows. */
export function write(rows) {
  return rows.map((row) => row.join(',')).join('\\n')
}
`

export const source = (line) => `/** The rows of a text, each with its fields. */
export function parse(text) {
  const lines = text.split('\\n').filter((line) => line !== '')
  return lines.map((line) => ${line})
}
${WRITE}`

const QUOTED = `/** The rows of a text, each with its fields. A field in quotes can contain commas and quotes. */
export function parse(text) {
  const lines = text.split('\\n').filter((line) => line !== '')
  return lines.map(fieldsOf)
}

function fieldsOf(line) {
  const fields = ['']
  let inQuotes = false
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]
    if (inQuotes && char === '"' && line[at + 1] === '"') {
      fields[fields.length - 1] += char
      at += 1
    } else if (char === '"') inQuotes = !inQuotes
    else if (char === ',' && !inQuotes) fields.push('')
    else fields[fields.length - 1] += char
  }
  return fields
}
${WRITE}`

/** Loses spaces, and splits fields in quotes at their commas. */
export const WRONG = source(`line.split(',').map((field) => field.trim().replace(/^"|"$/g, ''))`)

const ROWS = `export const rows = [
  ['a,b', [['a', 'b']]],
  ['a, b', [['a', ' b']]],
  ['a,b\\nc,d\\n', [['a', 'b'], ['c', 'd']]],
]

export const SPACED = ' tea'
`

export const tests = (head, same, equal) => `${head}import { parse, write } from '../src/csv.js'
import { rows, SPACED } from './rows.js'

test('rows and fields are read', () => {
  for (const [text, expected] of rows) ${same}
})

test('spaces belong to a field', () => {
  ${equal("parse('1, tea')[0][1]", 'SPACED')}
  ${equal("parse('2 , milk')[0][0]", "'2 '")}
})

test('empty lines are left out', () => {
  ${equal("parse('a\\n\\nb').length", '2')}
})

test('rows are written', () => {
  ${equal("write([['a', 'b'], ['c']])", "'a,b\\nc'")}
})
`
const NODE = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const nodeTests = tests(
  NODE,
  'assert.deepEqual(parse(text), expected)',
  (actual, expected) => `assert.equal(${actual}, ${expected})`,
)
const VITEST = "import { expect, test } from 'vitest'\n"
const vitestTests = tests(
  VITEST,
  'expect(parse(text)).toEqual(expected)',
  (actual, expected) => `expect(${actual}).toBe(${expected})`,
)

const CASES = [`parse('1,"a, b"')`, `[['1', 'a, b']]`, `parse('"say ""no""",2')`, `[['say "no"', '2']]`]
const newTest = (head, equal) => `${head}import { parse } from '../src/csv.js'

test('fields in quotes are read', () => {
  ${equal(CASES[0], CASES[1])}
  ${equal(CASES[2], CASES[3])}
})
`
const NODE_TEST = newTest(NODE, (actual, expected) => `assert.deepEqual(${actual}, ${expected})`)

const ACCEPTANCE = `import assert from 'node:assert/strict'
import { parse, write } from './src/csv.js'

assert.deepEqual(parse('a,b\\n\\nc, d\\n'), [['a', 'b'], ['c', ' d']])
assert.deepEqual(parse('1,"a, b",3'), [['1', 'a, b', '3']])
assert.deepEqual(parse('"say ""no"""'), [['say "no"']])
assert.deepEqual(parse('"",x'), [['', 'x']])
assert.equal(write([['a', 'b'], ['c']]), 'a,b\\nc')
console.log('accepted')
`

const manifest = (test) => `{ "name": "csv", "private": true, "type": "module", "scripts": { "test": "${test}" } }\n`

const files = (test, more) => ({
  '.gitignore': 'node_modules/\n',
  'README.md': '# csv\n\nReads and writes CSV.\n',
  'package.json': manifest(test),
  'src/csv.js': source("line.split(',')"),
  'test/rows.js': ROWS,
  ...more,
})

const csv = {
  language: 'javascript',
  needs: [],
  prompt:
    'Quoted fields, with tests: `parse` in src/csv.js reads fields in double quotes. They can contain commas, and two quotes stand for one.',
  files: files('node --test', { 'test/csv.test.js': nodeTests }),
  solved: { 'src/csv.js': QUOTED, 'test/quoted.test.js': NODE_TEST },
  hidden: { files: { 'acceptance.mjs': ACCEPTANCE }, command: ['node', 'acceptance.mjs'], says: 'accepted' },
}
export default csv

const SNAP = (second) => `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[\`a table is read 1\`] = \`
[
  [
    "1",
    "${second}",
  ],
]
\`;
`
/** With a snapshot of what is read. */
export const vitest = {
  ...csv,
  packages: ['vitest'],
  files: files('vitest run', {
    'test/csv.test.js': vitestTests,
    'test/table.test.js': `${VITEST}import { parse } from '../src/csv.js'\n\ntest('a table is read', () => {\n  expect(parse('1, tea')).toMatchSnapshot()\n})\n`,
    'test/__snapshots__/table.test.js.snap': SNAP(' tea'),
  }),
  snapshot: SNAP,
  solved: {
    'src/csv.js': QUOTED,
    'test/quoted.test.js': newTest(VITEST, (actual, expected) => `expect(${actual}).toEqual(${expected})`),
  },
}

const UVU = "import { test } from 'uvu'\nimport * as assert from 'uvu/assert'\n"
export const uvu = {
  ...csv,
  packages: ['uvu'],
  files: files('uvu test test.js$', {
    'test/csv.test.js': `${tests(
      UVU,
      'assert.equal(parse(text), expected)',
      (actual, expected) => `assert.is(${actual}, ${expected})`,
    )}\ntest.run()\n`,
  }),
  solved: {
    'src/csv.js': QUOTED,
    'test/quoted.test.js': `${newTest(UVU, (actual, expected) => `assert.equal(${actual}, ${expected})`)}\ntest.run()\n`,
  },
}

const RUNNER = `const counts = { passed: 0, failed: 0, skipped: 0 }

export function test(name, body) {
  try {
    body()
    counts.passed += 1
  } catch (error) {
    counts.failed += 1
    console.log(error.message)
  }
}
test.skip = () => {
  counts.skipped += 1
}

process.on('exit', () => {
  const { passed, failed, skipped } = counts
  const parts = [failed && failed + ' failed', skipped && skipped + ' skipped', passed + ' passed', passed + failed + skipped + ' total']
  console.log('Tests:       ' + parts.filter(Boolean).join(', '))
  if (failed > 0) process.exitCode = 1
})
`
const PLAIN = "import assert from 'node:assert/strict'\nimport { test } from './runner.js'\n"
/** A runner of its own, whose report has only counts. */
export const counts = {
  ...csv,
  files: files('node test/all.js', {
    'test/runner.js': RUNNER,
    'test/all.js': nodeTests.replace(NODE, PLAIN),
  }),
  solved: {
    'src/csv.js': QUOTED,
    'test/all.js': `${nodeTests.replace(NODE, PLAIN)}${NODE_TEST.slice(NODE_TEST.indexOf('\ntest('))}`,
  },
}

/** One of the tests is there already, and fails. */
export const red = {
  ...csv,
  files: { ...csv.files, 'test/quoted.test.js': NODE_TEST },
  solved: { 'src/csv.js': QUOTED },
}

const plan = (mark) => ({
  'PLAN.md': `# Plan

- [${mark}] \`parse\` reads fields in double quotes, which can contain commas
- [${mark}] two quotes in such a field stand for one
`,
})
export const planned = { ...csv, files: { ...csv.files, ...plan(' ') }, solved: { ...csv.solved, ...plan('x') }, plan }
