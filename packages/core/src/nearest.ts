/** The candidate the user most likely meant, or undefined if none is close enough to be a typo. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const target = normalize(word)
  if (target === '') return undefined
  // Two typos per five letters: "treshold" finds "threshold" and "ralf" finds "ralph", but "foo" doesn't find "usd".
  let best = Math.max(1, Math.round((target.length * 2) / 5)) + 1
  let found: string | undefined
  for (const candidate of candidates) {
    const distance = editDistance(target, normalize(candidate), best)
    if (distance < best) {
      best = distance
      found = candidate
    }
  }
  return found
}

/** "max_iterations", "maxIterations" and "MAX-ITERATIONS" count as the same word. */
function normalize(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Edit distance between two words, counting swapped neighbours as one edit. Stops counting at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) least = Math.min(least, before[j - 2]! + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return Math.min(limit, last[b.length]!)
}
