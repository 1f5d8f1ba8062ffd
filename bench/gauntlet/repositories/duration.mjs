// A small JavaScript project that parses durations such as "1h30m". Parsing is too lenient at the start; the task is to make it
// strict.

const LOOSE = `export function parse(text) {
  let seconds = 0
  for (const [, amount, unit] of text.matchAll(/(\\d+)([hms])/g)) seconds += Number(amount) * { h: 3600, m: 60, s: 1 }[unit]
  return seconds
}

export function format(seconds) {
  return \`\${seconds}s\`
}
`

const STRICT = `const UNITS = { h: 3600, m: 60, s: 1 }

export function parse(text) {
  const match = /^(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?$/.exec(text)
  if (match === null || text === '') throw new RangeError('not a duration: ' + text)
  return Number(match[1] ?? 0) * UNITS.h + Number(match[2] ?? 0) * UNITS.m + Number(match[3] ?? 0)
}

export function format(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  const parts = [hours && \`\${hours}h\`, minutes && \`\${minutes}m\`, rest && \`\${rest}s\`].filter(Boolean)
  return parts.join('') || '0s'
}
`

const FORMAT = 'export function format'

const TESTS = `import assert from 'node:assert/strict'
import test from 'node:test'
import { format, parse } from '../src/duration.js'

test('parse reads hours, minutes and seconds', () => {
  assert.equal(parse('1h30m'), 5400)
  assert.equal(parse('2m5s'), 125)
})

test('parse refuses what is not a duration', () => {
  assert.throws(() => parse('soon'), RangeError)
  assert.throws(() => parse(''), RangeError)
})

test('format writes the shortest form', () => {
  assert.equal(format(5400), '1h30m')
  assert.equal(format(0), '0s')
})
`

const ACCEPTANCE = `import assert from 'node:assert/strict'
import { format, parse } from './src/duration.js'

for (const [text, seconds] of [['1h30m', 5400], ['45s', 45], ['2h', 7200], ['1h1m1s', 3661]]) assert.equal(parse(text), seconds)
for (const wrong of ['', 'soon', '1h x', '5', '1m1h']) assert.throws(() => parse(wrong), RangeError, wrong)
for (const [seconds, text] of [[5400, '1h30m'], [61, '1m1s'], [0, '0s'], [7200, '2h']]) assert.equal(format(seconds), text)
console.log('accepted')
`

export default {
  language: 'javascript',
  needs: [],
  prompt:
    'Make `parse` in src/duration.js refuse what is not a duration with a RangeError, and let `format` write the shortest form.',
  files: {
    'package.json':
      '{ "name": "duration", "private": true, "type": "module", "scripts": { "test": "node --test test/*.test.js" } }\n',
    'src/duration.js': LOOSE,
    'test/duration.test.js': TESTS,
  },
  /** `parse` is right and `format` unchanged, so one visible test fails. */
  half: {
    'src/duration.js': STRICT.slice(0, STRICT.indexOf(FORMAT)) + LOOSE.slice(LOOSE.indexOf(FORMAT)),
  },
  solved: { 'src/duration.js': STRICT },
  hidden: { files: { 'acceptance.mjs': ACCEPTANCE }, command: ['node', 'acceptance.mjs'], says: 'accepted' },
}
