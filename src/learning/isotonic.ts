import { sum } from './brier.ts'

/** A score and whether the work was good (1) or not (0). */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Scores that get one and the same probability. */
export interface Step {
  readonly from: number
  readonly to: number
  readonly y: number
  readonly n: number
}

/** Pool adjacent violators: the rising steps that lie nearest to the points. */
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

/** One step for each score: points that share one cannot be told apart. */
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
