import type { Token } from './token.ts'

/** After these words a slash begins a regular expression, not a division. */
const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new else do await yield if unless when while until and or not then elsif'.split(
    ' ',
  ),
)

/** End of the regular expression at `start`, or 0 when the slash there divides. */
export function regexEnd(text: string, start: number, language: 'javascript' | 'ruby', previous?: Token): number {
  const next = text[start + 1]
  if (next === undefined || next === '\n') return 0
  // `/>` closes an element of JSX, unless an operator stands before it.
  if (next === '>' && language === 'javascript' && previous?.text !== '=' && previous?.text !== '(') return 0
  if (previous) {
    if (previous.text === '<' && language === 'javascript') return 0
    const value = previous.kind === 'number' || previous.kind === 'string' || previous.kind === 'regex'
    if (value || previous.text === ')' || previous.text === ']' || (previous.text === '}' && language === 'ruby'))
      return 0
    if (previous.text === '}' && !/[\n;]/.test(text.slice(previous.at, start))) return 0
    if (previous.kind === 'word' && !BEFORE_REGEX.has(previous.text)) {
      // Ruby passes arguments without brackets: `match /x/` is a call, `a / b` and `a/b` divide.
      if (language === 'javascript' || next === ' ' || next === '=' || !/\s/.test(text[start - 1] ?? '')) return 0
    }
  }
  let inClass = false
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i]
    if (char === '\\') i++
    else if (char === '\n' && language === 'javascript') return 0
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && (!inClass || language === 'ruby')) return flagsEnd(text, i + 1)
    else if (i - start > 2000) return 0
  }
  return 0
}

function flagsEnd(text: string, from: number): number {
  let end = from
  while (/[a-z]/.test(text[end] ?? '')) end++
  return end
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }

/** End of a Ruby percent literal such as %w[a b], or 0. */
export function percentEnd(text: string, start: number, previous?: Token): number {
  const match = /%(?:([qQwWiIrsx])([^\w\s])|()([([{<|!/~^-]))/y
  match.lastIndex = start
  const found = match.exec(text)
  if (!found) return 0
  const afterValue =
    previous !== undefined && previous.text !== ',' && (previous.kind !== 'punct' || /[)\]}]/.test(previous.text))
  // After a value, `%` is a remainder unless a letter or a space before it says otherwise.
  const letter = found[1] ?? ''
  if (afterValue && ((letter === '' && previous.kind !== 'word') || !/\s/.test(text[start - 1] ?? ''))) return 0
  const open = (found[2] ?? found[4])!
  const close = CLOSERS[open] ?? open
  let depth = 1
  for (let i = start + found[0].length; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === close && --depth === 0) return letter === 'r' ? flagsEnd(text, i + 1) : i + 1
    else if (text[i] === open && close !== open) depth++
  }
  return 0
}

export interface Heredoc {
  /** End of the mark that announces it. */
  readonly mark: number
  readonly body: number
  readonly end: number
}

/** A heredoc announced at `start`; in Ruby its body begins on the next line, or after the body of one before it. */
export function heredocEnd(
  text: string,
  start: number,
  language: 'ruby' | 'php',
  resume: number,
  previous?: Token,
): Heredoc | undefined {
  const open = language === 'php' ? /<<<[ \t]*(["']?)(\w+)\1/y : /<<([~-]?)(["'`]?)([A-Z_a-z]\w*)\2/y
  open.lastIndex = start
  const found = open.exec(text)
  if (!found) return undefined
  const name = language === 'php' ? found[2]! : found[3]!
  if (language === 'ruby' && found[1] === '' && (/^[a-z]/.test(name) || afterName(text, start, previous)))
    return undefined
  const mark = start + found[0].length
  const newline = text.indexOf('\n', mark)
  if (newline < 0) return undefined
  const body = Math.max(newline + 1, language === 'ruby' ? resume : 0)
  const close = new RegExp(`^[ \\t]*${name}\\b`, 'gm')
  close.lastIndex = body
  const last = close.exec(text)
  return last ? { mark, body, end: last.index + last[0].length } : undefined
}

/** `list <<NAME` may be a push: only a mark glued to the name after white space is taken for a heredoc. */
const afterName = (text: string, start: number, previous?: Token) =>
  previous !== undefined &&
  (previous.kind === 'number' || previous.text === 'class' || !/[\s(,=]/.test(text[start - 1] ?? ''))
