import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ISSUES } from './checklist/lines.ts'
import { SYSTEMS } from './checklist/map.ts'
import { pageOf } from './checklist/page.ts'
import { idsWithPlaces } from './scenarios/ids.ts'
import { root } from './source-tree.ts'

const PAGE = 'docs/internal/coverage.md'
const rows = idsWithPlaces()

/** What is wrong with a reference to a test, or nothing. */
function wrong(place: string): string | undefined {
  if (place.startsWith('#')) return place in ISSUES ? undefined : `there is no issue ${place}`
  const [file, words] = /^([\w./-]+\/[\w./-]+|[\w-]+\.md): (.+)$/.exec(place)?.slice(1) ?? []
  if (file === undefined || words === undefined) return rows.has(place) ? undefined : `there is no row ${place}`
  if (!existsSync(join(root, file))) return `there is no file ${file}`
  return readFileSync(join(root, file), 'utf8').includes(words) ? undefined : `${file} does not say "${words}"`
}

describe.each(SYSTEMS)('$name', ({ prefix, count, lines }) => {
  it('has every requirement once', () => {
    expect(Object.keys(lines)).toEqual(Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`))
  })

  it.each(Object.entries(lines))('%s is covered by the tests it lists', (_id, [what, ...places]) => {
    expect(what).not.toBe('')
    expect(places.length).toBeGreaterThan(0)
    expect(places.map(wrong).filter((each) => each !== undefined)).toEqual([])
  })
})

it('the generated page is up to date', () => {
  const path = join(root, PAGE)
  const page = pageOf(SYSTEMS, ISSUES, rows)
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, page)
  }
  expect(readFileSync(path, 'utf8')).toBe(page)
})
