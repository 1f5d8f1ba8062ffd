import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../source-tree.ts'
import { elsewhere } from './elsewhere.ts'
import { idsWithPlaces } from './ids.ts'
import { scenarios } from './index.ts'

const SYSTEMS: readonly (readonly [prefix: string, cases: number])[] = [
  ['cub-', 28],
  ['prp-', 52],
  ['doyaken-', 35],
  ['blackbox-', 33],
  ['gsd-', 46],
  ['ralph-A', 67],
  ['ralph-B', 63],
  ['ralph-C', 22],
]

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

const rows = Object.values(scenarios).flat()
const held = idsWithPlaces()

describe('every case of the older tools', () => {
  it.each(SYSTEMS)('%s1 to %i has a test', (prefix, cases) => {
    const ids = Array.from({ length: cases }, (_, i) => `${prefix}${i + 1}`)
    expect(ids.filter((id) => !held.has(id))).toEqual([])
  })

  it.each(Object.entries(elsewhere))('%s is covered where it says', (_id, [file, words]) => {
    expect(text(file)).toContain(words)
  })

  it('has a number that exists', () => {
    const known = new Set(SYSTEMS.flatMap(([prefix, n]) => Array.from({ length: n }, (_, i) => `${prefix}${i + 1}`)))
    const numbered = [...held.keys()].filter((id) => /\d$/.test(id))
    expect(numbered.filter((id) => !known.has(id))).toEqual([])
  })
})

describe('the rows', () => {
  it('have unique names', () => {
    const names = rows.map(({ id, name, preset }) => `${preset} ${id} ${name}`)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  it('have an expectation for every iteration', () => {
    expect(
      rows.filter(({ turns }) => turns.length === 0 || turns.some(([, [decision, rule]]) => !decision || !rule)),
    ).toEqual([])
  })
})
