interface Scored {
  readonly score: number
  readonly truth: boolean
}
type Interval = readonly [number, number]

export function auc(rows: readonly Scored[]): number | undefined
export function aucWithin<Row extends Scored>(rows: readonly Row[], groupOf: (row: Row) => string): number | undefined
export function wilson(hits: number, rows: number): Interval | undefined
export function bootstrap<Row>(
  rows: readonly Row[],
  groupOf: (row: Row) => string,
  figure: (rows: readonly Row[]) => number | undefined,
  draws?: number,
): Interval | undefined
