import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Label } from '../../src/core/journal/events.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { type Example, examplesOf } from '../../src/learning/examples.ts'
import { labelsOf } from '../../src/learning/labels.ts'
import { foldsOf, learn, qualityOfShown } from '../../src/learning/learn.ts'
import { events, type MadeRun } from './made-runs.ts'

const done: MadeRun['turns'] = [{ tests: 'no' }, { claim: true, tests: 'yes', tree: 'b' }]
const open: MadeRun['turns'] = [{ claim: true, tests: 'no', tree: 'c' }]

describe('examples', () => {
  it('are the last decisions of labelled runs of default', () => {
    const all = events([
      { turns: done, label: 'good', task: 'T-1' },
      { turns: open, label: 'bad' },
      { turns: done },
      { turns: done, label: 'good', config: { preset: 'ralph' } },
    ])
    const examples = examplesOf(all, labelsOf(all), policyFor)
    expect(examples.map(({ run, group, label, fixed, shown }) => [run, group, label, fixed, shown])).toEqual([
      ['r1', 'task T-1', 'good', 100, 100],
      ['r2', 'run r2', 'bad', 65, 65],
    ])
    expect(examples[0]?.traits).toMatchObject({ score: 1, proven: 0, hedges: 0 })
  })
})

const example = (n: number, label: Label, fixed: number, group = `g${n}`): Example => ({
  run: `r${n}`,
  group,
  label,
  shown: fixed,
  fixed,
  traits: { score: fixed / 100, proven: label === 'good' && n % 5 > 0 ? 1 : 0 },
})

/** A number of runs of which every `every`th was bad, although all looked the same. */
const alike = (many: number, every: number): readonly Example[] =>
  Array.from({ length: many }, (_, n) => example(n, n % every === 0 ? 'bad' : 'good', 100))

describe('the lesson', () => {
  it.each<[string, readonly Example[], object, string | undefined]>([
    ['nothing without labels', [], { labels: 30, good: 5, bad: 5 }, undefined],
    ['nothing from too few', alike(20, 3), { labels: 10, good: 0, bad: 0 }, undefined],
    ['nothing from one kind alone', alike(40, 41), { labels: 0, good: 0, bad: 4 }, undefined],
    ['a curve from few', alike(40, 3), { labels: 0, good: 0, bad: 0 }, 'platt'],
    ['weights when they tell more', alike(120, 3), { labels: 0, good: 0, bad: 0 }, 'traits'],
  ])('%s', (_name, examples, missing, chosen) => {
    const lesson = learn(examples, 30)
    expect([lesson.missing, lesson.chosen]).toEqual([missing, chosen])
    expect(lesson.calibration === undefined).toBe(chosen === undefined)
  })

  it('tries isotonic steps only with hundreds of labels', () => {
    expect(learn(alike(299, 3), 30).tried.map(({ name }) => name)).toEqual(['platt', 'traits'])
    expect(learn(alike(300, 3), 30).tried.map(({ name }) => name)).toEqual(['platt', 'traits', 'isotonic'])
  })

  it('is empty if the fixed weights are already right', () => {
    const right = Array.from({ length: 40 }, (_, n) => example(n, n % 4 === 0 ? 'bad' : 'good', n % 4 === 0 ? 0 : 100))
    const lesson = learn(right, 30)
    expect([lesson.fixed?.brier, lesson.chosen, lesson.calibration]).toEqual([0, undefined, undefined])
    expect(lesson.tried[0]?.brier).toBeGreaterThan(0)
  })

  it('is used only if it predicts unseen runs better', () => {
    const any = fc.array(
      fc.record({ good: fc.boolean(), fixed: fc.integer({ min: 0, max: 100 }), group: fc.nat(40) }),
      {
        minLength: 30,
        maxLength: 60,
      },
    )
    fc.assert(
      fc.property(any, (rows) => {
        const examples = rows.map(({ good, fixed, group }, n) => example(n, good ? 'good' : 'bad', fixed, `g${group}`))
        const { fixed, tried, chosen, calibration, missing } = learn(examples, 30)
        const best = tried.find(({ name }) => name === chosen)
        if (calibration !== undefined) expect(best?.brier ?? 1).toBeLessThan(fixed?.brier ?? 0)
        if (missing.good + missing.bad > 0) expect(tried).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('measures the confidence as it was shown', () => {
    const { brier, error, bins } = qualityOfShown(alike(10, 2)) ?? {}
    expect([brier, error, bins]).toEqual([0.5, 0.5, [{ from: 0.9, to: 1, n: 10, said: 1, was: 0.5 }]])
    expect(qualityOfShown([])).toBe(undefined)
  })
})

describe('folds', () => {
  it('keep a group together, and every fold has some of the rarer label if there are enough', () => {
    const grouped = fc.array(
      fc.record({ group: fc.nat(30).map(String), label: fc.constantFrom<Label>('good', 'bad') }),
      { maxLength: 100 },
    )
    fc.assert(
      fc.property(grouped, (all) => {
        const folds = foldsOf(all, 5)
        for (const group of new Set(all.map((each) => each.group)))
          expect(new Set(folds.filter((_, at) => all[at]?.group === group)).size).toBe(1)
        const bad = all.filter(({ label }) => label === 'bad').length
        const rarer: Label = bad * 2 <= all.length ? 'bad' : 'good'
        const rare = all.map(({ label, group }, at) => ({ rare: label === rarer, group, fold: folds[at] }))
        const groups = new Set(rare.filter((each) => each.rare).map((each) => each.group)).size
        const covered = new Set(rare.filter((each) => each.rare).map((each) => each.fold)).size
        expect(covered).toBe(Math.min(5, groups))
      }),
    )
  })
})
