import { shown } from './errors.ts'
import { pathBelow } from './paths.ts'

/** What JSON.parse doesn't report: line numbers, duplicate keys and the position of a syntax error. */
export interface JsonScan {
  /** Line (from 1) of every key and list item, by dotted path. */
  readonly lines: ReadonlyMap<string, number>
  readonly duplicates: readonly { readonly line: number; readonly text: string }[]
  readonly error?: { readonly line: number; readonly column: number; readonly text: string }
}

/** More than any configuration needs, and too little to overflow the stack. */
const MAX_DEPTH = 100
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y

class NotJson extends Error {}

export function scanJson(text: string): JsonScan {
  const scanner = new Scanner(text)
  try {
    scanner.document()
    return scanner
  } catch (thrown) {
    if (!(thrown instanceof NotJson)) throw thrown
    const { lines, duplicates } = scanner
    return { lines, duplicates, error: { ...scanner.place(), text: `invalid JSON: ${thrown.message}.` } }
  }
}

class Scanner implements JsonScan {
  readonly lines = new Map<string, number>()
  readonly duplicates: { line: number; text: string }[] = []
  private readonly text: string
  private at = 0
  private line = 1

  constructor(text: string) {
    this.text = text
  }

  document(): void {
    this.value('', 0)
    this.skip()
    if (this.at < this.text.length) this.fail(`expected the end of the file, found ${this.found()}`)
  }

  place(): { line: number; column: number } {
    return { line: this.line, column: this.at - this.text.lastIndexOf('\n', this.at - 1) }
  }

  private value(path: string, depth: number): void {
    this.skip()
    if (depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH} levels`)
    const c = this.text[this.at]
    if (c === '{') this.object(path, depth)
    else if (c === '[') this.array(path, depth)
    else if (c === '"') this.string()
    else if (this.take(PLAIN) === undefined) this.fail(`expected a value, found ${this.found()}`)
  }

  private object(path: string, depth: number): void {
    const seen = new Map<string, number>()
    for (let more = this.openBracket('}'); more; more = this.nextItem('}')) {
      if (this.text[this.at] !== '"') this.fail(`expected a key in double quotes, found ${this.found()}`)
      const here = this.line
      const key = this.string()
      const inner = pathBelow(path, key)
      const before = seen.get(key)
      if (before === undefined) {
        seen.set(key, here)
        this.lines.set(inner, here)
      } else
        this.duplicates.push({
          line: here,
          text: `duplicate key ${shown(key)}, first defined on line ${before}. Remove one of them.`,
        })
      this.skip()
      if (this.text[this.at] !== ':') this.fail(`expected ":" after the key ${shown(key)}, found ${this.found()}`)
      this.at++
      this.value(inner, depth + 1)
    }
  }

  private array(path: string, depth: number): void {
    let i = 0
    for (let more = this.openBracket(']'); more; more = this.nextItem(']')) {
      const inner = `${path}.${i++}`
      this.lines.set(inner, this.line)
      this.value(inner, depth + 1)
    }
  }

  /** Skips the opening bracket. Returns false if the closing bracket follows immediately. */
  private openBracket(close: string): boolean {
    this.at++
    this.skip()
    if (this.text[this.at] !== close) return true
    this.at++
    return false
  }

  /** Skips the comma before the next item, or the closing bracket. */
  private nextItem(close: string): boolean {
    this.skip()
    const c = this.text[this.at]
    if (c !== close && c !== ',') this.fail(`expected "," or "${close}", found ${this.found()}`)
    this.at++
    if (c === close) return false
    this.skip()
    if (this.text[this.at] === close) this.fail(`trailing comma before "${close}"`)
    return true
  }

  private string(): string {
    const raw = this.take(STRING)
    if (raw === undefined) return this.fail('unterminated string, or a character that must be escaped')
    return JSON.parse(raw)
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private skip(): void {
    for (; ; this.at++) {
      const c = this.text[this.at]
      if (c === '\n') this.line++
      else if (c !== ' ' && c !== '\t' && c !== '\r') return
    }
  }

  /** Describes the text at the current position. */
  private found(): string {
    if (this.at >= this.text.length) return 'the end of the file'
    const rest = this.text.slice(this.at, this.at + 60)
    if (/^(?:\/\/|\/\*|#)/.test(rest)) return 'a comment (only YAML files may have comments)'
    return shown(/^(?:[\w.+-]+|.)/su.exec(rest)?.[0])
  }

  private fail(what: string): never {
    throw new NotJson(what)
  }
}
