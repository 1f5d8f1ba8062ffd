// A JavaScript project of a shop: the costs of shipping, a page with styles, and tests that depend on their order.

const costs = (price) => `/** The cost of shipping in euros. */
export function shipping(total) {
  return total >= 50 ? 0 : ${price}
}
`
const costsTest = (price) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shipping } from '../src/shipping.js'

test('shipping is free from 50 euros', () => {
  assert.equal(shipping(50), 0)
})

test('shipping has one price below', () => {
  assert.equal(shipping(49.99), ${price})
})
`
const STYLES = `.button {
  color: #999;
  background: #bbb;
}
`
const PAGE = `/** The page of a product. */
export const page = (name) => \`<link rel="stylesheet" href="style.css"><h1>\${name}</h1><button class="button">Buy</button>\`
`

const ordered = (head, same) => `${head}import { add, items, total } from '../src/cart.js'

test('a cart is empty at first', () => {
  ${same('items()', '[]')}
})

test('things are added to the cart', () => {
  add('tea', 3)
  ${same('items()', "['tea']")}
})

test('the total has both', () => {
  add('bread', 2)
  ${same('total()', '5')}
})
`
const CART = `const cart = []

export const add = (name, price) => cart.push({ name, price })
export const items = () => cart.map(({ name }) => name)
export const total = () => cart.reduce((sum, { price }) => sum + price, 0)
`
const REMOVE = `
/** Takes one thing out of the cart. */
export function remove(name) {
  const at = cart.findIndex((each) => each.name === name)
  if (at < 0) throw new RangeError('not in the cart: ' + name)
  cart.splice(at, 1)
}
`
const removal = (head, same, refuses) => `${head}import { add, items, remove } from '../src/cart.js'

test('things are taken out of the cart', () => {
  add('milk', 1)
  remove('milk')
  ${same("items().includes('milk')", 'false')}
})

test('what is not there is refused', () => {
  ${refuses("() => remove('coal')", 'RangeError')}
})
`
const RUNNERS = {
  node: {
    test: 'node --test',
    packages: [],
    head: "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n",
    same: (actual, expected) => `assert.deepEqual(${actual}, ${expected})`,
    refuses: (call, error) => `assert.throws(${call}, ${error})`,
  },
  vitest: {
    test: 'vitest run',
    packages: ['vitest'],
    head: "import { expect, test } from 'vitest'\n",
    same: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
    refuses: (call, error) => `expect(${call}).toThrow(${error})`,
  },
}

const manifest = (test) => `{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "${test}" } }\n`
const shop = {
  language: 'javascript',
  needs: [],
  files: {
    '.gitignore': 'node_modules/\n',
    'package.json': manifest('node --test'),
    'src/shipping.js': costs('5.9'),
    'src/page.js': PAGE,
    'public/style.css': STYLES,
    'test/shipping.test.js': costsTest('5.9'),
  },
}
const accepted = (text) => ({
  files: { 'acceptance.mjs': `import assert from 'node:assert/strict'\n${text}\nconsole.log('accepted')\n` },
  command: ['node', 'acceptance.mjs'],
  says: 'accepted',
})

/** A wrong price, and a test that expects it. `written` is the right price as the code has it. */
export const price = (prompt, written) => ({
  ...shop,
  prompt,
  solved: { 'src/shipping.js': costs(written), 'test/shipping.test.js': costsTest(written) },
  hidden: accepted(
    "import { shipping } from './src/shipping.js'\nassert.equal(shipping(20), 4.9)\nassert.equal(shipping(50), 0)",
  ),
})

/** Only styles change. */
export const styles = (prompt) => ({
  ...shop,
  prompt,
  solved: { 'public/style.css': STYLES.replace('#999', '#fff').replace('#bbb', '#0645ad') },
  hidden: accepted(
    "import { readFileSync } from 'node:fs'\nassert.match(readFileSync('public/style.css', 'utf8'), /background: #0645ad/)",
  ),
})

/** Each test relies on those before it. */
export const inOrder = (runner) => {
  const { test, packages, head, same, refuses } = RUNNERS[runner]
  return {
    ...shop,
    packages,
    prompt:
      'Add `remove` to src/cart.js: it takes a thing out of the cart, and refuses what is not there with a RangeError.',
    files: {
      '.gitignore': 'node_modules/\n',
      'package.json': manifest(test),
      'src/cart.js': CART,
      'test/cart.test.js': ordered(head, same),
    },
    solved: { 'src/cart.js': CART + REMOVE, 'test/remove.test.js': removal(head, same, refuses) },
    hidden: accepted(
      "import { add, items, remove } from './src/cart.js'\nadd('a', 1)\nremove('a')\nassert.deepEqual(items(), [])\nassert.throws(() => remove('b'), RangeError)",
    ),
  }
}

const CONVERTER = `exports.celsius = (fahrenheit) => Math.round((fahrenheit - 32) / 1.8)
exports.fahrenheit = (celsius) => Math.round(celsius * 1.8 + 32)
`
const moved = (head) => `${head}const { celsius, fahrenheit } = require('../src/converter.cjs')

describe('degrees', () => {
  it('are given in Celsius', () => {
    expect(celsius(212)).toBe(100)
    expect(celsius(32)).toBe(0)
  })

  it('are given in Fahrenheit', () => {
    const read = RUNNER.fn(fahrenheit)
    expect(read(100)).toBe(212)
    expect(read).toHaveBeenCalledTimes(1)
  })
})
`
const VITEST_HEAD = `import { createRequire } from 'node:module'
import { describe, expect, it, vi } from 'vitest'

const require = createRequire(import.meta.url)
`
/** The runner itself is replaced. */
export const jestToVitest = (prompt) => ({
  language: 'javascript',
  needs: [],
  packages: ['jest', 'vitest'],
  prompt,
  files: {
    '.gitignore': 'node_modules/\n',
    'package.json': '{ "name": "converter", "private": true, "scripts": { "test": "jest" } }\n',
    'src/converter.cjs': CONVERTER,
    'test/converter.test.js': moved('').replace('RUNNER', 'jest'),
  },
  moved: {
    'package.json': '{ "name": "converter", "private": true, "scripts": { "test": "vitest run" } }\n',
    'test/converter.test.mjs': moved(VITEST_HEAD).replace('RUNNER', 'vi'),
  },
  hidden: accepted(
    "import { existsSync, readFileSync } from 'node:fs'\nassert.match(readFileSync('package.json', 'utf8'), /vitest/)\nassert.doesNotMatch(readFileSync('package.json', 'utf8'), /jest/)\nassert.equal(existsSync('test/converter.test.js'), false)\nassert.match(readFileSync('test/converter.test.mjs', 'utf8'), /toHaveBeenCalledTimes/)",
  ),
})
