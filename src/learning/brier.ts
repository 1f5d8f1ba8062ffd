/** A predicted probability (0 to 1) and what happened (1 or 0). */
export interface Forecast {
  readonly p: number
  readonly y: number
}

/** Mean squared error of the predictions: 0 is perfect, 0.25 is always predicting one half. */
export function brierScore(forecasts: readonly Forecast[]): number | undefined {
  return forecasts.length === 0 ? undefined : mean(forecasts.map(({ p, y }) => (p - y) ** 2))
}

/** All predictions between two bounds: their average, and how often it happened. */
export interface Bin {
  readonly from: number
  readonly to: number
  readonly n: number
  readonly said: number
  readonly was: number
}

const BINS = 10

/** The predictions in bins of equal width without the empty ones; the last bin includes its upper bound. */
export function reliability(forecasts: readonly Forecast[], bins = BINS): readonly Bin[] {
  const filled = new Map<number, Forecast[]>()
  for (const forecast of forecasts) {
    const at = Math.min(bins - 1, Math.max(0, Math.floor(forecast.p * bins)))
    filled.set(at, [...(filled.get(at) ?? []), forecast])
  }
  return [...filled]
    .sort(([a], [b]) => a - b)
    .map(([at, inside]) => ({
      from: at / bins,
      to: (at + 1) / bins,
      n: inside.length,
      said: mean(inside.map(({ p }) => p)),
      was: mean(inside.map(({ y }) => y)),
    }))
}

/** Expected calibration error: the error of the bins, weighted by their share of the predictions. */
export function calibrationError(forecasts: readonly Forecast[], bins = BINS): number | undefined {
  if (forecasts.length === 0) return undefined
  const off = reliability(forecasts, bins).map(({ n, said, was }) => n * Math.abs(said - was))
  return sum(off) / forecasts.length
}

export const sum = (values: readonly number[]): number => values.reduce((so, value) => so + value, 0)
export const mean = (values: readonly number[]): number => sum(values) / values.length
