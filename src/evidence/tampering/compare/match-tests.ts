import type { TestFile } from '../tests/model.ts'
import { type ComparedTest, overlap } from './compared-test.ts'

export interface MatchedTests {
  readonly pairs: readonly (readonly [before: ComparedTest, after: ComparedTest])[]
  readonly removed: readonly ComparedTest[]
  readonly added: readonly ComparedTest[]
}

/** Finds the new test for each old one: the same, renamed, moved or rewritten. */
export function matchTests(before: readonly ComparedTest[], after: readonly ComparedTest[]): MatchedTests {
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
  return { pairs, removed: oldTests, added: newTests }
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
      const samePlace = old.file.path === now.file.path && old.test.groups.join() === now.test.groups.join()
      if (sameInputs || sameCode || sameName || (samePlace && words >= 0.65))
        scored.push({ old, now, score: words + literals + name + sameFile })
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
