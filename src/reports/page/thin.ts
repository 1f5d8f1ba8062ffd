/** Values over places, for one chart. */
export interface Thinned {
  readonly x: readonly number[]
  readonly y: readonly (readonly (number | null)[])[]
}

/**
 * At most about `most` points of a long run. Of each stretch the points stay at which any of the lines is highest or lowest, so that
 * no peak is lost, and both ends stay.
 */
export function thin(x: readonly number[], y: readonly (readonly (number | null)[])[], most: number): Thinned {
  if (x.length <= most || y.length === 0) return { x, y }
  const stretches = Math.max(1, Math.floor((most - 2) / (2 * y.length)))
  const kept = new Set<number>([0, x.length - 1])
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * x.length) / stretches)
    const to = Math.floor(((stretch + 1) * x.length) / stretches)
    for (const line of y) for (const at of extremes(line, from, to)) kept.add(at)
  }
  const places = [...kept].sort((one, other) => one - other)
  return { x: places.map((at) => x[at] ?? 0), y: y.map((line) => places.map((at) => line[at] ?? null)) }
}

function extremes(line: readonly (number | null)[], from: number, to: number): readonly number[] {
  let low = -1
  let high = -1
  for (let at = from; at < to; at++) {
    const value = line[at]
    if (value === null || value === undefined) continue
    if (low < 0 || value < (line[low] ?? 0)) low = at
    if (high < 0 || value > (line[high] ?? 0)) high = at
  }
  return low < 0 ? [] : [low, high]
}
