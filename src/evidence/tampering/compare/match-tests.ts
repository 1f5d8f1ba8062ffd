import type { TestFile } from '../tests/model.ts'
import { type ComparedTest, literalsIn, overlap } from './compared-test.ts'
import { canFail, meaningOf } from './pair-assertions.ts'
import { replacedInPlace } from './replaced-in-place.ts'

export interface MatchedTests {
  readonly pairs: readonly (readonly [before: ComparedTest, after: ComparedTest])[]
  readonly removed: readonly ComparedTest[]
  readonly added: readonly ComparedTest[]
}

/** Finds the new test for each old one: the same, renamed, moved or rewritten. */
export function matchTests(
  before: readonly ComparedTest[],
  after: readonly ComparedTest[],
  sourceChanged: boolean,
): MatchedTests {
  const pairs: (readonly [ComparedTest, ComparedTest])[] = []
  let oldTests = [...before]
  let newTests = [...after]
  const pairBy = (
    keyOf: (test: ComparedTest) => string,
    matches: (old: ComparedTest, now: ComparedTest) => boolean = () => true,
  ) => {
    const candidatesByKey = new Map<string, ComparedTest[]>()
    for (const now of newTests) candidatesByKey.set(keyOf(now), [...(candidatesByKey.get(keyOf(now)) ?? []), now])
    const taken = new Set<ComparedTest>()
    oldTests = oldTests.filter((old) => {
      const candidates = (candidatesByKey.get(keyOf(old)) ?? []).filter((now) => !taken.has(now) && matches(old, now))
      const best = candidates.length > 1 ? mostSimilar(old, candidates) : candidates[0]
      if (!best) return true
      taken.add(best)
      pairs.push([old, best])
      return false
    })
    newTests = newTests.filter((now) => !taken.has(now))
  }
  pairBy(({ file, key, codeHash }) => `${file.path}\n${key}\n${codeHash}`)
  // A new test can take the name of one that was renamed.
  const names = new Set(before.map(({ file, key }) => `${file.path}\n${key}`))
  pairBy(
    ({ file, codeHash }) => `${file.path}\n${codeHash}`,
    (old, now) => old.text !== '' && !names.has(`${now.file.path}\n${now.key}`),
  )
  pairBy(({ file, key }) => `${file.path}\n${key}`)
  pairBy(({ file, test }) => `${file.path}\n${test.name}`)
  pairBy(({ file, key }) => `${baseName(file.path)}\n${key}`)
  pairBy(
    ({ key, file }) => `${platformOf(file)}\n${key}`,
    (old, now) => similarity(old, now) > 0.3,
  )
  pairBy(
    ({ test, file }) => `${platformOf(file)}\n${nameWords(test.name).join(' ')}`,
    (old, now) => similarity(old, now) > 0.3,
  )
  pairs.push(
    ...rewritten(oldTests, newTests, (old, now) => {
      oldTests = oldTests.filter((each) => each !== old)
      newTests = newTests.filter((each) => each !== now)
    }),
  )
  // If the source is the same, no behaviour changed.
  const replaced = !sourceChanged ? [] : replacedInPlace(before, after, pairs, oldTests, newTests)
  const [left, right] = [new Set(replaced.map(([old]) => old)), new Set(replaced.map(([, now]) => now))]
  return {
    pairs: [...pairs, ...replaced],
    removed: oldTests.filter((old) => !left.has(old)),
    added: newTests.filter((now) => !right.has(now)),
  }
}

/** Tests are also translated from Java to Kotlin. */
const platformOf = ({ language }: TestFile) => (language === 'kotlin' ? 'java' : language)

const mostSimilar = (old: ComparedTest, candidates: readonly ComparedTest[]) =>
  candidates.reduce((best, next) => (similarity(old, next) > similarity(old, best) ? next : best))

const baseName = (path: string) =>
  path.slice(path.lastIndexOf('/') + 1).replace(/[._-]?(?:test|spec|tests|specs)s?(?=[._-]|\.\w+$|$)/gi, '')

/** Above this number, tests are only compared within the same file. */
const MAX_COMPARED = 400

/** A renamed test: the same inputs, or nearly the same name and nearly the same code. */
function rewritten(
  oldTests: readonly ComparedTest[],
  newTests: readonly ComparedTest[],
  take: (old: ComparedTest, now: ComparedTest) => void,
): (readonly [ComparedTest, ComparedTest])[] {
  const scored: { old: ComparedTest; now: ComparedTest; score: number }[] = []
  const tooMany = oldTests.length * newTests.length > MAX_COMPARED * MAX_COMPARED
  for (const old of oldTests) {
    for (const now of newTests) {
      if (platformOf(old.file) !== platformOf(now.file) || (tooMany && old.file.path !== now.file.path)) continue
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
  const pairs: (readonly [ComparedTest, ComparedTest])[] = []
  const used = new Set<ComparedTest>()
  for (const { old, now } of scored.sort((a, b) => b.score - a.score)) {
    if (used.has(old) || used.has(now)) continue
    used.add(old).add(now)
    pairs.push([old, now])
    take(old, now)
  }
  return pairs
}

const sharesAssertion = (old: ComparedTest, now: ComparedTest) =>
  old.assertions.some(({ text }) => now.assertions.some((other) => other.text === text))

/** The removed tests that are now part of others: merged, split, or rows of a table. */
export function mergedTests(
  { removed, pairs, added }: MatchedTests,
  after: readonly ComparedTest[],
): ReadonlySet<ComparedTest> {
  const found = new Set<ComparedTest>()
  if (removed.length === 0) return found
  const partner = new Map(pairs.map(([old, now]) => [now, old]))
  const extended = [...added, ...pairs.filter(([old, now]) => old.codeHash !== now.codeHash).map(([, now]) => now)].map(
    (now) => additionTo(now, partner.get(now)),
  )
  for (const old of removed) {
    const sameLanguage = extended.filter(({ now }) => now.file.language === old.file.language)
    if (
      inRow(old, sameLanguage) ||
      inAssertions(old, sameLanguage) ||
      hasDuplicate(old, after) ||
      becameRowOfTwin(old, pairs)
    )
      found.add(old)
  }
  return found
}

/** A similar test got a table, and with it everything that this one did. */
const becameRowOfTwin = (old: ComparedTest, pairs: MatchedTests['pairs']) =>
  pairs.some(([twin, now]) => {
    const rows = now.test.rows ?? []
    if (rows.length - (twin.test.rows?.length ?? 0) < 2 || twin.file.path !== old.file.path) return false
    const words = new Set([...now.words, ...rows.flatMap((row) => row.match(/[\p{L}_]\w*/gu) ?? [])])
    return (
      overlap(old.words, twin.words) >= 0.7 &&
      shareIn(old.words, words) >= 0.85 &&
      shareIn(old.literals, now.literals) >= 0.6 &&
      now.assertions.filter(canFail).length >= old.assertions.filter(canFail).length
    )
  })

const shareIn = (part: ReadonlySet<string>, all: ReadonlySet<string>) =>
  part.size === 0 ? 1 : [...part].filter((each) => all.has(each)).length / part.size

interface Addition {
  readonly now: ComparedTest
  /** New rows and assertions of this test. Each row can stand for one removed test. */
  rows: { readonly literals: ReadonlySet<string>; used: boolean }[]
  readonly assertions: ReadonlySet<string>
}

function additionTo(now: ComparedTest, before: ComparedTest | undefined): Addition {
  const oldRows = new Set(before?.test.rows ?? [])
  const oldAssertions = new Set(before?.assertions.map(meaningOf) ?? [])
  return {
    now,
    rows: (now.test.rows ?? [])
      .filter((row) => !oldRows.has(row))
      .map((row) => ({ literals: new Set(literalsIn(row)), used: false })),
    assertions: new Set(
      now.assertions
        .filter(canFail)
        .map(meaningOf)
        .filter((meaning) => !oldAssertions.has(meaning)),
    ),
  }
}

/** The old test's values are in one new row, and the code calls what the old test called. */
function inRow(old: ComparedTest, extended: readonly Addition[]): boolean {
  const values = [...old.literals]
  const candidates = extended.flatMap((addition) =>
    addition.rows.filter(({ used }) => !used).map((row) => ({ addition, row })),
  )
  let best: { score: number; row: Addition['rows'][number] } | undefined
  for (const { addition, row } of candidates) {
    if (addition.now.assertions.every(({ strength }) => strength === 'vacuous') || sharedWords(old, addition.now) === 0)
      continue
    const inRow = values.filter((value) => row.literals.has(value)).length
    const anywhere = values.filter((value) => row.literals.has(value) || addition.now.literals.has(value)).length
    const score = values.length === 0 ? 0 : inRow + anywhere / values.length
    if (inRow > 0 && anywhere / values.length >= 0.6 && score > (best?.score ?? 0)) best = { score, row }
  }
  if (best) best.row.used = true
  return best !== undefined
}

const sharedWords = (old: ComparedTest, now: ComparedTest) =>
  [...old.words].filter(
    (word) =>
      now.words.has(word) &&
      !/^(?:assert\w*|expect|toBe|toEqual|to|eq|Assert|Equal|True|False|assert_eq|equal)$/.test(word),
  ).length

/** New or extended tests assert everything the old test asserted. */
function inAssertions(old: ComparedTest, extended: readonly Addition[]): boolean {
  const asserted = old.assertions.filter(canFail)
  return (
    asserted.length > 0 &&
    asserted.every((assertion) =>
      extended.some(({ assertions, now }) => assertions.has(meaningOf(assertion)) && isSimilar(now, old)),
    )
  )
}

/** Similar words, and mostly the same values. */
function isSimilar(now: ComparedTest, old: ComparedTest): boolean {
  const values = [...old.literals]
  const present = values.filter((value) => now.literals.has(value)).length
  return overlap(old.words, now.words) > 0.2 && present >= values.length * 0.6
}

/** Another test has the same code: one of two copies was removed. */
const hasDuplicate = (old: ComparedTest, after: readonly ComparedTest[]) =>
  old.text !== '' && after.some((now) => now.codeHash === old.codeHash)

/** The words of a name: `test_push_grows`, `testPushGrows` and `push grows` have the same ones. */
export function nameWords(name: string): string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'test' && word !== 'should' && word !== 'it')
}

export function similarity(old: ComparedTest, now: ComparedTest): number {
  return old.codeHash === now.codeHash ? 1 : (overlap(old.words, now.words) + overlap(old.literals, now.literals)) / 2
}
