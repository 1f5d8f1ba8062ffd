import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brierScore, calibrationError, type Forecast, mean, reliability, sum } from '../../src/learning/brier.ts'
import { fitIsotonic, fitPlatt, smoothed } from '../../src/learning/fits.ts'
import { fitLogistic, sigmoid, solve } from '../../src/learning/logistic.ts'

// Forty generated cases; another library computed the figures below for them.
const many = Array.from({ length: 40 }, (_, i) => i)
const xs = many.map((i) => ((i * 37) % 101) / 100)
const ys = many.map((i): number => (((i * 37) % 101) + ((i * 53) % 41) > 70 ? 1 : 0))
const zs = many.map((i) => ((i * 29) % 17) / 4)
const forecasts = xs.map((p, i): Forecast => ({ p, y: ys[i] ?? 0 }))

describe('figures of forty known cases', () => {
  it.each<[string, number | undefined, number]>([
    ['Brier', brierScore(forecasts), 0.09045],
    ['calibration error', calibrationError(forecasts), 0.1645],
    ['Platt, weight', fitPlatt(xs, ys).weights[0], 9.85970002],
    ['Platt, bias', fitPlatt(xs, ys).bias, -4.87264703],
    ...two('ridge 1', ys, 1, [8.65959713, -0.55629249, -3.16181599]),
    ...two('ridge 0.1, smoothed', smoothed(ys), 0.1, [10.64843042, -0.75561821, -3.73062109]),
  ])('%s', (_name, found, expected) => {
    expect(found).toBeCloseTo(expected, 6)
  })

  it('has the steps of an isotonic fit', () => {
    const steps = fitIsotonic(xs.map((x, i) => ({ x, y: ys[i] ?? 0 })))
    expect(steps.map(({ from, to, y }) => [from, to, y])).toEqual([
      [0, 0.4, 0],
      [0.43, 0.5, 0.5],
      [0.53, 0.57, 2 / 3],
      [0.6, 1, 1],
    ])
  })
})

function two(name: string, targets: readonly number[], l2: number, expected: readonly [number, number, number]) {
  const { weights, bias } = fitLogistic(
    xs.map((x, i) => [x, zs[i] ?? 0]),
    targets,
    { l2 },
  )
  const found = [weights[0], weights[1], bias]
  return expected.map((value, at): [string, number | undefined, number] => [
    `${name}, ${['first weight', 'second weight', 'bias'][at]}`,
    found[at],
    value,
  ])
}

const label = fc.constantFrom(0, 1)
const share = fc.double({ min: 0, max: 1, noNaN: true })
// Scores are whole numbers; smaller differences mean nothing to a fit.
const grid = fc.nat(1000).map((n) => n / 1000)
const cases = fc.array(fc.record({ x: grid, y: label }), { minLength: 1, maxLength: 60 })

describe('Brier score', () => {
  it('is undefined without forecasts', () => {
    expect([brierScore([]), calibrationError([]), reliability([])]).toEqual([undefined, undefined, []])
  })

  it('is reliability minus resolution plus uncertainty, if each bin has one forecast value', () => {
    const tenths = fc.array(fc.record({ p: fc.nat(9).map((n) => (n + 0.5) / 10), y: label }), { minLength: 1 })
    fc.assert(
      fc.property(tenths, (said) => {
        const base = mean(said.map(({ y }) => y))
        const bins = reliability(said)
        const off = sum(bins.map(({ n, said: p, was }) => n * (p - was) ** 2)) / said.length
        const resolved = sum(bins.map(({ n, was }) => n * (was - base) ** 2)) / said.length
        expect(brierScore(said)).toBeCloseTo(off - resolved + base * (1 - base), 10)
      }),
    )
  })

  it('puts every forecast into one bin, between its bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ p: share, y: label })), (said) => {
        const bins = reliability(said)
        expect(sum(bins.map(({ n }) => n))).toBe(said.length)
        for (const { from, to, said: p } of bins) expect(p >= from - 1e-12 && p <= to + 1e-12).toBe(true)
      }),
    )
  })
})

describe('isotonic fit', () => {
  it('rises, keeps the mean, and reproduces its own steps', () => {
    fc.assert(
      fc.property(cases, (points) => {
        const steps = fitIsotonic(points)
        for (const [at, step] of steps.entries()) {
          const before = steps[at - 1]
          if (before !== undefined) expect(step.y > before.y && step.from > before.to).toBe(true)
        }
        expect(sum(steps.map(({ n, y }) => n * y))).toBeCloseTo(sum(points.map(({ y }) => y)), 8)
        const again = fitIsotonic(steps.flatMap(({ from, y, n }) => Array.from({ length: n }, () => ({ x: from, y }))))
        expect(again.map(({ n }) => n)).toEqual(steps.map(({ n }) => n))
        for (const [at, { y }] of again.entries()) expect(y).toBeCloseTo(steps[at]?.y ?? Number.NaN, 10)
      }),
    )
  })

  it('is never farther from its own cases than the base rate', () => {
    fc.assert(
      fc.property(cases, (points) => {
        const steps = fitIsotonic(points)
        const at = (x: number) => steps.find(({ from, to }) => x >= from && x <= to)?.y ?? Number.NaN
        const base = mean(points.map(({ y }) => y))
        const fitted = brierScore(points.map(({ x, y }) => ({ p: at(x), y }))) ?? Number.NaN
        expect(fitted).toBeLessThanOrEqual((brierScore(points.map(({ y }) => ({ p: base, y }))) ?? 0) + 1e-12)
      }),
    )
  })
})

describe('logistic fit', () => {
  it('gives the smoothed base rate for a constant score', () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 50 }), share, (labels, score) => {
        const { weights, bias } = fitPlatt(
          labels.map(() => score),
          labels,
        )
        expect(weights).toEqual([0])
        expect(sigmoid(bias)).toBeCloseTo(mean(smoothed(labels)), 8)
      }),
    )
  })

  it('stays finite if the score separates good and bad perfectly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (good, bad) => {
        const labels = [...Array<number>(good).fill(1), ...Array<number>(bad).fill(0)]
        const { weights, bias } = fitPlatt(labels, labels)
        expect(sigmoid((weights[0] ?? 0) + bias)).toBeCloseTo((good + 1) / (good + 2), 5)
        expect(sigmoid(bias)).toBeCloseTo(1 / (bad + 2), 5)
      }),
    )
  })

  it('does not depend on the unit of a column', () => {
    fc.assert(
      fc.property(cases, fc.double({ min: 0.001, max: 1000, noNaN: true }), (points, unit) => {
        const fitted = (by: number) =>
          fitLogistic(
            points.map(({ x }) => [x * by]),
            smoothed(points.map(({ y }) => y)),
            { l2: 1 },
          )
        const [one, other] = [fitted(1), fitted(unit)]
        for (const { x } of points) {
          const p = sigmoid((one.weights[0] ?? 0) * x + one.bias)
          expect(sigmoid((other.weights[0] ?? 0) * x * unit + other.bias)).toBeCloseTo(p, 5)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('solve', () => {
  it('solves what was multiplied', () => {
    const square = fc.array(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 4, maxLength: 4 }), {
      minLength: 4,
      maxLength: 4,
    })
    fc.assert(
      fc.property(square, fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 }), (a, x) => {
        // A matrix times its transpose, plus a little on the diagonal, is symmetric and positive definite.
        const matrix = a.map((row, i) =>
          a.map((other, j) => sum(row.map((v, k) => v * (other[k] ?? 0))) + (i === j ? 1 : 0)),
        )
        const right = matrix.map((row) => sum(row.map((v, k) => v * (x[k] ?? 0))))
        for (const [i, found] of solve(matrix, right).entries()) expect(found).toBeCloseTo(x[i] ?? 0, 6)
      }),
    )
  })
})
