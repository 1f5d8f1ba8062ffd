import { probability } from '../core/policy/confidence.ts'
import type { Calibration } from '../core/types.ts'
import type { Example } from './examples.ts'
import { fitIsotonic } from './isotonic.ts'
import { fitLogistic } from './logistic.ts'
import { fitPlatt, smoothed } from './platt.ts'

/** One way to learn from examples, and how many of them it takes before it is tried. */
export interface Fit {
  readonly name: 'platt' | 'traits' | 'isotonic'
  readonly about: string
  readonly least: number
  readonly learn: (examples: readonly Example[]) => Calibration
}

/** A weight of one standard deviation costs as much as one example that is told wrong. */
const L2 = 1

/** From the plainest on: a curve bends less than steps do, and needs fewer examples for it. */
export const FITS: readonly Fit[] = [
  { name: 'platt', about: 'a curve over the fixed score', least: 0, learn: platt },
  { name: 'traits', about: 'weights for the score and what else stood in the facts', least: 100, learn: traits },
  { name: 'isotonic', about: 'rising steps over the fixed score', least: 300, learn: isotonic },
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

/** What a calibration says of an example, 0 to 1. */
export const said = (calibration: Calibration, { traits: known, fixed }: Example): number =>
  probability(calibration, known) ?? fixed / 100
