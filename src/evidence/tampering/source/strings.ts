import type { Language } from '../../test-files.ts'

interface QuoteForm {
  /** Prefix and opening quote, matched at the position itself. */
  readonly open: RegExp
  /** What ends it, made from the match. */
  readonly close: (match: RegExpExecArray) => string
  readonly lines: boolean
  /** A backslash takes the next character with it; `double` means that a doubled quote does. */
  readonly escapes: 'backslash' | 'double' | 'none'
  /** What opens code inside the string. */
  readonly hole?: string
}

const same = (match: RegExpExecArray) => match[1]!
const form = (open: RegExp, options: Partial<Omit<QuoteForm, 'open'>> = {}): QuoteForm => ({
  open,
  close: same,
  lines: false,
  escapes: 'backslash',
  ...options,
})

/** Longer openers stand before shorter ones. */
const FORMS: Readonly<Record<Language, readonly QuoteForm[]>> = {
  javascript: [form(/(["'])/y), form(/(`)/y, { lines: true, hole: '${' })],
  python: [form(/[rRbBuUfFtT]{0,2}("""|''')/y, { lines: true }), form(/[rRbBuUfFtT]{0,2}(["'])/y)],
  go: [form(/(["'])/y), form(/(`)/y, { lines: true, escapes: 'none' })],
  rust: [
    form(/[bc]?r(#*)"/y, { lines: true, escapes: 'none', close: (match) => `"${match[1]}` }),
    form(/[bc]?(")/y, { lines: true }),
  ],
  java: [form(/(""")/y, { lines: true }), form(/(["'])/y)],
  kotlin: [form(/\$*(""")/y, { lines: true, escapes: 'none', hole: '${' }), form(/(")/y, { hole: '${' }), form(/(')/y)],
  csharp: [
    form(/\$*("""+)/y, { lines: true, escapes: 'none' }),
    form(/(?:\$@|@\$)(")/y, { lines: true, escapes: 'double', hole: '{' }),
    form(/@(")/y, { lines: true, escapes: 'double' }),
    form(/\$(")/y, { hole: '{' }),
    form(/(["'])/y),
  ],
  ruby: [
    form(/(")/y, { lines: true, hole: '#{' }),
    form(/(')/y, { lines: true }),
    form(/(`)/y, { lines: true, hole: '#{' }),
  ],
  php: [form(/b?(")/y, { lines: true, hole: '{$' }), form(/b?(')/y, { lines: true }), form(/(`)/y, { lines: true })],
}

/** End of the string that begins at `start`; 0 when none begins there or it never ends. */
export function stringEnd(text: string, start: number, language: Language, depth = 0): number {
  for (const candidate of FORMS[language]) {
    candidate.open.lastIndex = start
    const match = candidate.open.exec(text)
    if (match) return quotedEnd(text, start + match[0].length, candidate, candidate.close(match), language, depth)
  }
  return 0
}

function quotedEnd(
  text: string,
  from: number,
  quote: QuoteForm,
  close: string,
  language: Language,
  depth: number,
): number {
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\' && quote.escapes === 'backslash') {
      i += text[i + 1] === '\r' ? 2 : 1
    } else if (char === '\n' && !quote.lines) {
      return 0
    } else if (text.startsWith(close, i)) {
      if (quote.escapes === 'double' && text[i + 1] === close) i++
      else return runEnd(text, i + close.length, close)
    } else if (
      quote.hole !== undefined &&
      text.startsWith(quote.hole, i) &&
      !(quote.hole === '{' && text[i + 1] === '{')
    ) {
      const end =
        depth > 4 ? 0 : holeEnd(text, i + quote.hole.length - (quote.hole === '{$' ? 1 : 0), language, depth + 1)
      if (end > 0) i = end - 1
    } else if (quote.hole === '{' && text.startsWith('{{', i)) {
      i++
    }
  }
  return 0
}

/** Three quotes may be preceded by a fourth that still belongs to the text. */
function runEnd(text: string, end: number, close: string): number {
  let last = end
  if (close.length >= 3) while (text[last] === close[0] && last - end < 2) last++
  return last
}

/** Where the code inside a string closes again. */
function holeEnd(text: string, from: number, language: Language, depth: number): number {
  let open = 1
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '{') open++
    else if (char === '}' && --open === 0) return i + 1
    else if (char === '"' || char === "'" || char === '`') {
      const end = stringEnd(text, i, language, depth)
      if (end > 0) i = end - 1
    }
  }
  return 0
}
