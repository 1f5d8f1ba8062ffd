import { describe, expect, it } from 'vitest'
import { count, listOf } from '../../packages/core/src/count.ts'

describe('count', () => {
  it.each([
    [0, 'test', '0 tests'],
    [1, 'test', '1 test'],
    [2, 'test', '2 tests'],
    [1, 'more entry', '1 more entry'],
    [2, 'more entry', '2 more entries'],
    [2, 'day', '2 days'],
    [2, 'box', '2 boxes'],
    [3, 'branch', '3 branches'],
  ])('%i %s: %s', (n, noun, text) => {
    expect(count(n, noun)).toBe(text)
  })

  it('accepts an irregular plural', () => {
    expect(count(1, 'test fails', 'tests fail')).toBe('1 test fails')
    expect(count(2, 'test fails', 'tests fail')).toBe('2 tests fail')
  })
})

describe('listOf', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
  ])('%j: %s', (names, text) => {
    expect(listOf(names)).toBe(text)
  })
})
