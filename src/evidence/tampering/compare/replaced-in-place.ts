import { type ComparedTest, overlap } from './compared-test.ts'
import { canFail } from './pair-assertions.ts'

type Pair = readonly [before: ComparedTest, after: ComparedTest]

/**
 * A test whose behaviour changed often gets a new title too. It is then where the old one was, between the same tests of the same
 * group, and uses the same code or the same inputs. What it asserts is compared like that of any other pair.
 */
export function replacedInPlace(
  before: readonly ComparedTest[],
  after: readonly ComparedTest[],
  pairs: readonly Pair[],
  removed: readonly ComparedTest[],
  added: readonly ComparedTest[],
): Pair[] {
  if (removed.length === 0 || added.length === 0) return []
  const partner = new Map(pairs)
  const anchors = new Set(pairs.map(([, now]) => now))
  const oldPlace = placesIn(before, (old) => partner.get(old))
  const newPlace = placesIn(after, (now) => (anchors.has(now) ? now : undefined))
  const scored = removed.flatMap((old) =>
    added.flatMap((now) => {
      if (old.file.path !== now.file.path || old.test.groups.join('\0') !== now.test.groups.join('\0')) return []
      const [was, is] = [oldPlace.get(old)!, newPlace.get(now)!]
      if (was.previous !== is.previous && was.next !== is.next) return []
      const score = likeness(old, now)
      return score > 0 && assertsAsMuch(old, now) ? [{ old, now, score }] : []
    }),
  )
  const used = new Set<ComparedTest>()
  return scored
    .sort((a, b) => b.score - a.score)
    .flatMap(({ old, now }): Pair[] => {
      if (used.has(old) || used.has(now)) return []
      used.add(old).add(now)
      return [[old, now]]
    })
}

interface Place {
  readonly previous: ComparedTest | undefined
  readonly next: ComparedTest | undefined
}

/** The nearest tests before and after each test that exist in both trees, as tests of the new tree. */
function placesIn(
  tests: readonly ComparedTest[],
  anchorOf: (test: ComparedTest) => ComparedTest | undefined,
): Map<ComparedTest, Place> {
  const byFile = new Map<string, ComparedTest[]>()
  for (const test of tests) {
    const list = byFile.get(test.file.path)
    if (list) list.push(test)
    else byFile.set(test.file.path, [test])
  }
  const places = new Map<ComparedTest, Place>()
  for (const list of byFile.values()) {
    const sorted = list.sort((a, b) => a.test.span[0] - b.test.span[0])
    const next: (ComparedTest | undefined)[] = []
    let last: ComparedTest | undefined
    for (let i = sorted.length - 1; i >= 0; i--) {
      next[i] = last
      last = anchorOf(sorted[i]!) ?? last
    }
    let previous: ComparedTest | undefined
    for (const [i, test] of sorted.entries()) {
      places.set(test, { previous, next: next[i] })
      previous = anchorOf(test) ?? previous
    }
  }
  return places
}

/** Words of assertions say nothing about what is tested. */
const ASSERTING =
  /^(?:assert(?:[A-Z]\w*|_\w+)?|expect|refute\w*|should\w*|must\w*|verify|to(?:Be|Equal|Throw|Have|Match|Contain)\w*|Assert|Equal|True|False|equal|is|not|raises|pytest)$/

/** Nor do the names of the project's own assertions, if everything else is the same. */
const HELPING =
  /^_?(?:assert|expect|refute|should|must|verify|check|Assert|Equal|True|False|equal|is|not|raises|pytest|to[A-Z])/

/** How much of the code or of the inputs both tests share; 0 if too little. */
function likeness(old: ComparedTest, now: ComparedTest): number {
  const words = Math.max(
    overlap(codeWords(old, ASSERTING), codeWords(now, ASSERTING)),
    overlap(codeWords(old, HELPING), codeWords(now, HELPING)),
  )
  const inputs = sharedInputs(old, now)
  return words >= 0.5 || (words >= 0.25 && inputs >= 0.5) ? words + inputs : 0
}

const codeWords = ({ words }: ComparedTest, without: RegExp) =>
  new Set([...words].filter((word) => !without.test(word)))

/** The share of the shorter test's input lines that the other has too. */
function sharedInputs(old: ComparedTest, now: ComparedTest): number {
  const [a, b] = [inputsOf(old), inputsOf(now)]
  const shared = [...a].filter((each) => b.has(each)).length
  return shared === 0 ? 0 : shared / Math.min(a.size, b.size)
}

const inputsOf = ({ literals }: ComparedTest) =>
  new Set(
    [...literals]
      .flatMap((literal) => literal.split('\n'))
      .map((line) => line.trim())
      .filter((line) => line.length > 2),
  )

/** At least one assertion of the new test is as strong as the old test's strongest. */
function assertsAsMuch(old: ComparedTest, now: ComparedTest): boolean {
  const best = (test: ComparedTest) =>
    Math.max(0, ...test.assertions.filter(canFail).map(({ strength }) => (strength === 'exact' ? 2 : 1)))
  return best(now) >= Math.min(best(old), 2) && best(now) > 0
}
