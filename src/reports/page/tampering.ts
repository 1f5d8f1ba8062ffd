import type { Iteration, Tampering } from './types.ts'

const MOST = 300

/** Every finding once, with the first and the last iteration in which it stood: most stand until somebody takes them back. */
export function tamperingOf(iterations: readonly Iteration[]): readonly Tampering[] {
  const found = new Map<string, { first: number; last: number; told: Omit<Tampering, 'first' | 'last'> }>()
  for (const { n, evidence } of iterations)
    for (const { check, answer, detail, changes } of evidence) {
      if (check !== 'tampering') continue
      // Journals of earlier releases have the sentence alone.
      const told = changes ?? (answer === 'no' ? [{ detail, blocks: true }] : [])
      for (const each of told) {
        const key = JSON.stringify(each)
        const known = found.get(key)
        if (known !== undefined) known.last = n
        else if (found.size < MOST) found.set(key, { first: n, last: n, told: each })
      }
    }
  return [...found.values()].map(({ told, first, last }) => ({ ...told, first, last }))
}
