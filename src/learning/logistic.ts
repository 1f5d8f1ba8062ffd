import { mean, sum } from './brier.ts'

/** A bias and a weight per column, in the columns' own units. */
export interface Logistic {
  readonly bias: number
  readonly weights: readonly number[]
}

export interface LogisticOptions {
  /** The penalty of a weight of one standard deviation; the bias has none. */
  readonly l2: number
}

const MAX_ROUNDS = 100
const TOLERANCE = 1e-10
/** Keeps the system solvable where there is no data. */
const RIDGE = 1e-10

/**
 * Logistic regression by Newton's method; a step that would increase the loss is halved. Targets may be between 0 and 1. Columns
 * are standardised first, so that the penalty doesn't depend on their unit. A constant column gets no weight.
 */
export function fitLogistic(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  { l2 }: LogisticOptions,
): Logistic {
  const scales = columnsOf(rows).map(scaleOf)
  const scaled = rows.map((row) => row.map((value, at) => onScale(value, scales[at])))
  const width = scales.length
  // The bias comes last and has no penalty.
  let now: readonly number[] = new Array<number>(width + 1).fill(0)
  let loss = lossOf(scaled, targets, now, l2)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { gradient, hessian } = slopesOf(scaled, targets, now, l2)
    if (Math.max(...gradient.map(Math.abs)) < TOLERANCE) break
    const step = solve(hessian, gradient)
    let share = 1
    let next = moved(now, step, share)
    let worse = lossOf(scaled, targets, next, l2)
    while (!(worse <= loss) && share > TOLERANCE) {
      share /= 2
      next = moved(now, step, share)
      worse = lossOf(scaled, targets, next, l2)
    }
    if (!(worse <= loss)) break
    now = next
    loss = worse
  }
  const weights = scales.map(({ deviation }, at) => (deviation === 0 ? 0 : (now[at] ?? 0) / deviation))
  return { weights, bias: (now[width] ?? 0) - sum(scales.map((scale, at) => scale.middle * (weights[at] ?? 0))) }
}

export const sigmoid = (z: number): number => (z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z)))

interface Scale {
  readonly middle: number
  readonly deviation: number
}

const columnsOf = (rows: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? 0))

function scaleOf(column: readonly number[]): Scale {
  const middle = mean(column)
  const deviation = Math.sqrt(mean(column.map((value) => (value - middle) ** 2)))
  return { middle, deviation: deviation < 1e-12 ? 0 : deviation }
}

const onScale = (value: number, scale: Scale | undefined): number =>
  scale === undefined || scale.deviation === 0 ? 0 : (value - scale.middle) / scale.deviation

const score = (row: readonly number[], at: readonly number[]): number =>
  row.reduce((scores, value, i) => scores + value * (at[i] ?? 0), at[row.length] ?? 0)

function lossOf(rows: readonly (readonly number[])[], targets: readonly number[], at: readonly number[], l2: number) {
  const each = rows.map((row, i) => {
    const z = score(row, at)
    return softplus(z) - (targets[i] ?? 0) * z
  })
  return sum(each) + (l2 / 2) * sum(at.slice(0, -1).map((weight) => weight ** 2))
}

/** log(1 + e^z) without overflow. */
const softplus = (z: number): number => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)))

function slopesOf(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  at: readonly number[],
  l2: number,
): { readonly gradient: readonly number[]; readonly hessian: readonly (readonly number[])[] } {
  const width = at.length
  const gradient = at.map((weight, i) => (i < width - 1 ? l2 * weight : 0))
  const hessian = at.map((_, i) => at.map((__, j) => (i === j ? RIDGE + (i < width - 1 ? l2 : 0) : 0)))
  for (const [n, row] of rows.entries()) {
    const p = sigmoid(score(row, at))
    const whole = [...row, 1]
    for (const [i, a] of whole.entries()) {
      gradient[i] = (gradient[i] ?? 0) + (p - (targets[n] ?? 0)) * a
      const line = hessian[i]
      if (line === undefined) continue
      for (const [j, b] of whole.entries()) line[j] = (line[j] ?? 0) + p * (1 - p) * a * b
    }
  }
  return { gradient, hessian }
}

const moved = (from: readonly number[], step: readonly number[], share: number): readonly number[] =>
  from.map((value, i) => value - share * (step[i] ?? 0))

/** Solves `matrix · x = right` for a symmetric positive definite matrix by its Cholesky factor. */
export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const n = right.length
  const lower: number[][] = []
  for (let i = 0; i < n; i++) {
    const row: number[] = []
    for (let j = 0; j <= i; j++) {
      const rest = (matrix[i]?.[j] ?? 0) - product(row, lower[j] ?? row, j)
      row.push(i === j ? Math.sqrt(Math.max(rest, Number.MIN_VALUE)) : rest / (lower[j]?.[j] ?? 1))
    }
    lower.push(row)
  }
  const middle: number[] = []
  for (let i = 0; i < n; i++) middle.push(((right[i] ?? 0) - product(lower[i] ?? [], middle, i)) / (lower[i]?.[i] ?? 1))
  const x = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    let rest = middle[i] ?? 0
    for (let k = i + 1; k < n; k++) rest -= (lower[k]?.[i] ?? 0) * (x[k] ?? 0)
    x[i] = rest / (lower[i]?.[i] ?? 1)
  }
  return x
}

/** The dot product of the first `n` numbers. */
function product(a: readonly number[], b: readonly number[], many: number): number {
  let so = 0
  for (let k = 0; k < many; k++) so += (a[k] ?? 0) * (b[k] ?? 0)
  return so
}
