const UNITS: readonly (readonly [unit: RegExp, ms: number])[] = [
  [/^(?:ms|msecs?|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|weeks?)$/, 604_800_000],
]

const PIECE = /^[\s,]*(?:and\s+)?(?:~|about |less than )?\s*(\d{1,9}(?:\.\d{1,9})?|an?(?= ))\s*([a-z]{1,12})(?![a-z])/i

/** Milliseconds that a text names at its beginning, such as `2h 13m`, `5 days 22 hours`, `33.5s` or `less than a minute`. */
export function durationAt(text: string): number | undefined {
  let rest = text
  let sum: number | undefined
  for (let piece = PIECE.exec(rest); piece !== null; piece = PIECE.exec(rest)) {
    const unit = UNITS.find(([names]) => names.test((piece?.[2] ?? '').toLowerCase()))
    if (unit === undefined) break
    const count = /^\d/.test(piece[1] ?? '') ? Number(piece[1]) : 1
    sum = (sum ?? 0) + count * unit[1]
    // `1h2m3s` has no blank between its pieces.
    rest = rest.slice(piece[0].length)
  }
  return sum
}
