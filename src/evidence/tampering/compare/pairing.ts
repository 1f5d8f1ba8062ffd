import type { Assertion } from '../assertions/model.ts'
import { canonical } from '../assertions/strength.ts'
import { alive, closeness, counts, same, values } from './assertion-states.ts'
import type { Vanished } from './obsolete.ts'
import type { Probe } from './probe.ts'

/** What the comparison of one test may know of the rest. */
export interface Surroundings {
  readonly vanished: Vanished
  /** What a helper asserts that is called from a file, before and after; undefined when it is defined nowhere we can see. */
  helperBefore(name: string, path: string): readonly Assertion[] | undefined
  helperAfter(name: string, path: string): readonly Assertion[] | undefined
}

export interface Paired {
  readonly pairs: readonly (readonly [Assertion, Assertion])[]
  /** Of before, without a partner. */
  readonly lost: readonly Assertion[]
  /** Of after, without a partner. */
  readonly left: readonly Assertion[]
}

export function pairUp(before: Probe, after: Probe, around: Surroundings): Paired {
  const pairs: (readonly [Assertion, Assertion])[] = []
  let olds = before.assertions.filter(counts)
  let news = after.assertions.filter((each) => counts(each) || !alive(each))
  const settle = (
    fits: (old: Assertion, now: Assertion) => boolean,
    best: (old: Assertion, now: Assertion) => number = () => 1,
  ) => {
    olds = olds.filter((old) => {
      const candidates = news.filter((now) => fits(old, now))
      if (candidates.length === 0) return true
      const now = candidates.reduce((a, b) => (best(old, b) > best(old, a) ? b : a))
      news.splice(news.indexOf(now), 1)
      pairs.push([old, now])
      return false
    })
  }
  const bySubject = () => {
    settle((old, now) => same(old, now) && old.expected === now.expected)
    settle((old, now) => same(old, now) && canonical(old.matcher) === canonical(now.matcher))
    settle(same)
    settle(
      (old, now) =>
        old.expected !== '' &&
        old.expected === now.expected &&
        canonical(old.matcher) === canonical(now.matcher) &&
        alive(now),
    )
    settle(
      (old, now) =>
        values(old.expected).length > 1 &&
        values(old.expected) === values(now.expected) &&
        (values(old.expected).length > 4 || closeness(old, now) > 0.2) &&
        alive(now),
    )
    settle((old, now) => closeness(old, now) >= 0.5 && now.helper === old.helper, closeness)
  }
  settle((old, now) => old.text === now.text && old.lost === now.lost && old.condition === now.condition)
  settle((old, now) => old.text === now.text)
  settle((old, now) => old.helper !== undefined && old.helper === now.helper)
  bySubject()
  // A helper on one side only stands for what it asserts.
  const unfold = (list: Assertion[], look: (name: string) => readonly Assertion[] | undefined) =>
    list.flatMap((each) => {
      const said = each.helper === undefined ? undefined : look(each.helper)
      return said?.map((assertion) => ({ ...assertion, line: each.line })) ?? [each]
    })
  if (olds.some(({ helper }) => helper !== undefined) || news.some(({ helper }) => helper !== undefined)) {
    olds = unfold(olds, (name) => around.helperBefore(name, before.file.path)).filter(counts)
    news = unfold(news, (name) => around.helperAfter(name, after.file.path))
    bySubject()
    const unknown = news.filter(({ helper }) => helper !== undefined)
    // What an unknown helper asserts cannot be seen: it may stand for anything that was asserted here.
    if (unknown.length > 0) {
      olds = []
      news = news.filter((each) => !unknown.includes(each))
    }
  }
  return { pairs, lost: olds, left: news }
}

/** What is left on both sides is taken to correspond in order: an assertion was rewritten from the ground up. */
export function pairLoosely({ pairs, lost, left }: Paired): Paired {
  const both = Math.min(lost.length, left.length)
  const byValue = [...left].sort((a, b) => Number(alive(b)) - Number(alive(a)))
  return {
    pairs: [...pairs, ...lost.slice(0, both).map((old, i) => [old, byValue[i]!] as const)],
    lost: lost.slice(both),
    left: byValue.slice(both),
  }
}
