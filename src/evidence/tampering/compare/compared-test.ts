import { createHash } from 'node:crypto'
import type { Assertion } from '../assertions/assertion.ts'
import { findAssertions, macroCall } from '../assertions/find.ts'
import { plain, type Range, stringContent } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'
import { FILE_TEST, fullName, type TestCase, type TestFile } from '../tests/model.ts'

/** A test with everything a comparison needs, computed on first use. */
export interface ComparedTest {
  readonly test: TestCase
  readonly file: TestFile
  readonly key: string
  /** Its code as plain text: body and rows, without its name. */
  readonly text: string
  /** The hash of that text, enough to compare two tests. */
  readonly codeHash: string
  readonly assertions: readonly Assertion[]
  /** Names used in the test. */
  readonly words: ReadonlySet<string>
  /** Numbers and strings in the test and its rows. */
  readonly literals: ReadonlySet<string>
}

/** The tests and helpers of the old or the new tree. */
export interface TestsOfTree {
  readonly tests: readonly ComparedTest[]
  readonly helpers: readonly ComparedTest[]
  readonly files: ReadonlyMap<string, TestFile>
}

/** Reads one file at a time, and computes what every test needs while its file is in memory. */
export function testsOfTree(testFiles: Iterable<TestFile>): TestsOfTree {
  const files = new Map<string, TestFile>()
  const tests: ComparedTest[] = []
  const helpers: ComparedTest[] = []
  let shared: ((file: TestFile) => ReadonlySet<string>) | undefined
  const asserting = (file: TestFile) => (shared ??= assertingHelpers([...files.values()]))(file)
  for (const file of testFiles) {
    files.set(file.path, file)
    for (const test of file.tests) tests.push(new LazyComparedTest(file, test, asserting))
    for (const helper of file.helpers) helpers.push(new LazyComparedTest(file, helper, asserting))
  }
  return { tests, helpers, files }
}

/** A method belongs to its object. Other files see it only if its name sounds like an assertion. */
export const isShared = ({ name, groups }: TestCase) =>
  groups.length === 0 || /^_?(?:assert|verify|check|expect|ensure|should|must|to[A-Z])/i.test(name)

/** The functions that a file can see and that assert, directly or by calling one that does. */
function assertingHelpers(files: readonly TestFile[]): (file: TestFile) => ReadonlySet<string> {
  const shared = new Set<string>()
  const own = new Map<TestFile, Set<string>>(files.map((file) => [file, new Set()]))
  const seen = (file: TestFile) => new Set([...shared, ...own.get(file)!])
  const cache = new Map<TestFile, ReadonlySet<string>>()
  for (let round = 0, grew = true; grew && round < 4; round++) {
    grew = false
    for (const file of files) {
      const names = own.get(file)!
      const known = seen(file)
      for (const helper of file.helpers) {
        const { name, body } = helper
        if (names.has(name) || !body || /^(?:set|tear|before|after|main$|constructor$)/i.test(name)) continue
        if (!isMatcher(file.unit, name, body) && !asserts(file.unit, body, known)) continue
        names.add(name)
        if (isShared(helper)) shared.add(name)
        grew = true
      }
    }
  }
  return (file) => {
    const known = cache.get(file) ?? (own.get(file)!.size === 0 ? shared : seen(file))
    cache.set(file, known)
    return known
  }
}

const asserts = (unit: Unit, body: Range, known: ReadonlySet<string>) =>
  findAssertions(unit, body, [], known).some(({ matcher }) => matcher !== 'guard' || unit.language === 'go')

/** A matcher of the project for expect.extend: it returns `pass`. */
const isMatcher = (unit: Unit, name: string, body: Range) =>
  unit.language === 'javascript' &&
  /^to[A-Z]/.test(name) &&
  unit.tokens.slice(body[0], body[1]).some(({ text }) => text === 'pass')

/** A class, because there are tens of thousands of tests: getters on plain objects would take a kilobyte each. */
class LazyComparedTest implements ComparedTest {
  readonly test: TestCase
  readonly file: TestFile
  readonly key: string
  readonly codeHash: string
  readonly #asserting: (file: TestFile) => ReadonlySet<string>
  #assertions: readonly Assertion[] | undefined
  #used: ReturnType<typeof usedIn> | undefined

  constructor(file: TestFile, test: TestCase, asserting: (file: TestFile) => ReadonlySet<string>) {
    this.test = test
    this.file = file
    this.key = fullName(test)
    this.#asserting = asserting
    this.codeHash = createHash('sha256').update(this.text).digest('base64')
  }
  get text(): string {
    const { body, span, rows } = this.test
    return [plain(this.file.unit.tokens, body ?? [span[1], span[1]]), ...(rows ?? [])].join('\n')
  }
  get assertions(): readonly Assertion[] {
    this.#assertions ??= assertionsOf(this.file, this.test, this.#asserting(this.file))
    return this.#assertions
  }
  get words(): ReadonlySet<string> {
    this.#used ??= usedIn(this.file, this.test)
    return this.#used.words
  }
  get literals(): ReadonlySet<string> {
    this.#used ??= usedIn(this.file, this.test)
    return this.#used.literals
  }
}

function assertionsOf(file: TestFile, test: TestCase, asserting: ReadonlySet<string>): readonly Assertion[] {
  if (test.body === undefined) return []
  if (test.macro !== undefined) return [macroCall(file.unit, test.body, test.macro)]
  const others = test.name === FILE_TEST ? [...file.tests, ...file.helpers] : file.tests
  const otherTests = test.kind === 'test' ? others.filter((other) => other !== test).map(({ span }) => span) : []
  return findAssertions(file.unit, test.body, otherTests, new Set([...asserting].filter((name) => name !== test.name)))
}

const COMMON_WORDS = new Set(
  'const let var await async function return new this self it test expect assert def if else for in of true false null None True False undefined nil let public void t func err nil use mut fn class end do then'.split(
    ' ',
  ),
)

function usedIn(
  { unit, helpers }: TestFile,
  { span, body, macro, rows }: TestCase,
): { words: Set<string>; literals: Set<string> } {
  const words = new Set<string>()
  const literals = new Set<string>()
  const called = macro === undefined ? undefined : helpers.find(({ name }) => name === macro)?.body
  for (const [from, to] of [body ?? span, ...(called ? [called] : [])]) {
    for (let i = from; i < to; i++) {
      const token = unit.tokens[i]!
      if (token.kind === 'word') {
        if (!COMMON_WORDS.has(token.text)) words.add(token.text)
      } else if (token.kind === 'number') literals.add(token.text.replaceAll('_', ''))
      else if (token.kind === 'string') literals.add(stringContent(token.text))
      else if (token.kind === 'regex') literals.add(token.text)
    }
  }
  for (const row of rows ?? []) for (const literal of literalsIn(row)) literals.add(literal)
  return { words, literals }
}

/** Numbers and strings in a row. A string that is itself a list of values adds those values. */
export function literalsIn(text: string): string[] {
  const strings = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!)
  const rest = text.replace(/"(?:[^"\\]|\\.)*"/g, ' ')
  const numbers = rest.match(/(?<![\w.])\d[\w.]*/g) ?? []
  const packed = strings
    .filter((each) => /[,|;]/.test(each))
    .flatMap((each) => each.split(/\s*[,|;]\s*/).map((part) => part.replace(/^'|'$/g, '')))
  const cells = /^\S.*\|/.test(text)
    ? text.split('|').map((cell) =>
        cell
          .trim()
          .replace(/^\$\{(.*)\}$/, '$1')
          .replace(/^['"]|['"]$/g, ''),
      )
    : []
  return [...strings, ...numbers, ...packed, ...cells]
}

/** How much two sets have in common: 1 if they are equal. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1
  let both = 0
  for (const each of a) if (b.has(each)) both++
  return (2 * both) / (a.size + b.size)
}
