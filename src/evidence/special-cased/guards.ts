import { type Conjunction, conjunctionsOf, type Key } from './conditions.ts'
import { answersIn, functionOf, type SourceFunction } from './functions.ts'
import { ASSIGNMENTS, CALLS, CASES, CLOSURES, FUNCTIONS, IFS, LISTS, PAIRS } from './kinds.ts'
import { callOf, type Known, type Literal, literalOf, literalsIn, nameOfKey, pairOf } from './literal.ts'
import { fieldOf, fieldsOf, namedChildren, type SyntaxNode } from './node.ts'

/** A place that treats certain values in a special way. */
export interface Guard {
  /** The values that it compares with: all of them have to match. */
  readonly keys: readonly Key[]
  /** The values that follow if it matches. */
  readonly answers: readonly Literal[]
  readonly line: number
  readonly lastLine: number
  /** The map, list or `switch` it is an entry of, with the number of its entries. */
  readonly table?: {
    readonly start: number
    readonly entries: number
    readonly kind: 'map' | 'rows' | 'switch' | 'choices'
  }
  readonly owner: SourceFunction | undefined
}

export interface SourceParts {
  readonly functions: readonly SourceFunction[]
  readonly guards: readonly Guard[]
}

const MOST_GUARDS = 5_000

export function sourcePartsOf(root: SyntaxNode, known: Known = () => undefined): SourceParts {
  const functions: SourceFunction[] = []
  const guards: Guard[] = []

  const add = (
    keys: Conjunction,
    answers: readonly Literal[],
    node: SyntaxNode,
    owner: SourceFunction | undefined,
    table?: Guard['table'],
  ) => {
    if (keys.length > 0 && guards.length < MOST_GUARDS)
      guards.push({ keys, answers, line: node.line, lastLine: node.lastLine, owner, ...(table && { table }) })
  }

  const visitAll = (nodes: readonly SyntaxNode[], held: Conjunction, owner: SourceFunction | undefined) => {
    for (const node of nodes) visit(node, held, owner)
  }

  const visit = (node: SyntaxNode, held: Conjunction, owner: SourceFunction | undefined): void => {
    // Rust keeps tests in the same file.
    if (node.type === 'mod_item' && /^tests?$/.test(fieldOf(node, 'name')?.text ?? '')) return
    if (FUNCTIONS.has(node.type) || CLOSURES.has(node.type)) {
      const described = functionOf(node)
      if (described !== undefined) functions.push(described)
      visitAll(node.children, described === undefined ? held : [], described ?? owner)
      return
    }
    if (IFS.has(node.type)) {
      const { condition, consequence, otherwise } = branchesOf(node)
      const choices = condition === undefined || /^unless/.test(node.type) ? [] : conjunctionsOf(condition, known)
      const table =
        choices.length < 3
          ? undefined
          : { start: condition?.start ?? node.start, entries: choices.length, kind: 'choices' as const }
      for (const choice of choices)
        add([...held, ...choice], consequence.flatMap(answersIn), condition ?? node, owner, table)
      const inner = choices.length === 1 ? [...held, ...choices[0]!] : held
      visitAll(consequence, inner, owner)
      visitAll([...(condition === undefined ? [] : [condition]), ...otherwise], held, owner)
      return
    }
    if (CASES.has(node.type)) {
      const { patterns, body } = caseOf(node)
      const entries = node.parent === undefined ? 1 : node.parent.children.filter(({ type }) => CASES.has(type)).length
      const answers = body.flatMap(answersIn)
      const table = { start: node.parent?.start ?? node.start, entries, kind: 'switch' as const }
      const subject = subjectOf(node)
      for (const pattern of patterns)
        add([...held, subject === undefined ? pattern : { ...pattern, subject }], answers, node, owner, table)
      visitAll(body, patterns.length === 1 ? [...held, patterns[0]!] : held, owner)
      return
    }
    if (LISTS.has(node.type))
      tableEntries(node, (key, answers, entry, table) => add([...held, key], answers, entry, owner, table))
    if (CALLS.has(node.type)) {
      const call = callOf(node)
      if (call !== undefined && /^(?:put|set|insert|store)$/.test(call.name) && call.args.length === 2) {
        const [key, value] = call.args.map((each) => literalOf(each))
        if (key !== undefined && value !== undefined) add([...held, key], [value], node, owner)
      }
    }
    if (ASSIGNMENTS.has(node.type)) {
      const left = fieldOf(node, 'left')
      const right = fieldOf(node, 'right')
      if (left !== undefined && right !== undefined && /subscript|index|element_reference/.test(left.type)) {
        const index = fieldOf(left, 'subscript', 'index') ?? namedChildren(left)[1]
        const [key, value] = [index === undefined ? undefined : literalOf(index), literalOf(right)]
        if (key !== undefined && value !== undefined) add([...held, key], [value], node, owner)
      }
    }
    // `return x == "a"` answers `true` for one value.
    if (/^return/.test(node.type)) {
      const value = namedChildren(node)[0]
      if (value !== undefined && !IFS.has(value.type))
        for (const choice of conjunctionsOf(value, known)) add([...held, ...choice], [YES], node, owner)
    }
    visitAll(node.children, held, owner)
  }

  visit(root, [], undefined)
  return { functions, guards }
}

const YES: Literal = { kind: 'constant', tokens: ['true'], key: '\u001ftrue\u001f', weight: 0, parts: [], line: 0 }

function branchesOf(node: SyntaxNode) {
  const condition = fieldOf(node, 'condition')
  if (condition === undefined) {
    // Python's `a if b else c` has no names for its parts.
    const [then, test, ...otherwise] = namedChildren(node)
    return { condition: test, consequence: then === undefined ? [] : [then], otherwise }
  }
  const consequence = [...fieldsOf(node, 'consequence'), ...fieldsOf(node, 'body')]
  return { condition, consequence, otherwise: [...fieldsOf(node, 'alternative'), ...fieldsOf(node, 'initializer')] }
}

const PATTERN_FIELDS = new Set(['pattern', 'conditional_expressions'])
const PATTERN_TYPES = new Set(['case_pattern', 'switch_label', 'pattern', 'match_condition_list'])

function caseOf(node: SyntaxNode): { readonly patterns: readonly Literal[]; readonly body: readonly SyntaxNode[] } {
  const isPattern = ({ field = '', type }: SyntaxNode) =>
    PATTERN_FIELDS.has(field) || PATTERN_TYPES.has(type) || (field === 'value' && node.type !== 'match_arm')
  const named = namedChildren(node)
  const patterns = named.filter(isPattern).flatMap((pattern) => {
    const values = pattern.type === 'expression_list' ? namedChildren(pattern) : [pattern]
    return values.flatMap((value) => literalsIn(value, () => false))
  })
  return { patterns, body: named.filter((child) => !isPattern(child)) }
}

function subjectOf(node: SyntaxNode): string | undefined {
  const around = node.parent?.field === 'body' ? node.parent.parent : node.parent
  const subject = around === undefined ? undefined : fieldOf(around, 'subject', 'value', 'condition')
  return subject?.text.replace(/^\((.*)\)$/s, '$1')
}

type Entry = (key: Literal, answers: readonly Literal[], node: SyntaxNode, table: NonNullable<Guard['table']>) => void

/** Entries of a map, and rows of a list of pairs. */
function tableEntries(node: SyntaxNode, add: Entry): void {
  const children = namedChildren(node)
  const pairs = children.filter(({ type }) => PAIRS.has(type)).map((child) => ({ child, pair: pairOf(child) }))
  const full = pairs.filter(({ pair }) => pair.length === 2)
  if (full.length > 0) {
    for (const { child, pair } of full) {
      const key = nameOfKey(pair[0]!) ?? literalOf(pair[0]!)
      const value = literalOf(pair[1]!)
      if (key !== undefined && value !== undefined)
        add(key, [value], child, { start: node.start, entries: full.length, kind: 'map' })
    }
    return
  }
  const rows = children.map((child) => ({
    child,
    value: LISTS.has(unwrapped(child).type) ? literalOf(child) : undefined,
  }))
  if (rows.length === 0 || rows.some(({ value }) => value === undefined || value.parts.length < 2)) return
  for (const { child, value } of rows) {
    const [key, ...answers] = value!.parts
    add(key!, answers, child, { start: node.start, entries: rows.length, kind: 'rows' })
  }
}

const unwrapped = (node: SyntaxNode): SyntaxNode =>
  node.type === 'literal_element' ? (namedChildren(node)[0] ?? node) : node
