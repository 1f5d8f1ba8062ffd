import { type Language, languageOf } from '../test-files.ts'
import { CALLS, CLOSURES, FUNCTIONS } from './kinds.ts'
import { callOf } from './literal.ts'
import { fieldOf, readTree, type SyntaxNode, walk } from './node.ts'
import { JAVASCRIPT_PROBE, PYTHON_PROBE } from './probe-helpers.ts'
import { type TestCase, testNameOf } from './test-cases.ts'

const PROBES: Partial<Record<Language, string>> = { javascript: JAVASCRIPT_PROBE, python: PYTHON_PROBE }

/** Tests and source that touch more than memory are not called more often than the tests do. */
const MODULES =
  'requests|urllib\\d?|httpx|aiohttp|https?|http2|net|tls|dgram|socket|axios|undici|got|subprocess|child_process|worker_threads|cluster|execa|os|shutil|pathlib|io|fs|fs/promises|sqlite3?|better-sqlite3|psycopg\\w*|mysql\\w*|pg|redis|mongo\\w*|boto3|knex|sqlalchemy|django|threading|multiprocessing|asyncio'
const IMPORTS = new RegExp(`\\b(?:import|from|require\\()\\s*["']?(?:node:|@prisma/)?(?:${MODULES})\\b`)
const USES =
  /(?<![.\w])exec\s*\(|\b(?:fetch|open|spawn|fork|exit|eval|setInterval|writeFile\w*|unlink\w*|mkdir\w*)\s*\(|\b(?:process\.env|environ|localStorage|document|window)\b\s*[.[]/

export const touchesMore = (text: string): boolean => IMPORTS.test(text) || USES.test(text)

export const canBeProbed = (path: string): boolean => PROBES[languageOf(path) ?? 'go'] !== undefined

/** A test file in which calls are repeated with changed inputs. */
export interface ProbedTests {
  /** With the path of the file to write the answers to. */
  readonly textFor: (log: string) => string
  readonly calls: readonly TestCase[]
}

/** The test file with every call of these functions repeated with changed inputs; undefined if there is none. */
export function probedTests(text: string, path: string, names: ReadonlySet<string>): ProbedTests | undefined {
  const language = languageOf(path)
  const probe = language === undefined ? undefined : PROBES[language]
  const root = probe === undefined || touchesMore(text) ? undefined : readTree(text, language!)
  if (probe === undefined || root === undefined) return undefined
  const edits: { readonly at: number; readonly text: string }[] = []
  const calls: TestCase[] = []
  walk(root, (node) => {
    const call = CALLS.has(node.type) && node.type !== 'new_expression' ? callOf(node) : undefined
    const callee = call === undefined ? undefined : fieldOf(node, 'function')
    if (call === undefined || callee === undefined || !names.has(call.name) || !isInFunction(node)) return
    const { text: object } = call.receiver ?? { text: undefined }
    if (object === undefined ? callee.text !== call.name : !isImported(object, text)) return
    const self = object === undefined || language === 'python' ? '' : `, ${object}`
    const none = { calls: [], inputs: [], positions: [], outputs: [], runsProgram: false }
    calls.push({ ...none, callee: call.name, test: testNameOf(node), file: path, line: node.line })
    edits.push({ at: callee.start, text: 'exitgateProbe(' })
    edits.push({ at: callee.start + callee.text.length, text: `, ${JSON.stringify(call.name)}${self})` })
  })
  if (edits.length === 0) return undefined
  let changed = text
  for (const edit of edits.sort((a, b) => b.at - a.at))
    changed = changed.slice(0, edit.at) + edit.text + changed.slice(edit.at)
  return { textFor: (log) => changed + probe.replaceAll('__LOG__', () => JSON.stringify(log)), calls }
}

/** The helper is defined at the end of the file, so it is there when the tests run, and not while the file is loaded. */
function isInFunction(node: SyntaxNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (/decorator|annotation/.test(at.type)) return false
    if (FUNCTIONS.has(at.type) || CLOSURES.has(at.type)) return true
  }
  return false
}

/** Methods of an object may depend on what was called before. */
const isImported = (name: string, text: string) =>
  /^[\w$]+$/.test(name) &&
  new RegExp(
    `^\\s*(?:import\\b.*\\b|from\\b.*\\b|(?:const|let|var)\\s+)${name}\\b.*(?:import|from|require|$)`,
    'm',
  ).test(text)

interface Line {
  readonly of: string
  readonly args: string
  /** What a call of the test returned. */
  readonly example?: string | null
  /** What a call with changed inputs returned; null if it is not plain data. */
  readonly value?: string | null
  readonly throws?: true
}

export interface OneAnswer {
  /** The function. */
  readonly name: string
  /** What it does for every changed input. */
  readonly answer: 'throws' | 'null' | string
  readonly changed: number
  readonly examples: number
}

/** So many changed inputs, of at least two examples, have to agree. */
const LEAST_CHANGED = 6

/** Functions that answer every changed input in the same way, while the examples of the tests get different answers. */
export function oneAnswers(log: string): readonly OneAnswer[] {
  const lines = log.split('\n').flatMap(readLine)
  return [...new Set(lines.map(({ of }) => of))].flatMap((name) => {
    const own = lines.filter(({ of }) => of === name)
    const examples = new Map(own.flatMap(({ args, example }) => (example == null ? [] : [[args, example]])))
    const changed = new Map(
      own.flatMap((line) => (line.example === undefined && !examples.has(line.args) ? [[line.args, line]] : [])),
    )
    const answers = new Set([...changed.values()].map(({ throws, value }) => (throws ? 'throws' : value)))
    const [answer] = answers
    const values = new Set(examples.values())
    // An answer that examples get as well can be right: most numbers are not prime.
    if (values.size < 2 || changed.size < LEAST_CHANGED || answers.size !== 1 || answer == null || values.has(answer))
      return []
    return [{ name, answer: answer === 'None' ? 'null' : answer, changed: changed.size, examples: examples.size }]
  })
}

function readLine(text: string): readonly Line[] {
  try {
    const line = JSON.parse(text)
    return typeof line?.of === 'string' && typeof line.args === 'string' ? [line] : []
  } catch {
    return []
  }
}
