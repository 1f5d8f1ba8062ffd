import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { earlierBudgets, linesIn, raised, readBudget, sourceLines } from '../scripts/budget.mjs'
import { root } from './source-tree.ts'

const budget = readBudget(root)
const files = sourceLines(root)

describe('the budget', () => {
  it.each(Object.entries(budget))('%s has at most %i lines', (folder, lines) => {
    expect(linesIn(folder, files)).toBeLessThanOrEqual(lines)
  })

  it('has a row for every folder of src', () => {
    const rows = Object.keys(budget)
    const homeless = [...files.keys()].filter((path) => !rows.some((row) => linesIn(row, new Map([[path, 1]])) > 0))
    expect(homeless).toEqual([])
  })

  it('is never raised', () => {
    expect(raised(budget, earlierBudgets(root))).toEqual([])
  })

  it('counts lines as biome formats them, 120 characters wide', () => {
    expect(JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')).formatter.lineWidth).toBe(120)
  })
})

describe('what counts', () => {
  const tree = new Map(Object.entries({ 'src/index.ts': 3, 'src/a/b.ts': 5, 'src/a/c/d.css': 7, 'src/ab/e.ts': 11 }))
  it.each([
    ['src/', 3],
    ['src/a', 12],
    ['src/ab', 11],
    ['packages/core', 0],
  ])('in %s: %i lines', (folder, lines) => {
    expect(linesIn(folder, tree)).toBe(lines)
  })

  it.each([
    ['the same', { a: 5 }, { a: 5 }, []],
    ['lower', { a: 4 }, { a: 5 }, []],
    ['gone', {}, { a: 5 }, []],
    ['higher', { a: 6 }, { a: 5 }, ['a: 5 -> 6']],
    ['a new folder', { a: 5, b: 1 }, { a: 5 }, ['b: no room -> 1']],
  ])('as raised: %s', (_, now, before, expected) => {
    expect(raised(now, [before])).toEqual(expected)
  })
})
