import { isType } from '../assertions/assertion.ts'
import { type ComparedTest, literalsIn, overlap } from './compared-test.ts'
import type { MatchedTests } from './match-tests.ts'
import { canFail, meaningOf } from './pair-assertions.ts'

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
      becameRowOfTwin(old, pairs) ||
      isImplied(old, added)
    )
      found.add(old)
  }
  return found
}

/** It only asked for the type of a new object, and new tests in its file check such objects more exactly. */
const isImplied = (old: ComparedTest, added: readonly ComparedTest[]) =>
  old.assertions.length === 1 &&
  isType(old.assertions[0]!) &&
  added.filter(
    (now) =>
      now.file.path === old.file.path && now.assertions.filter(({ strength }) => strength === 'exact').length > 1,
  ).length > 1

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
