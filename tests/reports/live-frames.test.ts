import { describe, expect, it } from 'vitest'
import { frame } from '../../src/reports/live/frame.ts'
import type { FrameOptions } from '../../src/reports/live/layout.ts'
import { emptyView, follow } from '../../src/reports/live/view.ts'
import { expectGolden, goldenCases } from '../evidence/golden-files.ts'
import { SCENES } from './live-scenes.ts'

function draw(name: string, options: Pick<FrameOptions, 'columns' | 'rows'> & Partial<FrameOptions>): string {
  const { events, now } = SCENES[name]!()
  const view = events.reduce((seen, event) => follow(seen, event), emptyView())
  const lines = frame(view, { color: false, unicode: true, now, ...options })
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

const SIZES = [
  [80, 24],
  [120, 40],
  [40, 12],
] as const
const OTHERS: [scene: string, options: Parameters<typeof draw>[1]][] = [
  ['refused', { columns: 200, rows: 60 }],
  ['refused', { columns: 40, rows: 10 }],
  ['refused', { columns: 24, rows: 5 }],
  ['refused', { columns: 9, rows: 2 }],
  ['refused', { columns: 80, rows: 24, color: true }],
  ['refused', { columns: 80, rows: 24, unicode: false }],
  ['phases', { columns: 100, rows: 30, color: true }],
]
const rows = [
  ...Object.keys(SCENES).flatMap((scene) => SIZES.map(([columns, rows]) => [scene, { columns, rows }] as const)),
  ...OTHERS,
].map(([scene, options]) => {
  const extra = `${'color' in options ? '-color' : ''}${'unicode' in options ? '-ascii' : ''}`
  return { name: `${scene}-${options.columns}x${options.rows}${extra}`, scene, options }
})

describe('frames', () => {
  it.each(rows)('$name', ({ name, scene, options }) => expectGolden(`live/${name}.txt`, draw(scene, options)))

  it('have no unused golden files', () => {
    expect(goldenCases('live', '.txt')).toEqual(rows.map(({ name }) => name).sort())
  })
})

describe('a window without a size', () => {
  it.each([
    [0, 24],
    [80, 0],
    [-1, -1],
    [Number.NaN, 24],
  ])('%s x %s shows nothing', (columns, height) => {
    expect(frame(emptyView(), { columns, rows: height, color: false, unicode: true, now: 0 })).toEqual([])
  })
})
