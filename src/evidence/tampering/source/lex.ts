import type { Language } from '../../test-files.ts'
import { heredocEnd, percentEnd, regexEnd } from './literals.ts'
import { stringEnd } from './strings.ts'
import type { Token } from './token.ts'

export interface Lexed {
  readonly tokens: Token[]
  /** A bracket or string was left open: the file is half-written, or not what its name says. */
  readonly broken: boolean
}

const LINE_COMMENT: Readonly<Record<Language, readonly string[]>> = {
  javascript: ['//'],
  python: ['#'],
  go: ['//'],
  rust: ['//'],
  java: ['//'],
  kotlin: ['//'],
  csharp: ['//'],
  ruby: ['#'],
  php: ['//', '#'],
}
const BLOCK_COMMENT = new Set<Language>(['javascript', 'go', 'rust', 'java', 'kotlin', 'csharp', 'php'])
const NESTED_COMMENT = new Set<Language>(['rust', 'kotlin'])

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const RUBY_WORD = /(?:@@?|\$)?[\p{L}_][\p{L}\p{N}_]*(?:[?!](?![=~]))?|\$(?:\d+|[~&`'+!@;,/\\.<>*$?:"])/uy
const NUMBER = /0[xXbBoO][\da-fA-F_]+\w*|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?\w*/y
const MARK =
  /===|!==|<=>|>>>=?|\.\.\.|\?->|\.\.=|=>|->|::|==|!=|<=|>=|&&|\|\||\?\?=?|\?\.|\+\+|--|[-+*/%&|^]=|\*\*|:=|<-|=~|!~|\.\.|[^]/uy
const CHARACTER = /'(?:\\(?:u\{[^}]*\}|x[\da-fA-F]{2}|.)|[^'\\\n])'/uy
const LIFETIME = /'[\p{L}_][\p{L}\p{N}_]*/uy
const RAW_NAME = /`[^`\n]+`/y
const SYMBOL = /:(?:[\p{L}_][\p{L}\p{N}_]*[?!=]?|"[^"\n]*")/uy
const PARTNER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Cuts a source file into tokens. Never throws: what cannot be read is taken character by character. */
export function lex(text: string, language: Language): Lexed {
  const tokens: Token[] = []
  const stack: number[] = []
  let broken = false
  let line = 1
  let lineStart = 0
  let fresh = true
  let doc: string | undefined
  /** Where the text goes on after a heredoc whose body follows this line. */
  let resume = 0
  let i = language === 'php' ? phpStart(text, 0) : 0
  if (text.startsWith('#!') && text[2] !== '[') i = Math.max(i, lineEnd(text, 0))
  for (let j = 0; j < i; j++) if (text[j] === '\n') line++

  const advance = (to: number) => {
    for (let j = i; j < to; j++)
      if (text.charCodeAt(j) === 10) {
        line++
        lineStart = j + 1
        fresh = true
      }
    i = to
  }
  const push = (kind: Token['kind'], end: number, shown = text.slice(i, end)) => {
    tokens.push({ kind, text: shown, line, first: fresh, column: i - lineStart, at: i, pair: -1, ...(doc !== undefined && { doc }) })
    fresh = false
    doc = undefined
    advance(end)
    fresh = false
  }
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = i
    return pattern.test(text) ? pattern.lastIndex : 0
  }
  const comment = (end: number) => {
    doc = text.slice(i, end)
    const was = fresh
    advance(end)
    fresh ||= was
  }

  while (i < text.length) {
    const char = text[i]!
    if (char === '\n') {
      advance(resume > i ? resume : i + 1)
      resume = 0
      fresh = true
      continue
    }
    if (char === ' ' || char === '\t' || char === '\r' || char === '\f' || char === '\uFEFF' || char === '\u00A0') {
      i++
      continue
    }
    const opener = LINE_COMMENT[language].find((mark) => text.startsWith(mark, i))
    if (opener !== undefined && !(language === 'php' && text.startsWith('#[', i))) {
      const end = lineEnd(text, i)
      const stop = language === 'php' ? text.indexOf('?>', i) : -1
      comment(stop > 0 && stop < end ? stop : end)
      continue
    }
    if (char === '/' && text[i + 1] === '*' && BLOCK_COMMENT.has(language)) {
      comment(blockEnd(text, i, NESTED_COMMENT.has(language)))
      continue
    }
    if (language === 'ruby' && fresh && char === '=' && text.startsWith('=begin', i)) {
      const end = text.indexOf('\n=end', i)
      comment(end < 0 ? text.length : lineEnd(text, end + 1))
      continue
    }
    if (language === 'ruby' && fresh && text.startsWith('__END__', i) && lineEnd(text, i) - i <= 8) break
    if (language === 'php' && text.startsWith('?>', i)) {
      advance(phpStart(text, i + 2))
      continue
    }
    const previous = tokens.at(-1)
    let end = 0
    if (language === 'rust' && char === "'") {
      end = match(CHARACTER)
      if (end > 0) push('string', end)
      else push('word', match(LIFETIME) || i + 1)
      continue
    }
    if (language === 'kotlin' && char === '`' && (end = match(RAW_NAME)) > 0) {
      push('word', end)
      continue
    }
    if (language === 'ruby' && char === ':' && text[i - 1] !== ':' && text[i + 1] !== ':' && (end = match(SYMBOL)) > 0) {
      push('string', end)
      continue
    }
    if (language === 'ruby' || language === 'php') {
      const document = heredocEnd(text, i, language, resume, previous)
      if (document) {
        if (language === 'ruby') {
          push('string', document.mark, text.slice(i, document.mark) + text.slice(document.body, document.end))
          resume = document.end
        } else push('string', document.end)
        continue
      }
    }
    if (language === 'ruby' && char === '%' && (end = percentEnd(text, i, fresh ? undefined : previous)) > 0) {
      push('string', end)
      continue
    }
    if (char === '/' && (language === 'javascript' || language === 'ruby') && (end = regexEnd(text, i, language, fresh && language === 'ruby' ? undefined : previous)) > 0) {
      push('regex', end)
      continue
    }
    if (!(language === 'ruby' && char === '$') && (end = stringEnd(text, i, language)) > 0) {
      push('string', end)
      continue
    }
    if ((end = match(language === 'ruby' ? RUBY_WORD : WORD)) > 0) {
      push('word', end)
      continue
    }
    if ((end = match(NUMBER)) > 0) {
      push('number', end)
      continue
    }
    if (char === '"' || char === '`') broken = true
    end = match(MARK) || i + 1
    push('punct', end)
    const mark = tokens.at(-1)!.text
    if (mark === '(' || mark === '[' || mark === '{') stack.push(tokens.length - 1)
    else if (PARTNER[mark] !== undefined && !pairUp(tokens, stack, mark)) broken = true
  }
  return { tokens, broken: broken || stack.length > 0 }
}

/** A stray closing bracket closes nothing; one that skips over open ones closes those too, as a reader would. */
function pairUp(tokens: Token[], stack: number[], mark: string): boolean {
  const wanted = PARTNER[mark]!
  const place = stack.findLastIndex((index) => tokens[index]!.text === wanted)
  if (place < 0) return false
  const open = stack[place]!
  const clean = place === stack.length - 1
  stack.length = place
  tokens[open]!.pair = tokens.length - 1
  tokens.at(-1)!.pair = open
  return clean
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function blockEnd(text: string, from: number, nested: boolean): number {
  if (!nested) {
    const end = text.indexOf('*/', from + 2)
    return end < 0 ? text.length : end + 2
  }
  let depth = 0
  for (let i = from; i < text.length; i++) {
    if (text[i] === '/' && text[i + 1] === '*') {
      depth++
      i++
    } else if (text[i] === '*' && text[i + 1] === '/') {
      i++
      if (--depth === 0) return i + 1
    }
  }
  return text.length
}

/** PHP begins inside its tag; what stands outside is a page. */
function phpStart(text: string, from: number): number {
  const open = text.indexOf('<?', from)
  if (open < 0) return from === 0 && !text.includes('<?') ? 0 : text.length
  const tag = /<\?(?:php|=)?/y
  tag.lastIndex = open
  return tag.test(text) ? tag.lastIndex : open + 2
}
