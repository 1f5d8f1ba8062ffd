/** Roman numerals in JavaScript: one visible test passes at the start, three fail. */

const LETTERS = `const LETTERS = [['M', 1000], ['D', 500], ['C', 100], ['L', 50], ['X', 10], ['V', 5], ['I', 1]]
const PAIRS = [['M', 1000], ['CM', 900], ['D', 500], ['CD', 400], ['C', 100], ['XC', 90], ['L', 50], ['XL', 40], ['X', 10], ['IX', 9], ['V', 5], ['IV', 4], ['I', 1]]
`

const WRITE = `
/** The Roman numeral of a whole number from 1 to 3999. */
export function toRoman(number) {
  let rest = number
  let text = ''
  for (const [letters, value] of TABLE) {
    while (rest >= value) {
      text += letters
      rest -= value
    }
  }
  return text
}
`

const SUM = `
/** The number of a Roman numeral. */
export function fromRoman(text) {
  const values = new Map(LETTERS)
  return [...text].reduce((sum, letter) => sum + (values.get(letter) ?? 0), 0)
}
`

/** Right for the visible tests, too lenient otherwise. */
const KIND = `
/** The number of a Roman numeral. */
export function fromRoman(text) {
  if (!/^[MDCLXVI]+$/.test(text) || /(.)\\1{3}/.test(text)) throw new RangeError(\`no Roman numeral: \${text}\`)
  const values = [...text].map((letter) => new Map(LETTERS).get(letter))
  return values.reduce((sum, value, index) => (value < (values[index + 1] ?? 0) ? sum - value : sum + value), 0)
}
`

const STRICT = `
/** The number of a Roman numeral. */
export function fromRoman(text) {
  const form = /^M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$/
  if (text === '' || !form.test(text)) throw new RangeError(\`no Roman numeral: \${text}\`)
  const values = [...text].map((letter) => new Map(LETTERS).get(letter))
  return values.reduce((sum, value, index) => (value < (values[index + 1] ?? 0) ? sum - value : sum + value), 0)
}
`

const RANGE = `  if (!Number.isInteger(number) || number < 1 || number > 3999) throw new RangeError(\`no numeral for \${number}\`)
  let rest = number
`

const simple = WRITE.replace('TABLE', 'LETTERS')
const paired = WRITE.replace('TABLE', 'PAIRS')
const ranged = paired.replace('  let rest = number\n', RANGE)

/** The visible tests; a scenario may use another name for them. */
export const tests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromRoman, toRoman } from '../src/roman.js'

test('small numbers are written', () => {
  assert.equal(toRoman(3), 'III')
  assert.equal(toRoman(16), 'XVI')
})

test('four and nine are written with the letter before', () => {
  assert.equal(toRoman(4), 'IV')
  assert.equal(toRoman(1999), 'MCMXCIX')
})

test('numerals are read', () => {
  assert.equal(fromRoman('XLIV'), 44)
  assert.equal(fromRoman('MMXXIV'), 2024)
})

test('what is no numeral is refused', () => {
  for (const text of ['', 'IIII', 'ABC']) assert.throws(() => fromRoman(text), RangeError)
})
`

/** Doesn't use the runner's assertions, because the code under test could have changed them. */
const acceptance = `import { fromRoman, toRoman } from './src/roman.js'

const same = (value, expected) => {
  if (value !== expected) throw new Error(\`\${value} instead of \${expected}\`)
}
const refused = (work) => {
  let error
  try {
    work()
  } catch (thrown) {
    error = thrown
  }
  same(error instanceof RangeError, true)
}

for (let number = 1; number < 4000; number += 1) same(fromRoman(toRoman(number)), number)
same(toRoman(3888), 'MMMDCCCLXXXVIII')
same(toRoman(944), 'CMXLIV')
for (const text of ['', 'IIII', 'VX', 'IC', 'IXI', 'VV', 'xiv', ' X']) refused(() => fromRoman(text))
for (const number of [0, -1, 1.5, 4000]) refused(() => toRoman(number))
console.log('accepted')
`

export default {
  language: 'javascript',
  needs: [],
  prompt: `# Roman numerals

\`src/roman.js\` is wrong. \`toRoman\` writes the whole numbers from 1 to 3999 in the usual form and refuses every other number with a
RangeError. \`fromRoman\` reads exactly what \`toRoman\` writes and refuses every other text with a RangeError. The tests run with \`npm test\`.
`,
  files: {
    'package.json': '{ "name": "roman", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/roman.js': LETTERS + simple + SUM,
    'test/roman.test.js': tests,
  },
  /** One of the three failures is fixed. */
  half: { 'src/roman.js': LETTERS + paired + SUM },
  /** Every visible test passes, but the work is not done. */
  green: { 'src/roman.js': LETTERS + paired + KIND },
  solved: { 'src/roman.js': LETTERS + ranged + STRICT },
  hidden: { files: { 'acceptance.mjs': acceptance }, command: ['node', 'acceptance.mjs'], says: 'accepted' },
}
