import type { ChangedFile } from '../../../packages/exitgate/src/checks/sides.ts'
import type { TestToProve } from '../../../packages/exitgate/src/checks/without.ts'
import { isTestFile, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { type ComparedTest, testsOfTree } from '../tampering/compare/compared-test.ts'
import { matchTests } from '../tampering/compare/match-tests.ts'
import { readTestFile } from '../tampering/tests/read.ts'

/** The changed tests that have to prove something. Renamed, moved and reformatted tests don't. */
export function testsToProve(changes: readonly ChangedFile[]): readonly TestToProve[] {
  const unreadFiles = changes.filter(({ path, after }) => after !== undefined && languageOf(path) === undefined)
  const texts = new Set(changes.map(({ before }) => before))
  const wholeFiles = unreadFiles
    .filter(({ path, after }) => isTestFile(path, after) && !texts.has(after))
    .map(
      ({ path, wasThere }): TestToProve => ({ file: path, groups: [], name: '', kind: wasThere ? 'changed' : 'new' }),
    )
  return [...testsInReadFiles(changes), ...wholeFiles]
}

function testsInReadFiles(changes: readonly ChangedFile[]): readonly TestToProve[] {
  const read = (side: 'before' | 'after') =>
    testsOfTree(
      changes.flatMap((change) => {
        const text = change[side]
        if (text === undefined || !isTestFile(change.path, text)) return []
        const file = readTestFile(change.path, text)
        return file === undefined ? [] : [file]
      }),
    )
  const [before, after] = [read('before'), read('after')]
  const { pairs, removed, added } = matchTests(before.tests, after.tests)
  const rewritten = pairs.filter(([old, now]) => old.text !== now.text)
  const known = oldContentOf([...removed, ...rewritten.map(([old]) => old)])
  // The same assertion, more often: it is about something else.
  const often = timesOf([...added, ...rewritten.map(([, now]) => now)])
  const isMore = (text: string) => (often.get(text) ?? 0) > (known.assertions.get(text) ?? 0)
  return [
    ...added.filter((test) => !isRepeated(test, known, isMore)).map((test) => toProve(test, 'new')),
    ...rewritten
      .filter(([old, now]) => checksMore(old, now) && !isRepeated(now, known, isMore))
      .map(([, now]) => toProve(now, 'changed')),
  ]
}

const toProve = ({ file, test, words, assertions }: ComparedTest, kind: 'new' | 'changed'): TestToProve => {
  const asserts = assertions.some(({ strength, lost }) => strength !== 'vacuous' && lost === undefined)
  return { file: file.path, groups: test.groups, name: test.name, kind, uses: words, asserts }
}

/** It has an assertion or a row that it didn't have before. */
function checksMore(old: ComparedTest, now: ComparedTest): boolean {
  const [before, after] = [timesOf([old]), timesOf([now])]
  const rows = new Set(old.test.rows ?? [])
  const hasNewAssertion = [...after].some(([text, times]) => times > (before.get(text) ?? 0))
  return hasNewAssertion || (now.test.rows ?? []).some((row) => !rows.has(row))
}

/** How often each assertion occurs. */
function timesOf(tests: readonly ComparedTest[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { text } of tests.flatMap(({ assertions }) => assertions)) times.set(text, (times.get(text) ?? 0) + 1)
  return times
}

interface OldContent {
  readonly rows: ReadonlySet<string>
  readonly assertions: ReadonlyMap<string, number>
  readonly literals: ReadonlySet<string>
  readonly words: ReadonlySet<string>
}

function oldContentOf(oldTests: readonly ComparedTest[]): OldContent {
  return {
    rows: new Set(oldTests.flatMap(({ test }) => test.rows ?? [])),
    assertions: timesOf(oldTests),
    literals: new Set(oldTests.flatMap(({ literals }) => [...literals])),
    words: new Set(oldTests.flatMap(({ words }) => [...words])),
  }
}

/**
 * It repeats what removed or rewritten tests checked: a test was split, merged into a table, or moved. So it needs no new proof.
 */
function isRepeated(now: ComparedTest, known: OldContent, isMore: (text: string) => boolean): boolean {
  const rows = now.test.rows ?? []
  const sameRows = rows.every((row) => known.rows.has(row))
  if (sameRows && now.assertions.length > 0 && !now.assertions.some(({ text }) => isMore(text))) return true
  const values = [...now.literals]
  const called = [...now.words].filter((word) => known.words.has(word))
  return rows.length > 0 && called.length > 0 && values.every((value) => known.literals.has(value))
}
