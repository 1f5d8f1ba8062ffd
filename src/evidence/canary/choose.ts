import type { BrokenFile, BrokenFiles, BrokenTest } from '../../../packages/exitgate/src/checks/broken.ts'
import { casesOf, casesOfFile } from '../../../packages/exitgate/src/checks/reported-tests.ts'
import { isTestFile, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { TestCase, TestFile } from '../tampering/tests/model.ts'
import { readTestFile } from '../tampering/tests/read.ts'
import { breakTest, type Edit, type Random, type Strength } from './break-test.ts'

export interface ChooseInput {
  /** The files of the workspace, those to prefer first. */
  readonly files: readonly string[]
  readonly read: (path: string) => string | undefined
  /** The ordinary run, in which everything passed. */
  readonly now: TestRun
  readonly before: TestRun | undefined
  /** Without earlier results: whether the claim rests on the tests in this file. */
  readonly isFresh: (path: string) => boolean
  readonly strength: Strength
  readonly random: Random
  readonly mostFiles: number
}

const MOST_CHARACTERS = 2_000_000
/** In each file: tests that the claim rests on, and others. */
const MOST_FRESH = 40
const MOST_OTHERS = 8

/** Test files with their broken texts. The grammars must be loaded: see `withGrammars`. */
export function brokenFiles(input: ChooseInput): BrokenFiles {
  const { files, read, strength, random, mostFiles } = input
  const found: BrokenFile[] = []
  let complete = true
  let characters = 0
  for (const path of files) {
    if (found.length >= mostFiles || characters > MOST_CHARACTERS) return { files: found, complete: false }
    const text = mayHoldTests(path) ? read(path) : undefined
    if (text === undefined || !isTestFile(path, text)) continue
    characters += text.length
    const file = readTestFile(path, text)
    if (file === undefined || file.unread || file.broken || isInactive(file)) {
      complete = false
      continue
    }
    const tests = chosenTests(file, input)
    const edits = tests.flatMap(([test, broken]) => {
      const edit = breakTest(file.unit, test, strength, random)
      return edit === undefined ? [] : [{ edit, broken }]
    })
    const kept = withoutOverlaps(edits)
    if (kept.length === 0) {
      complete &&= file.tests.length === 0
      continue
    }
    const edited = applied(
      text,
      kept.map(({ edit }) => edit),
    )
    found.push({ path, text: edited, tests: kept.map(({ broken }) => broken) })
  }
  return { files: found, complete }
}

const mayHoldTests = (path: string) => isTestFile(path) || languageOf(path) !== undefined

/** Some tests of the file don't run because others are marked as the only ones. */
const isInactive = ({ tests }: TestFile) => tests.some(({ markers }) => markers.some(({ kind }) => kind === 'focus'))

/** The tests to break: those that the claim rests on first. If the report names no test of the file, the file as a whole counts. */
function chosenTests(
  file: TestFile,
  { now, before, isFresh }: ChooseInput,
): readonly (readonly [TestCase, BrokenTest])[] {
  const passedBefore = before === undefined ? undefined : namesOfPassed(before)
  const all = file.tests.map((test) => {
    const place = { file: file.path, groups: test.groups, name: test.name, kind: 'changed' as const }
    const cases = casesOf(now, place)
    const passes = cases.length > 0 && cases.every(({ state }) => state === 'passed')
    const known = passedBefore === undefined ? !isFresh(file.path) : cases.every(({ name }) => passedBefore.has(name))
    const fresh = passes && !known
    const broken: BrokenTest = { file: file.path, groups: test.groups, name: test.name, fresh, reported: passes }
    return { test, broken, passes }
  })
  const passing = all.filter(({ passes }) => passes)
  const candidates = passing.length > 0 ? passing : isShown(file.path, now) ? all : []
  const fresh = candidates.filter(({ broken }) => broken.fresh).slice(0, MOST_FRESH)
  const others = candidates.filter(({ broken }) => !broken.fresh).slice(0, Math.max(0, MOST_OTHERS - fresh.length))
  return [...fresh, ...others].map(({ test, broken }) => [test, broken])
}

const passedNames = new WeakMap<TestRun, ReadonlySet<string>>()
export function namesOfPassed(run: TestRun): ReadonlySet<string> {
  const known = passedNames.get(run)
  if (known !== undefined) return known
  const names = new Set((run.tests ?? []).filter(({ state }) => state === 'passed').map(({ name }) => name))
  passedNames.set(run, names)
  return names
}

/** The report shows the file itself, or no names at all, so that the file may have run. */
const isShown = (path: string, now: TestRun): boolean =>
  (now.tests ?? []).length === 0 || casesOfFile(now, path).length > 0

/** A test inside another one is broken on its own, unless both would be rewritten. */
function withoutOverlaps<T extends { readonly edit: Edit }>(edits: readonly T[]): readonly T[] {
  const kept: T[] = []
  for (const each of edits) {
    const overlaps = kept.some(({ edit }) => each.edit.from < edit.to && edit.from < each.edit.to)
    if (!overlaps) kept.push(each)
  }
  return kept
}

function applied(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((one, other) => other.from - one.from)
  return sorted.reduce((now, { from, to, text: by }) => now.slice(0, from) + by + now.slice(to), text)
}
