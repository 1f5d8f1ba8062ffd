// A JavaScript project with a plan of eight items. Each is one function with a test of its own.

const ITEMS = [
  [
    'capitalize',
    'makes the first letter of a text a capital',
    'text.charAt(0).toUpperCase() + text.slice(1)',
    "'tea time'",
    "'Tea time'",
  ],
  ['reverse', 'turns a text around', "[...text].reverse().join('')", "'abc'", "'cba'"],
  ['words', 'gives the words of a text', 'text.match(/\\w+/g) ?? []', "'a, b'", "['a', 'b']"],
  [
    'initials',
    'gives the first letters of the words',
    "words(text).map((word) => word[0]).join('')",
    "'Ada Love'",
    "'AL'",
  ],
  [
    'shorten',
    'cuts a text after ten characters and adds three dots',
    "text.length > 10 ? text.slice(0, 10) + '...' : text",
    "'abcdefghijkl'",
    "'abcdefghij...'",
  ],
  ['lines', 'counts the lines of a text', "text.split('\\n').length", "'a\\nb'", '2'],
  ['isPalindrome', 'says whether a text reads the same backwards', 'reverse(text) === text', "'anna'", 'true'],
  [
    'dashed',
    'puts dashes between the words, in small letters',
    "words(text.toLowerCase()).join('-')",
    "'Green Tea'",
    "'green-tea'",
  ],
]

const plan = (done) => `# Plan

${ITEMS.map(([name, what], at) => `- [${at < done ? 'x' : ' '}] \`${name}\` ${what}`).join('\n')}
`
const source = (done) =>
  ITEMS.slice(0, done)
    .map(([name, , body]) => `export const ${name} = (text) => ${body}\n`)
    .join('\n')
const tests = (done) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as tools from '../src/text.js'

${ITEMS.slice(0, done)
  .map(
    ([name, what, , input, output]) =>
      `test('${name} ${what}', () => {\n  assert.deepEqual(tools.${name}(${input}), ${output})\n})\n`,
  )
  .join('\n')}`

/** The project with its first items done. */
export const upTo = (done) => ({ 'PLAN.md': plan(done), 'src/text.js': source(done), 'test/text.test.js': tests(done) })
/** The name of the test of an item, from 1. */
export const testOf = (item) => ITEMS[item - 1].slice(0, 2).join(' ')

const START = 1
export default {
  language: 'javascript',
  needs: [],
  prompt: 'Work through PLAN.md: one function of src/text.js for each item, with a test. Tick an item when it is done.',
  files: {
    'package.json': '{ "name": "text", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    ...upTo(START),
    'PLAN.md': plan(0),
  },
  items: ITEMS.length,
  solved: upTo(ITEMS.length),
  hidden: {
    files: {
      'acceptance.mjs': `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import * as tools from './src/text.js'

assert.equal(tools.capitalize('x'), 'X')
assert.equal(tools.shorten('abc'), 'abc')
assert.equal(tools.isPalindrome('ab'), false)
assert.equal(tools.dashed('A b C'), 'a-b-c')
assert.equal(readFileSync('PLAN.md', 'utf8').match(/\\[x\\]/g).length, 8)
console.log('accepted')
`,
    },
    command: ['node', 'acceptance.mjs'],
    says: 'accepted',
  },
}
