import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, parse } from '../src/duration.js'

test('parse reads hours, minutes and seconds', () => {
  assert.equal(parse('1h 30m 5s'), 5405)
  assert.equal(parse('45s'), 45)
})

test('parse refuses what is not a duration', () => {
  for (const text of ['', 'soon', '5x', '1h1h']) assert.throws(() => parse(text), RangeError)
})

test('format writes the shortest form', () => {
  assert.equal(format(5400), '1h 30m')
  assert.equal(format(59), '59s')
  assert.equal(format(0), '0s')
})
