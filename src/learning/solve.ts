/** The x of `matrix · x = right`, for a matrix that is symmetric and positive: by its Cholesky factor. */
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

/** Of the first so many numbers of both. */
function product(a: readonly number[], b: readonly number[], many: number): number {
  let so = 0
  for (let k = 0; k < many; k++) so += (a[k] ?? 0) * (b[k] ?? 0)
  return so
}
