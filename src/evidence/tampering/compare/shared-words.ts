import type { Assertion } from '../assertions/assertion.ts'

export const WORD = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|"(?:[^"\\]|\\.)*"/gu

/** The share of words that the subjects of two assertions have in common. */
export function sharedWords(old: Assertion, now: Assertion): number {
  const a = new Set(old.subject.match(WORD) ?? [])
  const b = new Set(now.subject.match(WORD) ?? [])
  if (a.size === 0 || b.size === 0) return 0
  return (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size)
}

/** Pairs each old assertion with the new one that shares most of its words, if that is at least half. Uses an index of words. */
export function closestPairs(
  oldOnes: readonly Assertion[],
  newOnes: readonly Assertion[],
): (readonly [Assertion, Assertion])[] {
  const words = newOnes.map(({ subject }) => new Set(subject.match(WORD) ?? []))
  const places = new Map<string, number[]>()
  for (const [at, set] of words.entries()) {
    for (const word of set) {
      const list = places.get(word)
      if (list === undefined) places.set(word, [at])
      else list.push(at)
    }
  }
  const free = new Uint8Array(newOnes.length).fill(1)
  return oldOnes.flatMap((old) => {
    const own = new Set(old.subject.match(WORD) ?? [])
    const shared = new Uint32Array(newOnes.length)
    for (const word of own) for (const at of places.get(word) ?? []) shared[at]! += 1
    let best: number | undefined
    let most = 0
    for (let at = 0; at < shared.length; at++) {
      const close = (2 * shared[at]!) / (own.size + words[at]!.size)
      if (free[at] === 0 || !(close >= 0.5) || close <= most || newOnes[at]!.helper !== old.helper) continue
      best = at
      most = close
    }
    if (best === undefined) return []
    free[best] = 0
    return [[old, newOnes[best]!] as const]
  })
}
