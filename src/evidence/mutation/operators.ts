import type { Language } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import { BOOLEANS, CLOSURES, COMPARISONS, FUNCTIONS, IFS, NUMBERS, STRINGS } from '../special-cased/kinds.ts'
import { callOf } from '../special-cased/literal.ts'
import { fieldOf, namedChildren, type SyntaxNode, walk } from '../special-cased/node.ts'
import { zeroOf } from './zero-values.ts'

/** Strongest first: the later ones are more often without any effect that a test could see. */
export const KINDS = ['body', 'condition', 'return', 'operator', 'constant'] as const

/** One small change of the source. */
export interface Mutation {
  readonly kind: (typeof KINDS)[number]
  readonly line: number
  readonly start: number
  readonly end: number
  readonly instead: string
}

export interface Place {
  readonly language: Language
  readonly source: string
  /** The function's result as it is declared, if it is. */
  readonly result: string | undefined
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  and: 'or',
  or: 'and',
  in: 'not in',
  is: 'is not',
}
const ARITHMETIC = new Set(['+', '-', '*', '/', '%', '**', '//', '<<', '>>', '&', '|', '^', '.'])
const CALCULATIONS = new Set([...COMPARISONS, 'binary_operator'])
/** A message to people changes no result. */
const FOR_PEOPLE =
  /^(?:log(?:f|ln|ger)?|warn(?:ing)?f?|debugf?|infof?|tracef?|e?print(?:f|ln|_r)?_?|puts|panic_?|fatal(?:f|ln)?|errorf?|assert\w*|deprecated?|unreachable_?|todo_?|format_|write(?:ln)?_|\w*(?:Error|Exception))$/i
const LEFT_OUT =
  /^(?:throw_statement|throw_expression|raise_statement|echo_statement|import\w*|use_declaration|namespace\w*|decorator\w*|attribute_item|attribute_list|annotation|marker_annotation|jsx_attribute|jsx_text|macro_invocation|regex|comment)$|(?:^|_)type(?:_|$)/

/** Everything in a function that can be changed, without the functions inside it that have their own name. */
export function mutationsIn(body: SyntaxNode, place: Place, isOwn: (node: SyntaxNode) => boolean): readonly Mutation[] {
  const found: Mutation[] = []
  walk(body, (node) => {
    if (node !== body && (!isOwn(node) || isLeftOut(node))) return false
    found.push(...mutationsOf(node, place))
    return true
  })
  return found
}

const isLeftOut = (node: SyntaxNode): boolean =>
  LEFT_OUT.test(node.type) ||
  node.field === 'type' ||
  isForPeople(node) ||
  // A text alone on its line is a comment in Python.
  (node.type === 'expression_statement' && node.children.length === 1 && STRINGS.has(node.children[0]!.type))

function isForPeople(node: SyntaxNode): boolean {
  const call = callOf(node)
  return call !== undefined && (FOR_PEOPLE.test(call.name) || /^(?:require|import)$/.test(call.name))
}

function mutationsOf(node: SyntaxNode, place: Place): readonly Mutation[] {
  const { type } = node
  if (IFS.has(type)) return negated(node, place)
  if (/^return_(?:statement|expression)$|^return$/.test(type) && node.named) return returned(node, place)
  if (CALCULATIONS.has(type)) return operator(node)
  if (BOOLEANS.has(type) || type === 'true' || type === 'false') return flipped(node)
  if (NUMBERS.has(type)) return number(node)
  return STRINGS.has(type) ? text(node) : []
}

const endOf = ({ start, text: { length } }: SyntaxNode): number => start + length

const replace = (kind: Mutation['kind'], node: SyntaxNode, instead: string): Mutation => {
  return { kind, line: node.line, start: node.start, end: endOf(node), instead }
}

/** In Rust the condition may declare names, which a negation would break. */
function negated(node: SyntaxNode, { language, source }: Place): readonly Mutation[] {
  const whole = fieldOf(node, 'condition') ?? (node.type === 'conditional_expression' ? node.children[2] : undefined)
  if (whole === undefined || /^let_|_pattern$/.test(whole.type)) return []
  const inner = /^parenthesized/.test(whole.type) ? namedChildren(whole)[0] : whole
  if (inner === undefined) return []
  // The operator of a simple comparison is changed anyway, to the same effect.
  if (CALCULATIONS.has(inner.type) && operator(inner).some(({ instead }) => Object.hasOwn(OPPOSITES, instead)))
    return []
  // The tree of a Rust file has other texts for macros.
  const condition = source.slice(inner.start, endOf(inner))
  return [replace('condition', inner, language === 'python' ? `not (${condition})` : `!(${condition})`)]
}

function returned(node: SyntaxNode, { language, result }: Place): readonly Mutation[] {
  const [value, ...more] = namedChildren(node)
  if (value === undefined || more.length > 0 || value.type === 'expression_list') return []
  if (BOOLEANS.has(value.type) || /^(?:true|false|none|null|nil|undefined|null_literal)$/.test(value.type)) return []
  const zero = zeroOf(language, result)
  return zero === undefined || zero === '' || zero === value.text ? [] : [replace('return', value, zero)]
}

/**
 * A comparison gets the opposite operator. A calculation keeps its left side only: that has the right type in every language, so a
 * test that checks nothing can't notice it by an error.
 */
function operator(node: SyntaxNode): readonly Mutation[] {
  const sign = node.children.find(({ field, named }) => field === 'operator' || field === 'operators' || !named)
  const left = fieldOf(node, 'left') ?? namedChildren(node)[0]
  const right = fieldOf(node, 'right') ?? namedChildren(node)[1]
  if (sign === undefined || left === undefined || right === undefined) return []
  const opposite = OPPOSITES[sign.text]
  if (opposite !== undefined) return [replace('operator', sign, opposite)]
  if (!ARITHMETIC.has(sign.text)) return []
  return [{ kind: 'operator', line: sign.line, start: endOf(left), end: endOf(right), instead: '' }]
}

function flipped(node: SyntaxNode): readonly Mutation[] {
  const opposites: Record<string, string> = { true: 'false', false: 'true', True: 'False', False: 'True' }
  const instead = opposites[node.text]
  return instead === undefined ? [] : [replace('constant', node, instead)]
}

function number(node: SyntaxNode): readonly Mutation[] {
  // Parts of a negative literal or of a larger one.
  if (!/^\d{1,12}$|^\d{1,9}\.\d{1,6}$/.test(node.text)) return []
  const more = Number(node.text) + 1
  return [replace('constant', node, node.text.includes('.') ? more.toFixed(1) : String(more))]
}

const PLAIN_TEXT = /^([bru]{0,2})('|"|`)(.*)\2$/is

/** Keys and texts with parts that are computed stay as they are. */
function text(node: SyntaxNode): readonly Mutation[] {
  const found = PLAIN_TEXT.exec(node.text)
  if (found === null || node.field === 'key' || node.type === 'character_literal' || node.type === 'char_literal')
    return []
  if (node.children.some(({ type }) => /interpolation|substitution/.test(type)) || node.type === 'rune_literal')
    return []
  if (node.parent !== undefined && /^(?:concatenated_string|import|directive)/.test(node.parent.type)) return []
  const [, prefix = '', quote = '', inner = ''] = found
  return inner.startsWith(quote)
    ? []
    : [replace('constant', node, `${prefix}${quote}${inner === '' ? 'x' : ''}${quote}`)]
}

/** A function that does nothing and returns the simplest value of its type. */
export function emptied(body: SyntaxNode, place: Place): readonly Mutation[] {
  const zero = zeroOf(place.language, place.result)
  if (zero === undefined) return []
  const statement = zero === '' ? 'return' : `return ${zero}`
  const isBlock = /block|body_statement|compound_statement/.test(body.type)
  const insert = (instead: string): readonly Mutation[] => [
    { kind: 'body', line: body.line, start: body.start + 1, end: body.start + 1, instead },
  ]
  switch (place.language) {
    // What follows would no longer be used, so it has to stay for the compiler.
    case 'go':
      return insert(` ${statement};`)
    case 'rust':
      return insert(` ${statement};`)
    case 'java':
      return insert(` if (true) ${statement};`)
    case 'php':
      return isBlock ? [replace('body', body, `{ ${statement}; }`)] : []
    case 'javascript':
      return [replace('body', body, isBlock ? '{}' : 'undefined')]
    case 'python':
      return isBlock ? [replace('body', body, statement)] : []
    case 'ruby':
      return isBlock ? [replace('body', body, 'nil')] : []
    default:
      return []
  }
}

export const isFunction = ({ type, named }: SyntaxNode): boolean => named && (FUNCTIONS.has(type) || CLOSURES.has(type))
