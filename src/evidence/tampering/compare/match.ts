import type { Probe } from './probe.ts'

export interface Matched {
  readonly pairs: readonly (readonly [before: Probe, after: Probe])[]
  readonly gone: readonly Probe[]
  readonly fresh: readonly Probe[]
}

/** Finds for each test the one it became: the same, renamed, moved or rewritten. */
export function matchTests(before: readonly Probe[], after: readonly Probe[]): Matched {
  const pairs: (readonly [Probe, Probe])[] = []
  let olds = [...before]
  let news = [...after]
  const settle = (keyOf: (probe: Probe) => string, fits: (old: Probe, now: Probe) => boolean = () => true) => {
    const waiting = new Map<string, Probe[]>()
    for (const now of news) waiting.set(keyOf(now), [...(waiting.get(keyOf(now)) ?? []), now])
    const taken = new Set<Probe>()
    olds = olds.filter((old) => {
      const candidates = (waiting.get(keyOf(old)) ?? []).filter((now) => !taken.has(now) && fits(old, now))
      const best = candidates.length > 1 ? closest(old, candidates) : candidates[0]
      if (!best) return true
      taken.add(best)
      pairs.push([old, best])
      return false
    })
    news = news.filter((now) => !taken.has(now))
  }
  settle(({ file, key, mark }) => `${file.path}\n${key}\n${mark}`)
  settle(({ file, key }) => `${file.path}\n${key}`)
  settle(({ file, test }) => `${file.path}\n${test.name}`)
  settle(({ file, key }) => `${baseName(file.path)}\n${key}`)
  settle(
    ({ key, file }) => `${file.language}\n${key}`,
    (old, now) => likeness(old, now) > 0.3,
  )
  settle(
    ({ test, file }) => `${file.language}\n${nameWords(test.name).join(' ')}`,
    (old, now) => likeness(old, now) > 0.3,
  )
  pairs.push(
    ...rewritten(olds, news, (old, now) => {
      olds = olds.filter((each) => each !== old)
      news = news.filter((each) => each !== now)
    }),
  )
  return { pairs, gone: olds, fresh: news }
}

const baseName = (path: string) =>
  path.slice(path.lastIndexOf('/') + 1).replace(/[._-]?(?:test|spec|tests|specs)s?(?=[._-]|\.\w+$|$)/gi, '')

/** A name without its spelling: `test_push_grows`, `testPushGrows` and `push grows` are one. */
export function nameWords(name: string): string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'test' && word !== 'should' && word !== 'it')
}

const closest = (old: Probe, candidates: readonly Probe[]) =>
  candidates.reduce((best, next) => (likeness(old, next) > likeness(old, best) ? next : best))

/** Share of what two sets have in common, 1 for equal ones. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1
  let both = 0
  for (const each of a) if (b.has(each)) both++
  return (2 * both) / (a.size + b.size)
}

export function likeness(old: Probe, now: Probe): number {
  return old.mark === now.mark ? 1 : (overlap(old.words, now.words) + overlap(old.literals, now.literals)) / 2
}

const sharesAssertion = (old: Probe, now: Probe) =>
  old.assertions.some(({ text }) => now.assertions.some((other) => other.text === text))

/** More of them than this are not compared each with each. */
const MANY = 400

/** A test under another name: the same inputs, or nearly the same name over nearly the same code. */
function rewritten(
  olds: readonly Probe[],
  news: readonly Probe[],
  take: (old: Probe, now: Probe) => void,
): (readonly [Probe, Probe])[] {
  const scored: { old: Probe; now: Probe; score: number }[] = []
  const far = olds.length * news.length > MANY * MANY
  for (const old of olds) {
    for (const now of news) {
      if (old.file.language !== now.file.language || (far && old.file.path !== now.file.path)) continue
      const words = overlap(old.words, now.words)
      const literals = overlap(old.literals, now.literals)
      const name = overlap(new Set(nameWords(old.test.name)), new Set(nameWords(now.test.name)))
      const sameFile = old.file.path === now.file.path ? 0.1 : 0
      const sameInputs =
        words >= 0.6 &&
        old.literals.size > 0 &&
        (literals >= 0.75 || (literals >= 0.5 && (name >= 0.3 || sharesAssertion(old, now))))
      const sameCode = old.literals.size === 0 && words >= 0.75 && old.words.size >= 3
      const sameName = name >= 0.6 && words >= 0.5
      if (sameInputs || sameCode || sameName) scored.push({ old, now, score: words + literals + name + sameFile })
    }
  }
  const pairs: (readonly [Probe, Probe])[] = []
  const used = new Set<Probe>()
  for (const { old, now } of scored.sort((a, b) => b.score - a.score)) {
    if (used.has(old) || used.has(now)) continue
    used.add(old).add(now)
    pairs.push([old, now])
    take(old, now)
  }
  return pairs
}
