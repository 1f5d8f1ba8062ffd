import {
  BOOLEANS,
  CALLS,
  CONSTANTS,
  CONVERSIONS,
  LISTS,
  NEGATIVES,
  NUMBERS,
  PAIRS,
  STRINGS,
  WRAPPERS,
} from './kinds.ts'
import { fieldOf, namedChildren, type SyntaxNode } from './node.ts'

/** A value written in the program. */
export interface Literal {
  /** Its numbers and words in order. A list, its `repr` and the same values on a line of input have the same ones. */
  readonly tokens: readonly string[]
  /** The tokens as one text, for comparing. */
  readonly key: string
  /** How much it says: 0 for `0`, `""` and `true`, more for long texts and lists. */
  readonly weight: number
  readonly parts: readonly Literal[]
  readonly kind: 'number' | 'text' | 'constant' | 'list'
  readonly line: number
  /** The text itself. */
  readonly text?: string
  /** Where a single number or text is written. */
  readonly at?: readonly [from: number, to: number]
}

/** Looks up a name that stands for a literal. */
export type Known = (name: string) => Literal | undefined

const BETWEEN = '\u001f'
const MOST_TOKENS = 2_000
const HEAVIEST = 12

/** Programs often compare in lower case. */
const joined = (tokens: readonly string[]) => BETWEEN + tokens.join(BETWEEN).toLowerCase() + BETWEEN

/** The same for the same values in any order. */
export const anyOrder = ({ tokens }: Literal): string => joined([...tokens].sort())

function make(
  kind: Literal['kind'],
  tokens: readonly string[],
  weight: number,
  line: number,
  parts: readonly Literal[] = [],
): Literal {
  const kept = tokens.slice(0, MOST_TOKENS)
  return { kind, tokens: kept, key: joined(kept), weight: Math.min(weight, HEAVIEST), parts, line }
}

export const listLiteral = (parts: readonly Literal[], line: number): Literal =>
  make(
    'list',
    parts.length === 0 ? ['[]'] : parts.flatMap(({ tokens }) => tokens),
    parts.reduce((sum, { weight }) => sum + Math.max(weight, 0.5), 0),
    line,
    parts,
  )

const unnamed: Known = () => undefined

/** The value of an expression that consists of literals, or undefined. */
export function literalOf(node: SyntaxNode, known: Known = unnamed): Literal | undefined {
  const { type, line } = node
  if (STRINGS.has(type)) return placed(textOf(node), node)
  if (NUMBERS.has(type)) return placed(numberOf(node.text, line), node)
  const constant = BOOLEANS.has(type) ? node.text.toLowerCase() : CONSTANTS.get(type)
  if (constant !== undefined) return make('constant', [constant], 0, line)
  if (NEGATIVES.has(type)) {
    const inner = namedChildren(node).at(-1)
    const value = node.text.startsWith('-') && inner !== undefined ? literalOf(inner) : undefined
    return value?.kind === 'number' ? placed(numberOf(`-${value.tokens[0]}`, line), inner!) : undefined
  }
  if (type === 'array_creation_expression' || type === 'composite_literal') {
    const body = fieldOf(node, 'value', 'body')
    if (body !== undefined) return literalOf(body, known)
  }
  if (WRAPPERS.has(type)) {
    const inner = fieldOf(node, 'value') ?? namedChildren(node)[0]
    return inner === undefined ? undefined : literalOf(inner, known)
  }
  if (LISTS.has(type)) return elementsOf(node, known)
  if (CALLS.has(type)) return convertedOf(node, known)
  return type === 'identifier' || type === 'variable_name' || type === 'constant' ? known(node.text) : undefined
}

const placed = (literal: Literal | undefined, { start, text }: SyntaxNode): Literal | undefined =>
  literal && { ...literal, at: [start, start + text.length] }

function numberOf(text: string, line: number): Literal | undefined {
  const plain = text.replace(/_/g, '').replace(/(?<=[\d.])(?:n|[lLuUfFdD]|[iu](?:8|16|32|64|128|size)|f(?:32|64))$/, '')
  const value = Number(plain)
  if (Number.isNaN(value)) return undefined
  const size = Math.abs(value)
  const weight = !Number.isInteger(value)
    ? 3
    : size < 2
      ? 0
      : size === 2
        ? 0.5
        : size <= 10
          ? 1
          : size <= 100
            ? 2
            : size <= 1000
              ? 3
              : 4
  return make('number', [String(value)], weight, line)
}

const TOKENS = /-?\d+(?:\.\d+)?|[\p{L}\d_]+|[^\s[\](){},:;'"\\]/gu
const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['nil', 'null'],
])

function textOf(node: SyntaxNode): Literal | undefined {
  const parts = node.type === 'concatenated_string' ? namedChildren(node) : [node]
  let text = ''
  for (const part of parts) {
    if (part.children.some(({ type }) => /interpolation|substitution|variable_name/.test(type))) return undefined
    const contents = part.children.filter(({ type, named }) => named && !/_(?:start|end)$/.test(type))
    text +=
      contents.length > 0
        ? contents.map((each) => each.text).join('')
        : part.text.replace(/^[rbuRBU]?(["'`]|""")|(["'`]|""")$/g, '')
  }
  return textLiteral(unescaped(text), node.line)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' }
const unescaped = (text: string) => text.replace(/\\(.)/gs, (_, sign: string) => ESCAPES[sign] ?? sign)

export function textLiteral(text: string, line: number): Literal {
  const raw = text.slice(0, 20_000)
  const tokens = (raw.match(TOKENS) ?? []).map((token) =>
    /^-?\d/.test(token) && Number.isFinite(Number(token)) ? String(Number(token)) : (SAME_WORD.get(token) ?? token),
  )
  const size = raw.trim().length
  const words = tokens.length === 0 ? Math.min(size, 4) / 2 : tokens.length + (size > 3 ? 2 : size > 1 ? 1 : 0)
  return { ...make('text', tokens.length > 0 ? tokens : [raw.trim()], size === 0 ? 0 : words, line), text: raw }
}

/** A value that was read from a file. */
export const scalarLiteral = (value: unknown, line: number): Literal | undefined =>
  typeof value === 'string'
    ? textLiteral(value, line)
    : typeof value === 'number'
      ? numberOf(String(value), line)
      : make('constant', [String(value)], 0, line)

function elementsOf(node: SyntaxNode, known: Known): Literal | undefined {
  const parts: Literal[] = []
  if (/_array$/.test(node.type))
    return listLiteral(
      namedChildren(node).map((each) => textLiteral(each.text, each.line)),
      node.line,
    )
  for (const child of namedChildren(node)) {
    const members = PAIRS.has(child.type) ? pairOf(child) : [child]
    for (const member of members) {
      const value = nameOfKey(member) ?? literalOf(member, known)
      if (value === undefined) return undefined
      parts.push(value)
    }
  }
  return node.type === 'expression_list' && parts.length === 1 ? parts[0] : listLiteral(parts, node.line)
}

/** Key and value, or the value alone. */
export function pairOf(node: SyntaxNode): readonly SyntaxNode[] {
  const key = fieldOf(node, 'key')
  const value = fieldOf(node, 'value')
  return key !== undefined && value !== undefined ? [key, value] : namedChildren(node)
}

/** `a` in `{a: 1}`. */
export function nameOfKey(node: SyntaxNode): Literal | undefined {
  const inner = node.type === 'literal_element' ? namedChildren(node)[0] : node
  const isName =
    inner !== undefined &&
    (/^(?:property_identifier|hash_key_symbol)$/.test(inner.type) ||
      (inner !== node && inner.type === 'identifier' && node.field === 'key'))
  return isName ? placed(textLiteral(inner.text, inner.line), inner) : undefined
}

/** What a call calls: the last name of `a.b.c(...)`, what it is called on, and its arguments. */
export interface Call {
  readonly name: string
  readonly receiver: SyntaxNode | undefined
  readonly args: readonly SyntaxNode[]
}

export function callOf(node: SyntaxNode): Call | undefined {
  if (!CALLS.has(node.type)) return undefined
  const callee = fieldOf(node, 'function', 'constructor', 'method', 'name', 'type') ?? namedChildren(node)[0]
  if (callee === undefined) return undefined
  const last = /([\p{L}_$][\p{L}\p{N}_$]*[?!]?)$/u.exec(callee.text.replace(/<[^<>]*>$/, ''))?.[1]
  if (last === undefined) return undefined
  const inside = fieldOf(callee, 'object', 'value', 'operand', 'argument')
  const receiver = fieldOf(node, 'receiver', 'object') ?? (callee.children.length > 0 ? inside : undefined)
  const list = fieldOf(node, 'arguments') ?? node.children.find(({ type }) => /^arguments?(?:_list)?$/.test(type))
  return { name: last, receiver, args: list === undefined ? [] : namedChildren(list) }
}

/** `tuple([1, 2])`, `"a".to_string()` and `List.of(1, 2)` are literals as well. */
function convertedOf(node: SyntaxNode, known: Known): Literal | undefined {
  const call = callOf(node)
  if (call === undefined || !CONVERSIONS.test(call.name)) return undefined
  const args = call.args.map((each) => literalOf(each, known))
  if (args.some((each) => each === undefined)) return undefined
  const receiver = call.receiver === undefined ? undefined : literalOf(call.receiver)
  const all = [...(receiver === undefined ? [] : [receiver]), ...(args as Literal[])]
  if (all.length === 0 && call.receiver !== undefined) return undefined
  return all.length === 1 ? all[0] : listLiteral(all, node.line)
}

/** Every literal in a node that is not part of a larger one, without those that `leaveOut` excludes. */
export function literalsIn(
  node: SyntaxNode,
  leaveOut: (node: SyntaxNode) => boolean,
  known: Known = unnamed,
): readonly Literal[] {
  const found: Literal[] = []
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (leaveOut(next)) continue
    const literal = next.named ? literalOf(next, known) : undefined
    if (literal !== undefined) found.push(literal)
    else for (let i = next.children.length - 1; i >= 0; i--) open.push(next.children[i]!)
  }
  return found
}

/** `january`, `content-type`, `text/html`. */
export const isName = ({ text }: Literal) =>
  text !== undefined &&
  text.length <= 40 &&
  /^(?:[#@.:$]?[\p{L}_]+(?:[-_.:/]+[\p{L}_]+){0,2}|[^\s\p{L}\d]{1,3})$/u.test(text)

/** 1, 2, 3, 4: what many sorted lists look like. */
export const isRun = ({ tokens }: Literal) =>
  tokens.every((token, at) => at === 0 || Number(token) === Number(tokens[at - 1]) + 1)
