import { describe, expect, it } from 'vitest'
import { completionConfidence, fixedConfidence, probability, traitsOf } from '../../src/core/policy/confidence.ts'
import { finding } from '../../src/core/policy/finding.ts'
import { languageConfidence, measureAll } from '../../src/core/policy/measures.ts'
import type { Answer, Calibration, Facts } from '../../src/core/types.ts'

const seen = (check: string, more: object = {}) => ({ check, answer: 'yes', detail: '', ms: 0, tree: '', ...more })
const facts = (more: object = {}, signals: object = {}): Facts =>
  ({
    signals: { phrases: [], vetoes: [], length: 1, ...signals },
    evidence: {},
    iteration: 0,
    breaker: { gateBlocked: 0 },
    ...more,
  }) as unknown as Facts

describe('the fixed confidence', () => {
  const rows: readonly [
    string,
    claim: Answer,
    vetoes: readonly string[],
    parts: readonly Answer[] | undefined,
    number,
  ][] = [
    ['neither claim nor proof', 'no', [], undefined, 0],
    ['a claim alone', 'yes', [], [], 30],
    ['a claim with an explicit "not done"', 'yes', ['left'], ['yes'], 70],
    ['proof alone', 'unknown', [], ['yes', 'yes'], 70],
    ['half of the proof', 'no', [], ['yes', 'no', 'yes', 'unknown'], 35],
    ['both', 'yes', [], ['yes'], 100],
  ]
  it.each(rows)('%s', (_name, claim, vetoes, parts, value) => {
    const proof = finding(
      'proof',
      'no',
      '',
      parts?.map((answer) => finding('part', answer, '')),
    )
    const measure = fixedConfidence(
      () => finding('claim', claim, ''),
      () => proof,
    )
    expect(measure(facts({}, { vetoes }))).toBe(value)
  })
})

describe('the traits', () => {
  const none = {
    score: 0.5,
    proven: 0,
    review: 0,
    flakes: 0,
    'tests.excused': 0,
    'tests.fixed': 0,
    'tests.added': 0,
    files: 0,
    iterations: 0,
    'gate.blocked': 0,
    hedges: 0,
    certain: 0,
  }
  const tests = (total: number) => ({ tests: seen('tests', { counts: { total } }) })
  const rows: readonly [string, Facts, object][] = [
    ['of nothing', facts(), {}],
    [
      'proofs',
      facts({ evidence: { proven: seen('proven'), review: seen('review', { answer: 'no' }) } }),
      { proven: 1, review: -1 },
    ],
    ['a review without an answer', facts({ evidence: { review: seen('review', { answer: 'unknown' }) } }), {}],
    ['flaky tests', facts({ evidence: { flakes: seen('flakes') } }), { flakes: 1 }],
    [
      'accepted and fixed tests',
      facts({ evidence: { tests: seen('tests', { counts: { excused: 1, fixed: 2 } }) } }),
      { 'tests.excused': 1, 'tests.fixed': 1 },
    ],
    ['none of them', facts({ evidence: { tests: seen('tests', { counts: { excused: 0, fixed: 0 } }) } }), {}],
    ['more tests than before', facts({ evidence: tests(3), baseline: tests(2) }), { 'tests.added': 1 }],
    ['as many tests', facts({ evidence: tests(2), baseline: tests(2) }), {}],
    ['tests without a baseline', facts({ evidence: tests(2) }), {}],
    ['only tests of the baseline', facts({ baseline: tests(2) }), {}],
    ['many files', facts({ evidence: { changed: seen('changed', { counts: { files: 100 } }) } }), { files: 1 }],
    ['more than many', facts({ evidence: { changed: seen('changed', { counts: { files: 1e6 } }) } }), { files: 1 }],
    ['a negative number', facts({ evidence: { changed: seen('changed', { counts: { files: -5 } }) } }), {}],
    ['fifty iterations', facts({ iteration: 50 }), { iterations: 1 }],
    ['blocked five times', facts({ breaker: { gateBlocked: 5 } }), { 'gate.blocked': 0.5 }],
    ['blocked often', facts({ breaker: { gateBlocked: 50 } }), { 'gate.blocked': 1 }],
    [
      'words',
      facts({}, { phrases: ['hedge:maybe', 'certain:sure', 'certain:tested', 'other:x'] }),
      { hedges: 0.2, certain: 0.4 },
    ],
    ['many words', facts({}, { phrases: Array.from({ length: 9 }, (_, n) => `hedge:${n}`) }), { hedges: 1 }],
  ]
  it.each(rows)('%s', (_name, given, expected) => expect(traitsOf(given, 50)).toEqual({ ...none, ...expected }))

  it('a few files count more than the same number later', () => {
    const files = (n: number) =>
      traitsOf(facts({ evidence: { changed: seen('changed', { counts: { files: n } }) } }), 0).files!
    expect(files(9)).toBeCloseTo(Math.log(10) / Math.log(101), 9)
  })
})

describe('the probability', () => {
  const logistic = (bias: number, weights: Record<string, number> = {}): Calibration => ({
    ...{ kind: 'logistic', labels: 9, bias, weights },
  })
  const isotonic = (scores: readonly number[], shares: readonly number[]): Calibration => ({
    ...{ kind: 'isotonic', labels: 9, scores, shares },
  })
  const steps = isotonic([0.2, 0.4, 0.8], [0.1, 0.5, 0.9])
  const rows: readonly [string, Calibration, Record<string, number>, number | undefined][] = [
    ['even', logistic(0), {}, 0.5],
    ['a weight', logistic(1, { score: -2 }), { score: 0.5 }, 0.5],
    ['a positive weight', logistic(0, { score: 2 }), { score: 1 }, 1 / (1 + Math.exp(-2))],
    ['an unknown trait', logistic(0, { moon: 1 }), { score: 1 }, undefined],
    ['a trait named like a method', logistic(0, { toString: 1 }), {}, undefined],
    ['no number', logistic(Number.NaN), {}, undefined],
    ['below the steps', steps, { score: 0.1 }, 0.1],
    ['on the first step', steps, { score: 0.2 }, 0.1],
    ['on a step', steps, { score: 0.4 }, 0.5],
    ['between two steps', steps, { score: 0.5 }, 0.6],
    ['above the steps', steps, { score: 0.9 }, 0.9],
    ['no score', steps, {}, undefined],
    ['no steps', isotonic([], []), { score: 1 }, undefined],
    ['steps without shares', isotonic([0.1, 0.2], [0.5]), { score: 0.15 }, undefined],
    ['below 0', isotonic([0], [-0.1]), { score: 0 }, undefined],
    ['above 1', isotonic([0], [1.1]), { score: 0 }, undefined],
    ['0', isotonic([0], [0]), { score: 0 }, 0],
    ['1', isotonic([0], [1]), { score: 0 }, 1],
  ]
  it.each(rows)('%s', (_name, calibration, traits, p) => {
    const found = probability(calibration, traits)
    if (p === undefined) expect(found).toBeUndefined()
    else expect(found).toBeCloseTo(p, 9)
  })

  const calibrated: readonly [string, Calibration | undefined, number | undefined, number | undefined][] = [
    ['no calibration', undefined, 40, 40],
    ['no score', logistic(0), undefined, undefined],
    ['a calibration', logistic(0), 40, 50],
    ['a calibration of another release', logistic(0, { moon: 1 }), 40, 40],
  ]
  it.each(calibrated)('as confidence: %s', (_name, calibration, score, value) => {
    expect(completionConfidence(() => score, calibration)(facts())).toBe(value)
  })
})

describe('confident language', () => {
  const rows: readonly [phrases: readonly string[], length: number, value: number | undefined][] = [
    [[], 0, undefined],
    [[], 1, 50],
    [['hedge:a'], 1, 40],
    [['certain:a', 'certain:b'], 1, 70],
    [['sure:a'], 1, 100],
    [['sure:a', ...Array.from({ length: 5 }, (_, n) => `hedge:${n}`)], 1, 90],
    [['sure:a', 'unsure:a'], 1, 50],
    [['likely:a'], 1, 60],
    [['likely:a', ...Array.from({ length: 5 }, (_, n) => `hedge:${n}`), 'certain:a'], 1, 60],
  ]
  it.each(rows)('%j of %i characters: %s', (phrases, length, value) => {
    expect(languageConfidence(facts({}, { phrases, length }))).toBe(value)
  })

  it('values that are not numbers are left out', () => {
    expect(measureAll({ a: () => 1, b: () => undefined, c: () => Number.NaN }, facts())).toEqual({ a: 1 })
  })
})
