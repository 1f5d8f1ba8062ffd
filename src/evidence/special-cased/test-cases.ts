import { ASSIGNMENTS, BLOCKS, CALLS, FUNCTIONS, PAIRS } from './kinds.ts'
import { callOf, type Known, type Literal, listLiteral, literalOf, literalsIn, pairOf } from './literal.ts'
import { fieldOf, namedChildren, type SyntaxNode, walk } from './node.ts'

/** One example of a test: what it passes to the program, and what it expects. */
export interface TestCase {
  /** The function it calls; undefined for the row of a table. */
  readonly callee: string | undefined
  /** The functions that its test file calls, and the programs it names. Empty if `callee` says it. */
  readonly calls: readonly string[]
  readonly inputs: readonly Literal[]
  /** The arguments by position, if that is how they are given. */
  readonly positions: readonly (Literal | undefined)[]
  /** It runs a program, so that inputs and outputs are texts with many values. */
  readonly runsProgram: boolean
  readonly outputs: readonly Literal[]
  readonly file: string
  readonly line: number
  /** Name of the test. */
  readonly test: string
}

/** Calls that run a program with input. */
const RUNS_PROGRAM =
  /^(?:run|check_output|Popen|communicate|spawnSync|execSync|execFileSync|spawn|invoke|main|Command|capture2e?|capture3|shell_exec|proc_open)$/
const MOST_CASES = 3_000
/** How many statements after a call may compare its result. */
const FOLLOWING = 8

export interface TestExamples {
  readonly cases: readonly TestCase[]
  /** The functions that the test file calls, and the programs it names. */
  readonly calls: readonly string[]
}

/** The examples in a test file that concern functions with these names, or programs in files with these names. */
export function testCasesIn(
  root: SyntaxNode,
  file: string,
  names: ReadonlySet<string>,
  programs: readonly string[],
): TestExamples {
  const constants = constantsIn(root)
  const known: Known = (name) => constants.get(name)
  const isTarget = (node: SyntaxNode) => {
    const name = CALLS.has(node.type) ? callOf(node)?.name : undefined
    return name !== undefined && (names.has(name) || RUNS_PROGRAM.test(name))
  }
  const cases: TestCase[] = []
  const called = calledIn(root, isTarget)
  if (called.length === 0) return { cases, calls: [] }
  const calls = [...called, ...programs.filter((each) => root.text.includes(each))]
  walk(root, (node) => {
    if (cases.length >= MOST_CASES) return false
    const call = callOf(node)
    if (call !== undefined && isTarget(node)) {
      const direct = directCase(node, { known, isTarget, calls, file })
      if (direct !== undefined) {
        cases.push(direct)
        return false
      }
    } else if (isRow(node)) {
      const members = membersOf(node, known)
      if (members.length < 2) return undefined
      cases.push({
        callee: undefined,
        calls,
        inputs: members,
        positions: [],
        runsProgram: false,
        outputs: members,
        file,
        line: node.line,
        test: testNameOf(node),
      })
      return false
    }
    return undefined
  })
  return { cases, calls }
}

function calledIn(root: SyntaxNode, isTarget: (node: SyntaxNode) => boolean): readonly string[] {
  const names = new Set<string>()
  walk(root, (node) => {
    if (isTarget(node)) names.add(callOf(node)?.name ?? '')
  })
  return [...names]
}

/** Names that are assigned a literal in this file, except those assigned more than once. */
export function constantsIn(root: SyntaxNode): ReadonlyMap<string, Literal> {
  const found = new Map<string, Literal | undefined>()
  walk(root, (node) => {
    if (!ASSIGNMENTS.has(node.type)) return
    const left = fieldOf(node, 'left', 'name', 'pattern')
    const right = fieldOf(node, 'right', 'value')
    if (left === undefined || right === undefined) return
    const isFirst = !found.has(left.text) && !/augmented|operator_assignment|compound/.test(node.type)
    found.set(left.text, isFirst ? literalOf(right) : undefined)
  })
  return new Map([...found].flatMap(([name, literal]) => (literal === undefined ? [] : [[name, literal] as const])))
}

interface Reading {
  readonly known: Known
  readonly isTarget: (node: SyntaxNode) => boolean
  readonly calls: readonly string[]
  readonly file: string
}

function directCase(node: SyntaxNode, { known, isTarget, calls, file }: Reading): TestCase | undefined {
  const call = callOf(node)
  if (call === undefined) return undefined
  const given =
    call.receiver !== undefined && CALLS.has(call.receiver.type)
      ? [...(callOf(call.receiver)?.args ?? []), ...call.args]
      : call.args
  const inputs = given.flatMap((each) => literalOf(each, known) ?? [])
  if (inputs.length === 0) return undefined
  const statement = statementOf(node)
  const outputs = [...literalsIn(statement, isTarget, known)]
  const name = assignedName(statement, node)
  if (name !== undefined) {
    for (const next of followers(statement).slice(0, FOLLOWING)) {
      if (new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w])`).test(next.text))
        outputs.push(...literalsIn(next, isTarget, known))
    }
  }
  if (outputs.length === 0) return undefined
  const byPosition = call.args.every(({ type }) => !/keyword|spread|splat/.test(type))
  const positions = byPosition ? call.args.map((each) => literalOf(each, known)) : []
  const runsProgram = RUNS_PROGRAM.test(call.name) && inputs.some(({ kind }) => kind === 'text')
  return {
    callee: call.name,
    calls: runsProgram ? calls : [],
    inputs,
    positions,
    runsProgram,
    outputs: outputs.slice(0, 50),
    file,
    line: node.line,
    test: testNameOf(node),
  }
}

const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const isStatement = ({ type, parent }: SyntaxNode) =>
  parent === undefined || BLOCKS.has(parent.type) || /(?:_statement|_declaration)$/.test(type)

function statementOf(node: SyntaxNode): SyntaxNode {
  let at = node
  while (!isStatement(at) && at.parent !== undefined) at = at.parent
  // Go: `if got := f(1); got != 2 {` is the statement around it.
  return at.parent?.type === 'if_statement' && at.field === 'initializer' ? at.parent : at
}

/** The variable that a statement assigns the call's result to. */
function assignedName(statement: SyntaxNode, call: SyntaxNode): string | undefined {
  for (let at: SyntaxNode | undefined = call; at !== undefined; at = at.parent) {
    if (ASSIGNMENTS.has(at.type)) {
      const left = fieldOf(at, 'left', 'name', 'pattern')
      return left === undefined ? undefined : /[$@]?[\p{L}_][\p{L}\p{N}_]*/u.exec(left.text)?.[0]
    }
    if (at === statement) return undefined
  }
  return undefined
}

function followers(statement: SyntaxNode): readonly SyntaxNode[] {
  const siblings = statement.parent === undefined ? [] : namedChildren(statement.parent)
  return siblings.slice(siblings.indexOf(statement) + 1)
}

const ROWS =
  /^(?:list|tuple|array|object|dictionary|hash|literal_value|array_expression|tuple_expression|array_creation_expression|array_initializer)$/
const ANNOTATED = /^(?:case|test_case|values|CsvSource|InlineData|TestCase|DataRow|param|with)$/

/** An element of a list, a value of a map of examples, or the arguments of an annotation that gives a test its values. */
function isRow(node: SyntaxNode): boolean {
  const { type, parent } = node
  if (type === 'attribute' || type === 'annotation')
    return ANNOTATED.test(/\w+/.exec(node.text.replace(/^@/, ''))?.[0] ?? '')
  if (CALLS.has(type)) return ANNOTATED.test(callOf(node)?.name ?? '')
  if (!ROWS.test(type) || parent === undefined) return false
  const outer = parent.type === 'literal_element' || PAIRS.has(parent.type) ? parent.parent : parent
  return outer !== undefined && ROWS.test(outer.type)
}

function membersOf(node: SyntaxNode, known: Known): readonly Literal[] {
  if (node.type === 'annotation' || node.type === 'attribute') return literalsIn(node, () => false, known)
  const list = CALLS.has(node.type) ? (callOf(node)?.args ?? []) : namedChildren(node)
  return list.flatMap((child): readonly Literal[] => {
    if (PAIRS.has(child.type)) {
      const value = pairOf(child).at(-1)
      const literal = value === undefined ? undefined : literalOf(value, known)
      return literal === undefined ? [] : [literal]
    }
    const literal = literalOf(child, known)
    return literal === undefined ? [] : [literal]
  })
}

/** The name of the test around a node: of its function, or the first text of the call it is in. */
export function testNameOf(node: SyntaxNode): string {
  for (let at: SyntaxNode | undefined = node.parent; at !== undefined; at = at.parent) {
    if (FUNCTIONS.has(at.type)) return fieldOf(at, 'name')?.text ?? ''
    const call = callOf(at)
    const title =
      call !== undefined && /^(?:it|test|describe|context|specify|Run|each|subtest|suite)$/.test(call.name)
        ? call.args[0]
        : undefined
    if (title !== undefined && /string/.test(title.type)) return title.text.slice(1, -1)
  }
  return ''
}

/** All inputs together, so that values on several lines or in several arguments can be found in them. */
export const allOf = (literals: readonly Literal[]): Literal => listLiteral(literals, 0)
