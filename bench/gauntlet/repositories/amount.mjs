// A JavaScript project with forty tests of one function, which other functions use.

const NUMBERS = [...Array(40).keys()].map((n) => n + 1)
const FILES = 4

const source = (name, more = '') => `/** The cents of an amount such as "12.50". */
export function ${name}(text) {
  const [whole, rest = ''] = text.split('.')
${more}  return Number(whole) * 100 + Number(rest.padEnd(2, '0'))
}
`
const sum = (name) => `import { ${name} } from './amount.js'

/** The cents of several amounts together. */
export const sum = (texts) => texts.reduce((cents, text) => cents + ${name}(text), 0)
`

const testFile = (name, numbers) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${name} } from '../src/amount.js'

${numbers
  .map(
    (n) => `test('${name} reads amount ${n}', () => {
  assert.equal(${name}('${n}.5'), ${n * 100 + 50})
})
`,
  )
  .join('\n')}`

const testFiles = (name) =>
  Object.fromEntries(
    [...Array(FILES).keys()].map((file) => [
      `test/amounts-${file + 1}.test.js`,
      testFile(
        name,
        NUMBERS.filter((n) => n % FILES === file),
      ),
    ]),
  )

const project = (name, more) => ({
  'src/amount.js': source(name, more),
  'src/sum.js': sum(name),
  ...testFiles(name),
  'test/sum.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from '../src/sum.js'

test('amounts are added', () => {
  assert.equal(sum(['1.5', '2']), 350)
})
`,
})

const acceptance = (refuses) => `import assert from 'node:assert/strict'
import * as amount from './src/amount.js'
import { sum } from './src/sum.js'

assert.equal(amount.parse, undefined)
assert.equal(amount.centsOf('12.50'), 1250)
assert.equal(sum(['1', '2.25']), 325)
${refuses ? "assert.throws(() => amount.centsOf('-1'), RangeError)\n" : ''}console.log('accepted')
`
const hidden = (refuses) => ({
  files: { 'acceptance.mjs': acceptance(refuses) },
  command: ['node', 'acceptance.mjs'],
  says: 'accepted',
})

const amount = {
  language: 'javascript',
  needs: [],
  prompt:
    'Rename `parse` in src/amount.js to `centsOf`, everywhere it is used, also in the tests. What the program does stays the same.',
  files: {
    'package.json': '{ "name": "amount", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    ...project('parse'),
  },
  solved: project('centsOf'),
  hidden: hidden(false),
}
export default amount

/** The same, with new behavior. */
export const refusing = {
  ...amount,
  prompt: `${amount.prompt.split('.', 2).join('.')}, everywhere it is used. It must also refuse negative amounts with a RangeError.`,
  solved: {
    ...project('centsOf', "  if (text.startsWith('-')) throw new RangeError('a negative amount: ' + text)\n"),
    'test/negative.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { centsOf } from '../src/amount.js'

test('negative amounts are refused', () => {
  assert.throws(() => centsOf('-1.50'), RangeError)
})
`,
  },
  hidden: hidden(true),
}
