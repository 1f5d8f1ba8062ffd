import { CALLS, CASES, FUNCTIONS, IDENTIFIERS, IFS } from './kinds.ts'
import { callOf, type Literal, literalsIn } from './literal.ts'
import { fieldOf, type SyntaxNode, walk } from './node.ts'

export interface SourceFunction {
  readonly name: string
  readonly line: number
  readonly lastLine: number
  readonly parameters: readonly string[]
  /** Whether its body mentions a parameter, all of them in another way, or anything else that is not a constant. */
  readonly readsParameters: boolean
  /** It belongs to a class with a parent or an interface, which may prescribe the parameters. */
  readonly isPrescribed: boolean
  /** The values it returns, prints or assigns. */
  readonly answers: readonly Literal[]
}

/** What a branch returns, prints or assigns. Branches inside it are guards of their own. */
export const answersIn = (node: SyntaxNode): readonly Literal[] =>
  literalsIn(
    node,
    (each) =>
      each !== node &&
      (IFS.has(each.type) || CASES.has(each.type) || FUNCTIONS.has(each.type)) &&
      each.type !== 'conditional_expression',
  )

/** Ways to read parameters without naming them. */
const READS_ALL =
  /\b(?:arguments|locals|func_get_args|vars|globals|super|binding|input|stdin|readline|gets|argv|Args|STDIN)\b/

export function functionOf(node: SyntaxNode): SourceFunction | undefined {
  const body = fieldOf(node, 'body')
  const own = fieldOf(node, 'name')
  const outer = node.parent
  const declared =
    outer !== undefined && /variable_declarator|public_field_definition|assignment|pair/.test(outer.type)
      ? fieldOf(outer, 'name', 'left', 'key')
      : undefined
  const name = own ?? declared
  if (name === undefined || body === undefined) return undefined
  const parameters = [
    ...new Set(
      [fieldOf(node, 'parameters'), fieldOf(node, 'parameter')].flatMap((list) =>
        list === undefined ? [] : parameterNames(list),
      ),
    ),
  ]
  const code = codeOf(body)
  const mentioned = new Set(code.match(/[\p{L}_$@][\p{L}\p{N}_]*/gu))
  const readsParameters = READS_ALL.test(code) || usesState(body) || parameters.some((each) => mentioned.has(each))
  return {
    name: name.text,
    line: node.line,
    lastLine: node.lastLine,
    parameters,
    readsParameters,
    isPrescribed: isPrescribed(node),
    answers: answersIn(body),
  }
}

/** A result that comes from elsewhere is not a constant. */
function usesState(body: SyntaxNode): boolean {
  let uses = false
  walk(body, (node) => {
    const isCall =
      CALLS.has(node.type) && !/^(?:print|println_?|puts|log|set|list|tuple|dict)$/.test(callOf(node)?.name ?? '')
    uses ||= isCall || /^(?:self|this|\$this|@\w+)$/.test(node.text)
    return !uses
  })
  return uses
}

/** The text of a function without its comments and fixed texts. */
function codeOf(node: SyntaxNode): string {
  if (node.type.includes('comment') || node.type === 'string_content' || node.type === 'string_fragment') return ''
  return node.children.length === 0 || IDENTIFIERS.has(node.type) ? node.text : node.children.map(codeOf).join(' ')
}

function parameterNames(list: SyntaxNode): readonly string[] {
  if (IDENTIFIERS.has(list.type)) return [list.text]
  const names: string[] = []
  walk(list, (node) => {
    if (node.field === 'type' || node.field === 'value' || /(?:^|_)type(?:_|$)/.test(node.type)) return false
    if (IDENTIFIERS.has(node.type)) names.push(node.text)
    return !IDENTIFIERS.has(node.type)
  })
  return names.filter((name) => !/^(?:self|cls|this|_)$/.test(name))
}

function isPrescribed(node: SyntaxNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (/^class|impl_item|object$/.test(at.type))
      return (
        at.children.some(
          ({ type, field }) =>
            /heritage|superclass|base_clause|interfaces/.test(type) || field === 'superclasses' || field === 'trait',
        ) || at.type === 'object'
      )
  }
  return node.type === 'method_declaration' && fieldOf(node, 'receiver') !== undefined
}
