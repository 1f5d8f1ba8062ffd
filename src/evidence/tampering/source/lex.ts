import type { Language } from '../../test-files.ts'
import { heredocEnd, percentEnd, regexEnd } from './literals.ts'
import { stringEnd } from './strings.ts'
import type { Token } from './token.ts'

export interface Lexed {
  readonly tokens: Token[]
  /** A bracket or string was left open: the file is half-written, or not what its name says. */
  readonly broken: boolean
}

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

/** Marks that never begin a longer one. */
const LONE = new Set('()[]{},;@~\\'.split(''))
/** Letters, digits and underscore; other alphabets are left to the pattern. */
const PLAIN = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$') PLAIN[char.charCodeAt(0)] = 1

/** Cuts a source file into tokens. Never throws: what cannot be read is taken character by character. */
export function lex(text: string, language: Language): Lexed {
  const tokens: Token[] = []
  const stack: number[] = []
  const ruby = language === 'ruby'
  const php = language === 'php'
  const slashes = language !== 'python' && !ruby
  const hashes = language === 'python' || ruby || php
  const prefixes = PREFIXED[language]
  let broken = false
  let line = 1
  let lineStart = 0
  let fresh = true
  let doc: string | undefined
  /** Where the text goes on after a heredoc whose body follows this line. */
  let resume = 0
  let i = 0

  const advance = (to: number) => {
    for (let at = text.indexOf('\n', i); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
      line++
      lineStart = at + 1
      fresh = true
    }
    i = to
  }
  const push = (kind: Token['kind'], end: number, shown = text.slice(i, end)) => {
    tokens.push({ kind, text: shown, line, first: fresh, column: i - lineStart, at: i, pair: -1, doc })
    doc = undefined
    if (kind === 'string' || kind === 'regex') advance(end)
    else i = end
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
  const wordEnd = (): number => {
    let end = i
    while (end < text.length && PLAIN[text.charCodeAt(end)] === 1) end++
    return end < text.length && text.charCodeAt(end) > 127 ? match(WORD) : end
  }

  if (php) advance(phpStart(text, 0))
  else if (text.startsWith('#!') && text[2] !== '[') advance(lineEnd(text, 0))
  fresh = true
  while (i < text.length) {
    const code = text.charCodeAt(i)
    if (code === 10) {
      advance(resume > i ? resume : i + 1)
      resume = 0
      fresh = true
      continue
    }
    if (code === 32 || code === 9 || code === 13 || code === 12 || code === 0xfeff || code === 0xa0) {
      i++
      continue
    }
    const char = text[i]!
    if ((hashes && code === 35 && !(php && text[i + 1] === '[')) || (slashes && code === 47 && text[i + 1] === '/')) {
      const end = lineEnd(text, i)
      const stop = php ? text.indexOf('?>', i) : -1
      comment(stop > 0 && stop < end ? stop : end)
      continue
    }
    if (code === 35 && fresh && language === 'csharp') {
      comment(lineEnd(text, i))
      continue
    }
    if (code === 47 && slashes && text[i + 1] === '*') {
      comment(blockEnd(text, i, NESTED_COMMENT.has(language)))
      continue
    }
    if (ruby && fresh && code === 61 && text.startsWith('=begin', i)) {
      const end = text.indexOf('\n=end', i)
      comment(end < 0 ? text.length : lineEnd(text, end + 1))
      continue
    }
    if (ruby && fresh && code === 95 && text.startsWith('__END__', i) && lineEnd(text, i) - i <= 8) break
    if (php && code === 63 && text[i + 1] === '>') {
      advance(phpStart(text, i + 2))
      continue
    }
    let end = 0
    // The common case first: a plain name, which no string begins with.
    if (!ruby && code < 128 && PLAIN[code] === 1 && !(code >= 48 && code <= 57) && !prefixes.has(char)) {
      push('word', wordEnd())
      continue
    }
    if (LONE.has(char) && !(char === '@' && (language === 'csharp' || ruby))) {
      push('punct', i + 1)
      if (char === '(' || char === '[' || char === '{') stack.push(tokens.length - 1)
      else if (PARTNER[char] !== undefined && !pairUp(tokens, stack, char)) broken = true
      continue
    }
    const previous = tokens.at(-1)
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
    if (ruby && char === ':' && text[i - 1] !== ':' && text[i + 1] !== ':' && (end = match(SYMBOL)) > 0) {
      push('string', end)
      continue
    }
    if ((ruby || php) && code === 60 && text[i + 1] === '<') {
      const document = heredocEnd(text, i, ruby ? 'ruby' : 'php', resume, previous)
      if (document) {
        if (ruby) {
          push('string', document.mark, text.slice(i, document.mark) + text.slice(document.body, document.end))
          resume = document.end
        } else push('string', document.end)
        continue
      }
    }
    if (ruby && char === '%' && (end = percentEnd(text, i, fresh ? undefined : previous)) > 0) {
      push('string', end)
      continue
    }
    if (
      char === '/' &&
      (language === 'javascript' || ruby) &&
      (end = regexEnd(text, i, ruby ? 'ruby' : 'javascript', fresh && ruby ? undefined : previous)) > 0
    ) {
      push('regex', end)
      continue
    }
    if (
      (char === '"' || char === "'" || char === '`' || (prefixes.has(char) && !(ruby && char === '$'))) &&
      (end = stringEnd(text, i, language)) > 0
    ) {
      push('string', end)
      continue
    }
    if ((end = match(ruby ? RUBY_WORD : WORD)) > 0) {
      push('word', end)
      continue
    }
    if (code >= 48 && code <= 57 && (end = match(NUMBER)) > 0) {
      push('number', end)
      continue
    }
    if (char === '"' || char === '`') broken = true
    push('punct', match(MARK) || i + 1)
  }
  return { tokens, broken: broken || stack.length > 0 }
}

/** Characters other than quotes by which a string may begin. */
const PREFIXED: Readonly<Record<Language, ReadonlySet<string>>> = {
  javascript: new Set(),
  python: new Set('rRbBuUfFtT'.split('')),
  go: new Set(),
  rust: new Set('brc'.split('')),
  java: new Set(),
  kotlin: new Set('$'),
  csharp: new Set('$@'.split('')),
  ruby: new Set(),
  php: new Set('b'),
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
