import { fitLogistic, type Logistic } from './logistic.ts'

/** A curve through one score. With Platt's targets it stays finite where the score tells good and bad apart without fault. */
export function fitPlatt(scores: readonly number[], labels: readonly number[]): Logistic {
  return fitLogistic(
    scores.map((score) => [score]),
    smoothed(labels),
    { l2: 0 },
  )
}

/** Nobody has seen enough to say "always": one imaginary case more of each kind. */
export function smoothed(labels: readonly number[]): readonly number[] {
  const good = labels.filter((label) => label === 1).length
  const bad = labels.length - good
  return labels.map((label) => (label === 1 ? (good + 1) / (good + 2) : 1 / (bad + 2)))
}
