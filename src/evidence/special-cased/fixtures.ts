import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { isTestSupport } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { type Literal, listLiteral, scalarLiteral } from './literal.ts'
import type { TestCase } from './test-cases.ts'

const LONGEST = 200_000
const MOST_FILES = 30
const MOST_ROWS = 500
const DATA = /\.(?:json|ya?ml)$/

export const isData = (path: string): boolean => DATA.test(path)

/** The files of examples that a test file reads, as far as the quoted names and parts of paths in its text show it. */
export function fixturesOf(text: string, dataFiles: readonly string[]): readonly string[] {
  const words = new Set([...text.matchAll(/(?<=["'`/])[\w.-]+(?=["'`/])/g)].map(([word]) => word))
  const isRead = (path: string) => {
    const [name = '', folder = ''] = path.split('/').reverse()
    if (words.has(name)) return true
    return (words.has(folder) || words.has(name.replace(DATA, ''))) && isTestSupport(path)
  }
  return dataFiles.filter(isRead).slice(0, MOST_FILES)
}

/** A map with such a key is an example. */
const EXAMPLE = /^(?:in|inp|inputs?|args?|arguments|given|params?|out|outputs?|expect\w*|want\w*|results?|answers?)$/i

const ARGUMENTS = /^(?:args|arguments|params|parameters)$/i

/** The examples in a JSON or YAML file. `calls` are the functions that its test calls. */
export function fixtureCases(text: string, file: string, calls: readonly string[]): readonly TestCase[] {
  if (text.length > LONGEST) return []
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' })
  if (document.errors.length > 0) return []
  const cases: TestCase[] = []
  const visit = (node: unknown, isInside: boolean): void => {
    if (cases.length >= MOST_ROWS || (!isMap(node) && !isSeq(node))) return
    const values = valuesOf(node)
    const isExample = isMap(node)
      ? node.items.some(({ key }) => isScalar(key) && EXAMPLE.test(String(key.value)))
      : isInside && values.some(isScalar)
    if (values.length < 2 || !(isExample || (isInside && values.some(isScalar)))) {
      for (const each of values) visit(each, true)
      return
    }
    const line = lines.linePos(node.range?.[0] ?? 0).line
    const named = isMap(node) ? node.items.map(({ key }) => isScalar(key) && ARGUMENTS.test(String(key.value))) : []
    const members = values.flatMap((each, at) => membersOf(each, line, named[at]))
    const row = { callee: undefined, calls, positions: [], runsProgram: false, file, line, test: '' }
    cases.push({ ...row, inputs: members, outputs: members })
  }
  visit(document.contents, false)
  return cases
}

const valuesOf = (node: unknown): readonly unknown[] =>
  isMap(node) ? node.items.map(({ value }) => value) : isSeq(node) ? node.items : []

/** The arguments in `{"a": 4, "b": 7}` and `"args": [4, 7]` count one by one and together. */
function membersOf(node: unknown, line: number, areArguments = false): readonly Literal[] {
  const literal = literalOf(node, line)
  const parts =
    isMap(node) || (areArguments && isSeq(node)) ? valuesOf(node).flatMap((each) => literalOf(each, line) ?? []) : []
  return literal === undefined ? [] : [literal, ...parts]
}

function literalOf(node: unknown, line: number): Literal | undefined {
  if (isScalar(node)) return scalarLiteral(node.value, line)
  if (!isMap(node) && !isSeq(node)) return undefined
  return listLiteral(
    valuesOf(node).flatMap((each) => literalOf(each, line) ?? []),
    line,
  )
}
