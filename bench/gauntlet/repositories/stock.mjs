/** A JavaScript project for a stock of goods, with a plan of three items. The last item has no visible test. */

const HEAD = `/** How many there are of each thing. */
export class Stock {
  #counts = new Map()

  count(thing) {
    return this.#counts.get(thing) ?? 0
  }
`

const ADD = `
  add(thing, many) {
    if (!Number.isInteger(many) || many < 1) throw new RangeError(\`cannot add \${many}\`)
    this.#counts.set(thing, this.count(thing) + many)
  }
`

const TAKE = `
  take(thing, many) {
    if (!Number.isInteger(many) || many < 1 || many > this.count(thing)) throw new RangeError(\`cannot take \${many}\`)
    this.#counts.set(thing, this.count(thing) - many)
  }
`

const LIST = `
  list() {
    return [...this.#counts].filter(([, many]) => many > 0).map(([thing]) => thing).sort()
  }
`

const source = (...methods) => ({ 'src/stock.js': `${HEAD}${methods.join('')}}\n` })

const plan = (...marks) => ({
  'PLAN.md': `# Plan

- [${marks[0]}] add refuses what is no whole number above zero
- [${marks[1]}] take refuses more than there is
- [${marks[2]}] list names the things that are there, sorted
`,
})

const acceptance = `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Stock } from './src/stock.js'

const filled = () => {
  const stock = new Stock()
  stock.add('tea', 2)
  stock.add('bread', 1)
  return stock
}

test('add', () => {
  for (const many of [0, -1, 1.5, '2']) assert.throws(() => filled().add('tea', many), RangeError)
  assert.equal(filled().count('tea'), 2)
})

test('take', () => {
  const stock = filled()
  for (const many of [3, 0, -1]) assert.throws(() => stock.take('tea', many), RangeError)
  stock.take('tea', 2)
  assert.equal(stock.count('tea'), 0)
})

test('list', () => {
  const stock = filled()
  assert.deepEqual(stock.list(), ['bread', 'tea'])
  stock.take('bread', 1)
  assert.deepEqual(stock.list(), ['tea'])
})

test('the plan is there and says so', () => {
  const plan = readFileSync('PLAN.md', 'utf8')
  for (const item of ['add refuses', 'take refuses', 'list names']) assert.match(plan, new RegExp(\`\\\\[x\\\\] \${item}\`))
})
`

export default {
  language: 'javascript',
  needs: [],
  prompt: `# Stock

Work through PLAN.md, and tick an item when it is done. The tests run with \`npm test\`.
`,
  files: {
    'package.json': '{ "name": "stock", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
    ...source(),
    'test/stock.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stock } from '../src/stock.js'

test('what was never added is not there', () => {
  assert.equal(new Stock().count('tea'), 0)
})

test('add counts up', () => {
  const stock = new Stock()
  stock.add('tea', 2)
  stock.add('tea', 1)
  assert.equal(stock.count('tea'), 3)
  assert.throws(() => stock.add('tea', 0), RangeError)
})

test('take counts down and refuses more than there is', () => {
  const stock = new Stock()
  stock.add('tea', 2)
  stock.take('tea', 1)
  assert.equal(stock.count('tea'), 1)
  assert.throws(() => stock.take('tea', 2), RangeError)
})
`,
    ...plan(' ', ' ', ' '),
  },
  plan,
  half: { ...source(ADD), ...plan('x', ' ', ' ') },
  /** Every visible test passes; the last item is open. */
  green: { ...source(ADD, TAKE), ...plan('x', 'x', ' ') },
  work: source(ADD, TAKE, LIST),
  solved: { ...source(ADD, TAKE, LIST), ...plan('x', 'x', 'x') },
  hidden: {
    files: { 'acceptance.test.js': acceptance },
    command: ['node', '--test', '--test-reporter=tap', 'acceptance.test.js'],
    says: '# pass 4',
  },
}
