import { type Language, languageOf } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { headCondition } from '../assertions/call-forms.ts'
import { unreachable } from '../assertions/context.ts'
import { findAssertions } from '../assertions/find.ts'
import type { Range } from '../source/tokens-and-blocks.ts'
import { ancestors, type Block, descendants, readUnit, type Unit } from '../source/unit.ts'
import { readAnnotated } from './annotated.ts'
import { readGo } from './go.ts'
import { readJavaScript } from './javascript.ts'
import { readKotest } from './kotlin.ts'
import { FILE_TEST, type Marker, type TestCase, type TestFile } from './model.ts'
import { readPhp } from './php.ts'
import { readPython } from './python.ts'
import { readRuby } from './ruby.ts'
import { readRust, testModules } from './rust.ts'
import { loopRows } from './tables.ts'

/** How the tests of each language are found. */
const READERS: Readonly<Record<Language, (unit: Unit) => TestCase[]>> = {
  javascript: readJavaScript,
  python: readPython,
  go: readGo,
  rust: readRust,
  java: readAnnotated,
  kotlin: (unit) => [...readAnnotated(unit), ...readKotest(unit)],
  csharp: readAnnotated,
  ruby: readRuby,
  php: readPhp,
}

export function readTestFile(path: string, text: string): TestFile | undefined {
  const language = languageOf(path)
  if (language === undefined) return undefined
  return {
    ...partsOf(path, readUnit(text, language)),
    // Not kept: in a large change, only the files read last are in memory as tokens.
    get unit() {
      return readUnit(text, language)
    },
  }
}

function partsOf(path: string, unit: Unit): Omit<TestFile, 'unit'> {
  const { language, broken, unread } = unit
  if (unread) return { path, language, broken: false, unread, tests: [], helpers: [] }
  const named = nameMarkers(path, language)
  const tests = READERS[language](unit)
    .map((test) => withConditions(unit, withLoops(unit, test)))
    .map((test) => (named.length > 0 ? { ...test, markers: [...test.markers, ...named] } : test))
  const helpers = helpersOf(unit, tests, path)
  return { path, language, broken, unread, tests: [...tests, ...fileTest(unit, tests, helpers)], helpers }
}

/** Runners that run each file as a program, or only compile it, so that code outside of functions asserts too. */
const FILE_IS_TEST = /\b(?:from|require\()\s*['"](?:tap|tape|libtap|@tapjs\/\w+|zora|brittle|supertape|tsd|tstyche)['"]/

/** The assertions of a file outside of its tests and functions, as one test. */
function fileTest(unit: Unit, tests: readonly TestCase[], helpers: readonly TestCase[]): TestCase[] {
  if (unit.language !== 'javascript' || !FILE_IS_TEST.test(unit.text)) return []
  const all: Range = [0, unit.tokens.length]
  const inner = [...tests, ...helpers].map(({ span }) => span)
  if (findAssertions(unit, all, inner).length === 0) return []
  return [{ kind: 'test', name: FILE_TEST, groups: [], line: 1, span: all, body: all, markers: [] }]
}

function withLoops(unit: Unit, test: TestCase): TestCase {
  const rows = [...(test.rows ?? []), ...loopRows(unit, test.body ?? test.span)]
  return rows.length > 0 ? { ...test, rows } : test
}

/** Go compiles a file only for the system in its name. */
function nameMarkers(path: string, language: Language): Marker[] {
  const system =
    /_(windows|darwin|plan9|freebsd|openbsd|netbsd|solaris|aix|js|wasip1|android|ios|dragonfly|illumos)(?:_[a-z\d]+)?_test\.go$/.exec(
      path,
    )?.[1]
  return language === 'go' && system !== undefined
    ? [{ kind: 'skip', text: `a file for ${system}`, line: 1, condition: `build constraint ${system}` }]
    : []
}

/** Adds the condition under which a test is declared. Scripting languages allow that. */
function withConditions(unit: Unit, test: TestCase): TestCase {
  if (!SCRIPT_LANGUAGES.has(unit.language)) return test
  const conditions = ancestors(unit, test.span[0]).flatMap((block): Marker[] => {
    if (block.kind !== 'if' && block.kind !== 'else') return []
    const condition = headCondition(unit, block)
    // Tests in their source file, and files that run themselves.
    if (/import \. meta \. vitest|__name__/.test(condition) || condition === '') return []
    return [
      {
        kind: 'skip',
        text: `if (${condition})`,
        line: unit.tokens[block.head[0]]!.line,
        condition: `not ( ${condition} )`,
      },
    ]
  })
  const exitBefore =
    unit.language === 'javascript' ? unreachable(unit, test.span[0], [0, unit.tokens.length]) : undefined
  if (exitBefore !== undefined) conditions.push({ kind: 'skip', text: exitBefore, line: test.line })
  return conditions.length > 0 ? { ...test, markers: [...test.markers, ...conditions] } : test
}

const SCRIPT_LANGUAGES = new Set<Language>(['javascript', 'python', 'ruby', 'php'])

/** Named functions that are not tests and contain none. */
function helpersOf(unit: Unit, tests: readonly TestCase[], path: string): TestCase[] {
  const testOnly = unit.language === 'rust' && !/(?:^|\/)tests\//.test(path) ? testModules(unit) : undefined
  const blocks = [...descendants(unit.root)].filter((block) => {
    if (block.kind !== 'function' || block.name === '') return false
    return testOnly === undefined || testOnly.some(([from, to]) => block.head[0] >= from && block.head[0] < to)
  })
  return blocks.flatMap((block): TestCase[] => {
    const holdsTest = tests.some(({ span }) => span[0] >= block.head[0] && span[1] <= block.body[1] + 1)
    const inTest = tests.some(({ span }) => block.head[0] >= span[0] && block.body[1] <= span[1])
    if (holdsTest || inTest) return []
    return [
      {
        kind: 'helper',
        name: block.name,
        groups: classesAround(unit, block),
        line: unit.tokens[block.head[0]]!.line,
        span: [block.head[0], block.body[1]],
        body: block.body,
        markers: [],
      },
    ]
  })
}

const classesAround = (unit: Unit, block: Block) =>
  ancestors(unit, block.head[0])
    .filter(({ kind, name }) => kind === 'class' && name !== '')
    .map(({ name }) => name)
    .reverse()
