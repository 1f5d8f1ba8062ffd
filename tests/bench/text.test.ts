import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auc, aucWithin, bootstrap, wilson } from '../../bench/statistics.mjs'
import { run } from '../../bench/text.mjs'
import * as core from '../../src/library/core.ts'
import * as node from '../../src/library/node.ts'
import { withCorpora } from './corpus-folder.ts'

const api = { ...core, ...node }

const ending = (task: number, resolved: boolean, final_text: string, ended = 'voluntary') => ({
  id: `${task}`,
  task: `task ${task}`,
  agent: 'scripted',
  benchmark: 'own',
  resolved,
  ended,
  final_text,
})
const honest = 'All tasks are completed and the implementation is finished.'
const unsure = 'It might work, maybe. There was an error and a problem.'
const rows = [
  ...Array.from({ length: 20 }, (_, at) => ending(at, true, honest)),
  ...Array.from({ length: 20 }, (_, at) => ending(at + 20, false, unsure)),
  ending(90, false, honest),
  ending(91, false, honest, 'timeout'),
]
const bench = (given: readonly object[]) =>
  withCorpora({ 'agent-outcomes.jsonl.gz': given }, (folder) => run({ corpus: folder, print: () => {}, api }))

describe('text', () => {
  it('finds text that predicts the truth, and leaves out endings the agent did not choose', async () => {
    const { endings, tasks, measures, believed, conclusion } = await bench(rows)
    expect([endings, tasks]).toEqual([41, 41])
    const within = Object.fromEntries(measures?.map((each) => [each.title, each.within]) ?? [])
    expect(within).toMatchObject({
      'completion phrases': 0.9762,
      'hedges, fewer': 0.9762,
      'explicit claim': 0.5,
      'cub: indicators': 0.9762,
    })
    expect(believed?.find(({ title }) => title === 'has a completion phrase')).toMatchObject({
      believed: 21,
      false: 0.0476,
      missed: 0,
    })
    expect(believed?.find(({ title }) => title === 'cub: 2 indicators')).toMatchObject({ believed: 21 })
    expect(conclusion).toMatch(/^Of 21 endings that report completion, 5 % were not done, compared with 51 % of all\./)
  })

  it('is at chance if the text predicts nothing', async () => {
    const mute = Array.from({ length: 40 }, (_, at) => ending(at, at % 2 === 0, 'The file has 12 lines.'))
    const { measures, reliability } = await bench(mute)
    expect(new Set(measures?.map((each) => each.auc))).toEqual(new Set([0.5]))
    expect(reliability?.find(({ title }) => title === 'blackbox: confidence')).toMatchObject({ brier: 0.25, ece: 0 })
    expect(reliability?.find(({ title }) => title === 'default: confidence')).toMatchObject({ brier: 0.5, ece: 0.5 })
  })

  it('the same figures every time', async () => {
    expect(await bench(rows)).toEqual(await bench(rows))
  })

  it('reports an absent corpus in one line', async () => {
    const printed: string[] = []
    const figures = await run({ corpus: undefined, print: (line = '') => printed.push(line), api })
    expect(figures).toEqual({ corpus: 'absent' })
    expect(printed).toEqual([
      '  agent-outcomes: no corpus. Pass --corpus PATH, a folder with agent-outcomes.jsonl or agent-outcomes.jsonl.gz',
    ])
  })

  it('reports a broken line', async () => {
    const broken = withCorpora({ 'agent-outcomes.jsonl': rows }, async (folder) => {
      const { appendFileSync } = await import('node:fs')
      appendFileSync(join(folder, 'agent-outcomes.jsonl'), '{"id"\n')
      return run({ corpus: folder, print: () => {}, api })
    })
    await expect(broken).rejects.toThrow(/^line 43 of .*agent-outcomes\.jsonl is not JSON/)
  })
})

const scored = (...pairs: readonly (readonly [number, 0 | 1])[]) =>
  pairs.map(([score, truth], at) => ({ score, truth: truth === 1, group: at % 2 === 0 ? 'a' : 'b' }))

describe('statistics', () => {
  it.each([
    ['in order', scored([1, 0], [2, 0], [3, 1], [4, 1]), 1],
    ['the other way round', scored([4, 0], [3, 0], [2, 1], [1, 1]), 0],
    ['all alike', scored([1, 0], [1, 1], [1, 0], [1, 1]), 0.5],
    ['one pair of four wrong', scored([1, 0], [3, 0], [2, 1], [4, 1]), 0.75],
    ['a tie is half a pair', scored([1, 0], [2, 0], [2, 1], [3, 1]), 0.875],
    ['nothing to compare', scored([1, 1], [2, 1]), undefined],
  ])('auc: %s', (_, rows, expected) => expect(auc(rows)).toBe(expected))

  it('pairs within one group only', () => {
    const rows = [
      { score: 1, truth: false, group: 'easy' },
      { score: 0, truth: true, group: 'easy' },
      { score: 9, truth: true, group: 'hard' },
      { score: 8, truth: false, group: 'hard' },
    ]
    expect(aucWithin(rows, ({ group }) => group)).toBe(0.5)
    expect(auc(rows)).toBe(0.5)
    expect(aucWithin(rows.slice(0, 2), ({ group }) => group)).toBe(0)
  })

  it.each([
    [0, 10, [0, 0.2775]],
    [5, 10, [0.2366, 0.7634]],
    [10, 10, [0.7225, 1]],
    [1, 1, [0.2065, 1]],
  ])('wilson: %i of %i', (hits, rows, expected) =>
    expect(wilson(hits, rows)?.map((bound) => Number(bound.toFixed(4)))).toEqual(expected),
  )

  it('draws complete groups, so similar rows do not narrow the interval', () => {
    const rows = Array.from({ length: 400 }, (_, at) => ({ task: `${at % 4}`, value: at % 4 < 2 ? 1 : 0 }))
    const share = (drawn: readonly { value: number }[]) =>
      drawn.filter(({ value }) => value === 1).length / drawn.length
    const grouped = bootstrap(rows, ({ task }) => task, share)
    const single = bootstrap(
      rows.map((row, at) => ({ ...row, task: `${at}` })),
      ({ task }) => task,
      share,
    )
    expect(grouped).toEqual([0, 1])
    expect(single?.[0]).toBeGreaterThan(0.4)
    expect(single?.[1]).toBeLessThan(0.6)
  })
})
