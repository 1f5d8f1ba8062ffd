import { probability } from '../core/policy/confidence.ts'
import type { Calibration } from '../core/types.ts'
import { sum } from './brier.ts'
import type { Example } from './examples.ts'
import { fitLogistic, type Logistic } from './logistic.ts'

/** A way to learn from examples, and how many it needs. */
export interface Fit {
  readonly name: 'platt' | 'traits' | 'isotonic'
  readonly about: string
  readonly minimum: number
  readonly learn: (examples: readonly Example[]) => Calibration
}

/** A weight of one standard deviation costs as much as one wrong example. */
const L2 = 1

/** Simplest first: a curve has fewer parameters than steps and needs fewer examples. */
export const FITS: readonly Fit[] = [
  { name: 'platt', about: 'a curve over the fixed score', minimum: 0, learn: platt },
  { name: 'traits', about: 'weights for the score and other facts', minimum: 100, learn: traits },
  { name: 'isotonic', about: 'rising steps over the fixed score', minimum: 300, learn: isotonic },
]

const labelsOf = (examples: readonly Example[]): readonly number[] =>
  examples.map(({ label }): number => (label === 'good' ? 1 : 0))

function platt(examples: readonly Example[]): Calibration {
  const { weights, bias } = fitPlatt(
    examples.map(({ fixed }) => fixed / 100),
    labelsOf(examples),
  )
  return { kind: 'logistic', labels: examples.length, bias, weights: { score: weights[0] ?? 0 } }
}

function traits(examples: readonly Example[]): Calibration {
  const names = Object.keys(examples[0]?.traits ?? {})
  const rows = examples.map((example) => names.map((name) => example.traits[name] ?? 0))
  const { weights, bias } = fitLogistic(rows, smoothed(labelsOf(examples)), { l2: L2 })
  const named = names.map((name, at) => [name, weights[at] ?? 0] as const).filter(([, weight]) => weight !== 0)
  return { kind: 'logistic', labels: examples.length, bias, weights: Object.fromEntries(named) }
}

function isotonic(examples: readonly Example[]): Calibration {
  const labels = labelsOf(examples)
  const steps = fitIsotonic(examples.map(({ fixed }, at) => ({ x: fixed / 100, y: labels[at] ?? 0 })))
  const ends = steps.flatMap(({ from, to, y }) =>
    from === to ? [[from, y] as const] : [[from, y] as const, [to, y] as const],
  )
  return {
    kind: 'isotonic',
    labels: examples.length,
    scores: ends.map(([score]) => score),
    shares: ends.map(([, share]) => share),
  }
}

/** The probability a calibration gives an example, 0 to 1. */
export const predictedProbability = (calibration: Calibration, { traits: known, fixed }: Example): number =>
  probability(calibration, known) ?? fixed / 100

/** A logistic curve over one score. Platt's targets keep it finite if the score separates good and bad perfectly. */
export function fitPlatt(scores: readonly number[], labels: readonly number[]): Logistic {
  return fitLogistic(
    scores.map((score) => [score]),
    smoothed(labels),
    { l2: 0 },
  )
}

/** Adds one imaginary example of each kind, so that the result is never exactly 0 or 1. */
export function smoothed(labels: readonly number[]): readonly number[] {
  const good = labels.filter((label) => label === 1).length
  const bad = labels.length - good
  return labels.map((label) => (label === 1 ? (good + 1) / (good + 2) : 1 / (bad + 2)))
}

/** A score, and whether the work was good (1) or bad (0). */
interface Point {
  readonly x: number
  readonly y: number
}

/** A range of scores with the same probability. */
interface Step {
  readonly from: number
  readonly to: number
  readonly y: number
  readonly n: number
}

/** Pool adjacent violators: the best-fitting rising steps. */
export function fitIsotonic(points: readonly Point[]): readonly Step[] {
  const steps: Step[] = []
  for (const step of byScore(points)) {
    let pooled = step
    for (let last = steps.at(-1); last !== undefined && last.y >= pooled.y; last = steps.at(-1)) {
      pooled = pool(last, pooled)
      steps.pop()
    }
    steps.push(pooled)
  }
  return steps
}

/** One step per score, because points with the same score can't be separated. */
function byScore(points: readonly Point[]): readonly Step[] {
  const ys = new Map<number, number[]>()
  for (const { x, y } of points) ys.set(x, [...(ys.get(x) ?? []), y])
  return [...ys]
    .sort(([a], [b]) => a - b)
    .map(([x, all]) => ({ from: x, to: x, y: sum(all) / all.length, n: all.length }))
}

function pool(a: Step, b: Step): Step {
  const n = a.n + b.n
  return { from: a.from, to: b.to, y: (a.y * a.n + b.y * b.n) / n, n }
}
