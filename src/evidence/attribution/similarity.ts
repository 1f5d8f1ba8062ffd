const TOKENS = /[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|"[^"\n]*"|'[^'\n]*'|`[^`]*`/gu

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [token] of text.matchAll(TOKENS)) {
    const plain = token.replace(/^["'`]|["'`]$/g, '')
    counts.set(plain, (counts.get(plain) ?? 0) + 1)
  }
  return counts
}

const sizeOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0)

function shared(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [token, n] of a) sum += Math.min(n, b.get(token) ?? 0)
  return sum
}

/** How alike two texts are by their words and literals: 0 for nothing in common, 1 for the same ones. */
export function similarity(a: string, b: string): number {
  const [left, right] = [countsOf(a), countsOf(b)]
  const size = sizeOf(left) + sizeOf(right)
  return size === 0 ? 0 : (2 * shared(left, right)) / size
}

/** Which share of a text's words and literals stands in another text too. */
export function containment(part: string, whole: string): number {
  const [left, right] = [countsOf(part), countsOf(whole)]
  const distinct = [...left.keys()]
  return distinct.length === 0 ? 0 : distinct.filter((token) => right.has(token)).length / distinct.length
}
