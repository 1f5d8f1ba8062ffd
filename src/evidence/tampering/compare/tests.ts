import { hasTestName, isTestFile, isTestSupport } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Assertion } from '../assertions/assertion.ts'
import type { Change, Changes } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import type { TestFile } from '../tests/model.ts'
import { readTestFile } from '../tests/read.ts'
import { weakerAssertion } from './assertions.ts'
import { type ComparedTest, isShared, type TestsOfTree, testsOfTree } from './compared-test.ts'
import { type MatchedTests, matchTests, similarity } from './match-tests.ts'
import type { TestContext } from './pair-assertions.ts'
import { emptiedFinding, removedTestFindings, rowFindings } from './removed-tests.ts'
import { focusFindings, skipFindings } from './skips.ts'

/** The tests of both trees, and which belong together. */
export interface ComparedTrees {
  readonly before: TestsOfTree
  readonly after: TestsOfTree
  readonly matched: MatchedTests
  readonly context: TestContext
}

/** Reads the changed test code of both trees; undefined if there is none. */
export function comparedTrees(changes: Changes): ComparedTrees | undefined {
  const testCode = changes.all.filter((change) => change.language !== undefined && servesTests(change))
  if (testCode.length === 0) return undefined
  const before = testsOfTree(filesOf(testCode, (change) => read(change, change.before)))
  const hasUnusualNames = memo(() => changes.before.paths.some((path) => !hasTestName(path) && isTestFile(path)))
  const after = testsOfTree(
    filesOf(testCode, (change) => {
      // Runners that select files by name don't find a new file with another name.
      const notCollected =
        change.before === undefined && !hasTestName(change.path) && !hasUnusualNames() && !isInherited(change, testCode)
      return read(change, change.after, notCollected)
    }),
  )
  const matched = matchTests(before.tests, after.tests)
  return { before, after, matched, context: testContext(before, after, changes) }
}

/** Tests that are gone, empty or skipped, and those that keep others from running. */
export function testFindings(changes: Changes): TamperFinding[] {
  const trees = comparedTrees(changes)
  if (trees === undefined) return removedTestFindings(changes, [])
  const { after, matched } = trees
  return [
    ...unreadFindings(after),
    ...removedTestFindings(changes, matched.removed, after),
    ...matched.pairs.flatMap(([old, now]) => endedFindings(old, now, changes)),
    ...matched.added.flatMap((now) => focusFindings([], now)),
  ]
}

const endedFindings = (old: ComparedTest, now: ComparedTest, changes: Changes): readonly TamperFinding[] => [
  ...skipFindings(old, now),
  ...(old.codeHash === now.codeHash ? [] : [emptiedFinding(old, now) ?? []].flat()),
  ...rowFindings(old, now, changes),
]

/** How the new version of a test is weaker than the old one, for tests that fail in their old version. */
export function weakerThan(
  old: ComparedTest,
  now: ComparedTest,
  { before, after, context }: ComparedTrees,
  changes: Changes,
): TamperFinding | undefined {
  const ended = endedFindings(old, now, changes).find(({ severity }) => severity === 'block')
  const helpers = helperPairs(before, after).filter(
    ([each, other]) => each.codeHash !== other.codeHash && old.words.has(each.test.name),
  )
  return ended ?? first([[old, now], ...helpers], ([each, other]) => weakerAssertion(each, other, context))
}

function first<T, R>(list: readonly T[], find: (each: T) => R | undefined): R | undefined {
  for (const each of list) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}

/** No real test file is like this, and its tests can't be compared. */
const unreadFindings = ({ files }: TestsOfTree): TamperFinding[] =>
  [...files.values()]
    .filter(({ unread }) => unread)
    .map(({ path }) => ({
      kind: 'test-removed',
      severity: 'block',
      file: path,
      line: 1,
      detail: 'This test file is too deeply nested or irregular to read, so its tests count as removed. Simplify it.',
    }))

/** Tests in a base class run under the names of its subclasses. */
function isInherited({ path, after = '' }: Change, testCode: readonly Change[]): boolean {
  const names = [...after.matchAll(/\b(?:class|module|trait)\s+([A-Z]\w*)/g)].map((match) => match[1]!)
  return testCode.some(
    (other) => other.path !== path && other.after !== undefined && names.some((name) => other.after!.includes(name)),
  )
}

const servesTests = ({ path, before, after }: Change) =>
  (before !== undefined && isTestSupport(path, before)) || (after !== undefined && isTestSupport(path, after))

function* filesOf(changes: readonly Change[], read: (change: Change) => TestFile | undefined): Generator<TestFile> {
  for (const change of changes) {
    const file = read(change)
    if (file) yield file
  }
}

/** A file that no runner collects has no tests, whatever its content. */
function read({ path }: Change, text: string | undefined, notCollected = false): TestFile | undefined {
  const file = text === undefined ? undefined : readTestFile(path, text)
  if (!file || (isTestFile(path, text) && !notCollected)) return file
  const { language, broken, unread, helpers } = file
  return {
    ...{ path, language, broken, unread, helpers, tests: [] },
    get unit() {
      return file.unit
    },
  }
}

/** Pairs helpers by name. If several have the same name, the most similar ones. */
function helperPairs(before: TestsOfTree, after: TestsOfTree): (readonly [ComparedTest, ComparedTest])[] {
  const free = new Map<string, ComparedTest[]>()
  for (const now of after.helpers) free.set(now.key, [...(free.get(now.key) ?? []), now])
  const same = (old: ComparedTest, now: ComparedTest) =>
    (old.file.path === now.file.path ? 1 : 0) + similarity(old, now)
  return before.helpers.flatMap((old) => {
    const candidates = free.get(old.key) ?? []
    if (candidates.length === 0) return []
    const now = candidates.reduce((best, next) => (same(old, next) > same(old, best) ? next : best))
    free.set(
      old.key,
      candidates.filter((each) => each !== now),
    )
    return [[old, now] as const]
  })
}

function testContext(before: TestsOfTree, after: TestsOfTree, changes: Changes): TestContext {
  const support = supportHelpers(changes)
  const helperAssertions = (side: TestsOfTree, name: string, path: string): readonly Assertion[] | undefined => {
    const found = side.helpers.filter(({ test, file }) => test.name === name && (file.path === path || isShared(test)))
    const assertions = found.flatMap(({ assertions }) => assertions)
    // A custom matcher returns a result instead of asserting, so what it checks is not visible.
    return found.length === 0 || (assertions.length === 0 && /^to[A-Z]/.test(name)) ? undefined : assertions
  }
  return {
    helperBefore: (name, path) => helperAssertions(before, name, path) ?? helperAssertions(support(name), name, path),
    helperAfter: (name, path) => helperAssertions(after, name, path) ?? helperAssertions(support(name), name, path),
  }
}

/** At most this many files are searched for a helper. */
const MAX_SEARCHED = 2000
/** At most this many files that may define it are parsed. */
const MAX_READ = 20
/** Where a function may be defined, in any of the languages. */
const DEFINITIONS = [
  /\b(?:def|function\*?|func|fn|fun|macro_rules!)\s+(?:\([^()\n]*\)\s*)?(?:\w+\.)?(\w+)/g,
  /\b(?:const|let|var|val)\s+(\w+)\s*(?::[^=\n]{0,200})?=/g,
  /^[ \t]*(?:async[ \t]+)?(\w+)[ \t]*\([^()\n]{0,200}\)[ \t]*(?::[^{\n]{0,100})?\{/gm,
  /^[ \t]*(?:exports\.)?(\w+)[ \t]*[:=][ \t]*(?:async\b|function\b|\()/gm,
  /^[ \t]*(?:[\w<>[\],.?]{1,60}[ \t]+){1,6}(\w+)[ \t]*\(/gm,
  /\b(?:define_method|define)[ (]+:(\w+)/g,
]

const definedIn = (text: string) =>
  new Set(DEFINITIONS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!)))

/** Helpers in unchanged test support files. Read only when a test seems to have lost an assertion. */
function supportHelpers(changes: Changes): (name: string) => TestsOfTree {
  const changedPaths = new Set(changes.all.map(({ path }) => path))
  // One look at each file, however many helpers are wanted.
  const defined = memo(() => {
    const places = new Map<string, string[]>()
    const paths = changes.after.paths.filter((path) => !changedPaths.has(path) && isTestSupport(path))
    for (const path of paths.slice(0, MAX_SEARCHED)) {
      for (const name of definedIn(changes.after.read(path) ?? ''))
        places.set(name, [...(places.get(name) ?? []), path])
    }
    return places
  })
  const found = new Map<string, TestsOfTree>()
  return (name) => {
    const known = found.get(name)
    if (known) return known
    const files = (defined().get(name) ?? []).slice(0, MAX_READ).flatMap((path) => {
      const file = readTestFile(path, changes.after.read(path) ?? '')
      return file ? [file] : []
    })
    const side = testsOfTree(files)
    found.set(name, side)
    return side
  }
}

function memo<T>(make: () => T): () => T {
  let value: { readonly made: T } | undefined
  return () => (value ??= { made: make() }).made
}
