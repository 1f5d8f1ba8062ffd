import type { ArithmeticExpression, TestExpression, Word, WordPart } from 'unbash'

/** Known values of shell variables. A missing name may have any value. */
export interface Values {
  readonly vars: ReadonlyMap<string, string>
  /** Arguments of the current function. */
  readonly args: readonly string[]
  readonly ok: boolean
}

/** The words a word expands to. Unknown parts stay as written. */
export function expand(word: Word, values: Values): string[] {
  const parts = word.parts
  if (parts === undefined) return [word.value]
  const only = parts.length === 1 ? parts[0]! : undefined
  const bare = only?.type === 'DoubleQuoted' && only.parts.length === 1 ? only.parts[0]! : only
  if (bare?.type === 'SimpleExpansion' && /^\$[@*]$/.test(bare.text)) return [...values.args]
  const text = parts.map((part) => partText(part, values) ?? part.text).join('')
  if (only?.type === 'SimpleExpansion' || only?.type === 'ParameterExpansion')
    return text.split(/\s+/).filter((each) => each !== '')
  return [text]
}

/** The text a word expands to. Undefined if it isn't known. */
export function textOf(word: Word, values: Values): string | undefined {
  const parts = (word.parts ?? []).map((part) => partText(part, values))
  if (word.parts === undefined) return word.value
  return parts.includes(undefined) ? undefined : parts.join('')
}

function partText(part: WordPart, values: Values): string | undefined {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') return part.value
  if (part.type === 'Glob' || part.type === 'BraceExpansion' || part.type === 'ExtendedGlob') return part.text
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
    const inside = part.parts.map((each) => partText(each, values))
    return inside.includes(undefined) ? undefined : inside.join('')
  }
  if (part.type === 'SimpleExpansion') return variable(part.text.slice(1), values)
  if (part.type === 'ArithmeticExpansion') {
    const number = part.expression === undefined ? undefined : calculate(part.expression, values).number
    return number === undefined ? undefined : String(number)
  }
  if (part.type !== 'ParameterExpansion' || part.prefix !== undefined) return undefined
  const name = part.index === undefined ? part.parameter : `${part.parameter}[${part.index.value}]`
  const value = variable(name, values)
  if (part.operation === undefined) return value
  if (part.operation.type !== 'Default' || !/^:?[-=]$/.test(part.operation.operator)) return undefined
  return value === undefined || value === '' ? textOf(part.operation.operand, values) : value
}

function variable(name: string, { vars, args, ok }: Values): string | undefined {
  if (name === '?') return ok ? '0' : '1'
  if (/^[1-9]$/.test(name)) return args[Number(name) - 1] ?? ''
  return vars.get(name)
}

/** The result of an arithmetic expression and the variables after it. Undefined if it depends on unknown values. */
export interface Calculated {
  readonly number: number | undefined
  readonly vars: ReadonlyMap<string, string>
}

export function calculate(expression: ArithmeticExpression, values: Values): Calculated {
  let { vars } = values
  const get = (name: string): number | undefined => {
    const text = /^\$?\{?(\w+|\?)\}?$/.exec(name)?.[1]
    if (text === undefined) return undefined
    const value = /^\d+$/.test(text) && !name.startsWith('$') ? text : variable(text, { ...values, vars })
    return value !== undefined && /^-?\d+$/.test(value) ? Number(value) : undefined
  }
  const put = (target: ArithmeticExpression, number: number | undefined) => {
    if (target.type !== 'ArithmeticWord') return
    const next = new Map(vars)
    if (number === undefined) next.delete(target.value)
    else next.set(target.value, String(number))
    vars = next
  }
  const visit = (node: ArithmeticExpression): number | undefined => {
    if (node.type === 'ArithmeticGroup') return visit(node.expression)
    if (node.type === 'ArithmeticWord') return get(node.value)
    if (node.type === 'ArithmeticUnary') {
      const was = visit(node.operand)
      if (node.operator === '++' || node.operator === '--') {
        const now = was === undefined ? undefined : was + (node.operator === '++' ? 1 : -1)
        put(node.operand, now)
        return node.prefix ? now : was
      }
      if (was === undefined) return undefined
      return node.operator === '!' ? Number(was === 0) : node.operator === '-' ? -was : undefined
    }
    if (node.type !== 'ArithmeticBinary') return undefined
    if (/^[-+*/%|&^]?=$/.test(node.operator)) {
      const right = visit(node.right)
      const result = node.operator === '=' ? right : operate(node.operator.slice(0, -1), visit(node.left), right)
      put(node.left, result)
      return result
    }
    return operate(node.operator, visit(node.left), visit(node.right))
  }
  const number = visit(expression)
  return { number, vars }
}

function operate(operator: string, a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined
  const results: Readonly<Record<string, number>> = {
    '+': a + b,
    '-': a - b,
    '*': a * b,
    '|': a | b,
    '==': Number(a === b),
    '!=': Number(a !== b),
    '<': Number(a < b),
    '>': Number(a > b),
    '<=': Number(a <= b),
    '>=': Number(a >= b),
    '&&': Number(a !== 0 && b !== 0),
    '||': Number(a !== 0 || b !== 0),
  }
  return results[operator]
}

/** The result of `[ ... ]`, where unknown words are undefined. Undefined if it depends on more than the words. */
export function testWords(words: readonly (string | undefined)[]): boolean | undefined {
  if (words[0] === '!') {
    const rest = testWords(words.slice(1))
    return rest === undefined ? undefined : !rest
  }
  const [a, operator, b] = words
  if (words.length === 1) return a === undefined ? undefined : a !== ''
  if (words.length === 2 && operator !== undefined)
    return a === '-z' ? operator === '' : a === '-n' ? operator !== '' : undefined
  return words.length === 3 ? compare(operator ?? '', a, b) : undefined
}

function compare(operator: string, a: string | undefined, b: string | undefined): boolean | undefined {
  if (a === undefined || b === undefined) return undefined
  if (operator === '=' || operator === '==') return a === b
  if (operator === '!=') return a !== b
  const name = { '-eq': '==', '-ne': '!=', '-lt': '<', '-gt': '>', '-le': '<=', '-ge': '>=' }[operator]
  if (name === undefined || !/^-?\d+$/.test(a) || !/^-?\d+$/.test(b)) return undefined
  return operate(name, Number(a), Number(b)) === 1
}

/** The result of `[[ ... ]]`. */
export function testExpression(expression: TestExpression, values: Values): boolean | undefined {
  if (expression.type === 'TestGroup') return testExpression(expression.expression, values)
  if (expression.type === 'TestUnary') return testWords([expression.operator, textOf(expression.operand, values)])
  if (expression.type === 'TestBinary')
    return /[*?[]/.test(expression.right.text)
      ? undefined
      : compare(expression.operator, textOf(expression.left, values), textOf(expression.right, values))
  if (expression.type === 'TestNot') {
    const inside = testExpression(expression.operand, values)
    return inside === undefined ? undefined : inside !== (expression.negations.length % 2 === 1)
  }
  const all = expression.operands.map((each) => testExpression(each, values))
  const decisive = expression.operator === '||'
  return all.includes(decisive) ? decisive : all.includes(undefined) ? undefined : !decisive
}
