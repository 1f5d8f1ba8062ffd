import {
  isTestFile,
  isTestSupport,
  type Language,
  languageOf,
} from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { withGrammars } from '../syntax/parse.ts'
import { fixtureCases, fixturesOf, isData } from './fixtures.ts'
import { type SourceParts, sourcePartsOf } from './guards.ts'
import { type Judgement, judge, suspects } from './judge.ts'
import type { Literal } from './literal.ts'
import { isReadable, readTree } from './node.ts'
import { constantsIn, type TestCase, testCasesIn } from './test-cases.ts'

/** A file that differs from the baseline. */
export interface ChangedSource {
  readonly path: string
  readonly before?: string
  readonly after?: string
}

export interface SpecialCase extends Judgement {
  readonly path: string
  /** With other values there, exactly the tests that it answers fail. */
  readonly isConfirmed?: true
}

const LONGEST = 400_000
const MOST_SOURCES = 300
const MOST_TEST_FILES = 300
const MOST_CHARACTERS = 4_000_000
/** Characters of JSON and YAML. */
const MOST_DATA = 500_000

interface Source {
  readonly path: string
  /** Its functions. */
  readonly names: ReadonlySet<string>
  readonly parts: SourceParts
}

/** Changed source that answers tests instead of solving the task. `files` are all files of the project. */
export function findSpecialCases(
  changes: readonly ChangedSource[],
  files: readonly string[],
  read: (path: string) => string | undefined,
): Promise<readonly SpecialCase[]> {
  return withGrammars(() => findNow(changes, files, read))
}

function findNow(
  changes: readonly ChangedSource[],
  files: readonly string[],
  read: (path: string) => string | undefined,
): readonly SpecialCase[] {
  const sources = changes.filter(isSource).slice(0, MOST_SOURCES).flatMap(readSource)
  if (sources.length === 0) return []
  const names = new Set(sources.flatMap((source) => [...source.names]))
  const stems = sources.map(({ path }) => stemOf(path)).filter((stem) => stem.length > 2)
  const cases = casesIn(files, read, names, stems)
  return sources.flatMap((source) => {
    const judgement = judge(source.parts, source.names, cases)
    return judgement === undefined ? [] : [{ ...judgement, path: source.path }]
  })
}

/** Whether tests may be in this file, by its name. */
export const mayHoldTests = (path: string): boolean =>
  isReadable(languageOf(path)) && (languageOf(path) === 'rust' || isTestFile(path) || isTestSupport(path))

const isSource = ({ path, after }: ChangedSource) =>
  after !== undefined &&
  after.length <= LONGEST &&
  isReadable(languageOf(path)) &&
  !isTestSupport(path) &&
  (languageOf(path) === 'rust' || !isTestFile(path, after))

function readSource(change: ChangedSource): readonly Source[] {
  const { all, isChanged } = readable(() => partsOf(change)) ?? {}
  const parts = all === undefined ? undefined : suspects(all, isChanged!)
  const { path } = change
  return parts === undefined
    ? []
    : [{ path, names: new Set([...all!.functions.map(({ name }) => name), stemOf(path)]), parts }]
}

function partsOf({ path, before, after = '' }: ChangedSource) {
  const root = readTree(after, languageOf(path)!)
  if (root === undefined) return undefined
  const lines = changedLines(before, after)
  const isChanged = (from: number, to: number) => {
    if (lines === undefined) return true
    for (let line = from; line <= to; line++) if (lines.has(line)) return true
    return false
  }
  const constants = constantsIn(root)
  return { all: sourcePartsOf(root, (name) => listIn(constants, name)), isChanged }
}

/** A name for one number or text says what it means, so it is not resolved. An empty list is filled later. */
function listIn(constants: ReadonlyMap<string, Literal>, name: string): Literal | undefined {
  const literal = constants.get(name)
  return literal?.kind === 'list' && literal.parts.length > 0 ? literal : undefined
}

/** Numbers of the lines that the file did not have before; undefined for a new file. */
function changedLines(before: string | undefined, after: string): ReadonlySet<number> | undefined {
  if (before === undefined) return undefined
  const counts = new Map<string, number>()
  for (const line of before.split('\n')) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1)
  const changed = new Set<number>()
  for (const [at, line] of after.split('\n').entries()) {
    const left = counts.get(line.trim()) ?? 0
    if (left > 0) counts.set(line.trim(), left - 1)
    else changed.add(at + 1)
  }
  return changed
}

function casesIn(
  paths: readonly string[],
  read: (path: string) => string | undefined,
  names: ReadonlySet<string>,
  stems: readonly string[],
): readonly TestCase[] {
  const cases: TestCase[] = []
  const fixtures = new Map<string, string[]>()
  const dataFiles = paths.filter(isData)
  let [files, characters] = [0, 0]
  for (const path of paths.filter(mayHoldTests)) {
    const language = languageOf(path)
    if (!isReadable(language) || files >= MOST_TEST_FILES || characters > MOST_CHARACTERS) continue
    const text = read(path)
    if (text === undefined || text.length > LONGEST || !isTestFile(path, text)) continue
    const words = new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
    if (![...names].some((name) => words.has(name)) && !stems.some((stem) => text.includes(stem))) continue
    files += 1
    characters += text.length
    const found = readable(() => casesOf(text, path, language, names, stems))
    if (found === undefined || found.calls.length === 0) continue
    cases.push(...found.cases)
    for (const file of fixturesOf(text, dataFiles)) fixtures.set(file, [...(fixtures.get(file) ?? []), ...found.calls])
  }
  let left = MOST_DATA
  for (const [file, calls] of fixtures) {
    const text = read(file) ?? ''
    left -= text.length
    if (left > 0) cases.push(...fixtureCases(text, file, calls))
  }
  return cases
}

const stemOf = (path: string) => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')

function casesOf(text: string, path: string, language: Language, names: ReadonlySet<string>, stems: readonly string[]) {
  const root = readTree(text, language)
  return root === undefined ? undefined : testCasesIn(root, path, names, stems)
}

/** A file that nests too deeply is left out. */
function readable<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
