import { shown } from './errors.ts'

/** Where everything stands in a JSON text, and what JSON.parse does not tell: the line of an error, keys written twice. */
export interface JsonScan {
  /** Line (from 1) of every key and list item, by dotted path. */
  readonly lines: ReadonlyMap<string, number>
  readonly duplicates: readonly { readonly line: number; readonly text: string }[]
  readonly error?: { readonly line: number; readonly column: number; readonly text: string }
}

/** Deep enough for any configuration, and shallow enough never to exhaust the stack. */
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
    return { lines, duplicates, error: { ...scanner.place(), text: `this is not JSON: ${thrown.message}.` } }
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
    if (this.at < this.text.length) this.fail(`nothing may follow the value, but ${this.next()} does`)
  }

  place(): { line: number; column: number } {
    return { line: this.line, column: this.at - this.text.lastIndexOf('\n', this.at - 1) }
  }

  private value(path: string, depth: number): void {
    this.skip()
    if (depth > MAX_DEPTH) this.fail(`it is nested deeper than ${MAX_DEPTH} levels`)
    const c = this.text[this.at]
    if (c === '{') this.object(path, depth)
    else if (c === '[') this.array(path, depth)
    else if (c === '"') this.string()
    else if (this.take(PLAIN) === undefined) this.fail(`a value is expected, not ${this.next()}`)
  }

  private object(path: string, depth: number): void {
    const seen = new Map<string, number>()
    for (let more = this.opens('}'); more; more = this.goesOn('}')) {
      if (this.text[this.at] !== '"') this.fail(`a key in double quotes is expected, not ${this.next()}`)
      const here = this.line
      const key = this.string()
      const inner = path === '' ? key : `${path}.${key}`
      const before = seen.get(key)
      if (before === undefined) {
        seen.set(key, here)
        this.lines.set(inner, here)
      } else this.duplicates.push({ line: here, text: `the key ${shown(key)} stands twice, first in line ${before}.` })
      this.skip()
      if (this.text[this.at] !== ':') this.fail(`":" is expected after the key ${shown(key)}, not ${this.next()}`)
      this.at++
      this.value(inner, depth + 1)
    }
  }

  private array(path: string, depth: number): void {
    let i = 0
    for (let more = this.opens(']'); more; more = this.goesOn(']')) {
      const inner = `${path}.${i++}`
      this.lines.set(inner, this.line)
      this.value(inner, depth + 1)
    }
  }

  /** Steps over the opening bracket; false when the closing one follows at once. */
  private opens(close: string): boolean {
    this.at++
    this.skip()
    if (this.text[this.at] !== close) return true
    this.at++
    return false
  }

  /** Steps over the comma to the next item, or over the closing bracket. */
  private goesOn(close: string): boolean {
    this.skip()
    const c = this.text[this.at]
    if (c !== close && c !== ',') this.fail(`"," or "${close}" is expected, not ${this.next()}`)
    this.at++
    if (c === close) return false
    this.skip()
    if (this.text[this.at] === close) this.fail(`there is a "," before "${close}"`)
    return true
  }

  private string(): string {
    const raw = this.take(STRING)
    if (raw === undefined) return this.fail('a text here is not closed, or holds a character that must be escaped')
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

  /** What stands where something else was expected, in words. */
  private next(): string {
    if (this.at >= this.text.length) return 'the end of the file'
    const rest = this.text.slice(this.at, this.at + 60)
    if (/^(?:\/\/|\/\*|#)/.test(rest)) return 'a comment (YAML files may have them)'
    return shown(/^(?:[\w.+-]+|.)/su.exec(rest)?.[0])
  }

  private fail(what: string): never {
    throw new NotJson(what)
  }
}
