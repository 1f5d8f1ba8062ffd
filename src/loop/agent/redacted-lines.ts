import { LiteralFinder, shortest } from '../../agents/finder.ts'
import { formsOf, redact, SECRET_HINTS, withoutValues } from '../../system/redact.ts'

const NEWLINE = 0x0a
/** A longer line is passed on in parts; few events are longer. */
const MAX_LINE = 1024 * 1024
const MAX_PARTS = 256
/** How far back to search for a place between two words. */
const MAX_WORD = 4096
/** No key is longer. Otherwise an agent could hide the rest of its output after the first line of a key. */
const MAX_KEY = 16 * 1024
const KEY_START = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/
const KEY_END = '-----END '

/**
 * Removes secrets from a stream of bytes. Most lines pass unchanged, byte for byte, in any encoding. Only lines that may contain a
 * secret are examined closely, because that is slow.
 */
export class RedactedLines {
  readonly #pass: (bytes: Buffer) => void
  readonly #values: readonly string[]
  readonly #hints: LiteralFinder
  /** Finds values in text without line breaks and colours. */
  readonly #wrapped: LiteralFinder | undefined
  #unfinished: Buffer[] = []
  #length = 0
  /** Bytes of the current private key that were removed so far; undefined outside a key. */
  #inKey: number | undefined

  constructor(values: readonly string[], pass: (bytes: Buffer) => void) {
    this.#pass = pass
    // A secret with non-ASCII letters is searched for as bytes.
    this.#values = values.map((value) => Buffer.from(value).toString('latin1'))
    const forms = values.flatMap(formsOf).map((form) => form.toLowerCase())
    // Colours may be in the middle of a value.
    const colours = values.length === 0 ? [] : ['\x1b[', 'u001b[']
    this.#hints = new LiteralFinder(shortest([...SECRET_HINTS, ...forms, ...colours]))
    this.#wrapped = forms.length === 0 ? undefined : new LiteralFinder(shortest(forms))
  }

  /** The caller must not reuse the chunk. */
  write(chunk: Buffer): void {
    this.#unfinished.push(chunk)
    this.#length += chunk.length
    if (!chunk.includes(NEWLINE) && this.#length <= MAX_LINE) {
      // Many single bytes would take a hundred times their size.
      if (this.#unfinished.length > MAX_PARTS) this.#unfinished = [Buffer.concat(this.#unfinished)]
      return
    }
    const bytes = Buffer.concat(this.#unfinished)
    const newline = bytes.lastIndexOf(NEWLINE) + 1
    const end = bytes.length - newline > MAX_LINE ? betweenWords(bytes) : newline
    this.#unfinished = end === bytes.length ? [] : [bytes.subarray(end)]
    this.#length = bytes.length - end
    this.#lines(bytes.subarray(0, end))
  }

  end(): void {
    this.#lines(Buffer.concat(this.#unfinished))
    this.#unfinished = []
    this.#length = 0
  }

  /** A value that is wrapped over lines is in none of them. */
  #unwrapped(bytes: Buffer): Buffer {
    if (this.#wrapped === undefined || this.#inKey !== undefined) return bytes
    const text = bytes.toString('latin1')
    const joined = Buffer.from(text.replace(BREAKS, ''), 'latin1')
    if (this.#wrapped.find(joined, 0, joined.length) === -1) return bytes
    const shown = text
      .split('\n')
      .map((line) => (line.startsWith('{') ? (redactedEvent(line, this.#values) ?? line) : line))
    return Buffer.from(withoutValues(shown.join('\n'), this.#values), 'latin1')
  }

  #lines(all: Buffer): void {
    const bytes = this.#unwrapped(all)
    const clean: Buffer[] = []
    for (let from = 0; from < bytes.length; ) {
      const hit = this.#inKey === undefined ? this.#hints.find(bytes, from, bytes.length) : from
      if (hit === -1) {
        clean.push(bytes.subarray(from))
        break
      }
      const start = Math.max(from, hit === 0 ? 0 : bytes.lastIndexOf(NEWLINE, hit - 1) + 1)
      const next = bytes.indexOf(NEWLINE, hit)
      const end = next === -1 ? bytes.length : next
      clean.push(bytes.subarray(from, start), Buffer.from(this.#line(bytes.toString('latin1', start, end)), 'latin1'))
      from = end
      if (next === -1) continue
      if (this.#inKey === undefined) clean.push(bytes.subarray(end, end + 1))
      from = end + 1
    }
    const passed = clean.length === 1 ? clean[0]! : Buffer.concat(clean)
    if (passed.length > 0) this.#pass(passed)
  }

  #line(line: string): string {
    if (this.#inKey !== undefined) {
      const end = line.indexOf(KEY_END)
      this.#inKey += line.length
      if (end === -1 && this.#inKey < MAX_KEY) return ''
      this.#inKey = undefined
      return end === -1 ? `\n${line}` : ''
    }
    const begin = KEY_START.exec(line)
    if (begin !== null && !line.includes(KEY_END, begin.index)) this.#inKey = 0
    return redactedLine(line, this.#values)
  }
}

/** The position after the last byte that is not part of a word, if one is near. */
function betweenWords(bytes: Buffer): number {
  for (let at = bytes.length; at > bytes.length - MAX_WORD; at--) {
    const char = String.fromCharCode(bytes[at - 1]!)
    if (!/[A-Za-z0-9_.+/=:@-]/.test(char)) return at
  }
  return bytes.length
}

/** Line breaks and colours, raw and escaped in JSON. */
const BREAKS = /(?:\x1b|\\u001b)\[[0-9;?]*[A-Za-z]|(?:\\r)?\\n|\r?\n[ \t]*/g

/** Color sequences, raw and escaped in JSON: the letter at their end would look like part of the secret after it. */
const COLORS = /(?:\x1b|\\u001b)\[[0-9;]*m/gi
/** The same is true for the letter of an escaped line end. A vertical tab replaces the two characters during the search. */
const ESCAPES = /\\([bfnrt])/g
const PLACEHOLDERS = /\v([\x02\x06\x0e\x12\x14])/g
const CONTROL = 0x60

/** The line without secrets. Bytes are handled as latin1, so that none changes. */
function redactedLine(line: string, values: readonly string[]): string {
  if (line.startsWith('{')) {
    const event = redactedEvent(line, values)
    if (event !== undefined) return event
  }
  const bare = line.includes('\x1b') || line.includes('\\u001b') ? line.replace(COLORS, '') : line
  const apart = bare.replace(ESCAPES, (_, letter: string) => `\v${String.fromCharCode(letter.charCodeAt(0) - CONTROL)}`)
  const shown = redact(apart, values)
  if (shown === apart) return line
  return shown.replace(PLACEHOLDERS, (_, letter: string) => `\\${String.fromCharCode(letter.charCodeAt(0) + CONTROL)}`)
}

/** Redacts each string of a JSON event, unescaped; undefined if the line is not an event. */
function redactedEvent(line: string, values: readonly string[]): string | undefined {
  let changed = false
  const values8 = values.map((value) => Buffer.from(value, 'latin1').toString())
  const look = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    const shown = redact(value, values8)
    if (shown !== value) changed = true
    return shown
  }
  try {
    const event: unknown = JSON.parse(Buffer.from(line, 'latin1').toString(), look)
    // A name next to its value is found in the printed line.
    const printed = changed ? Buffer.from(JSON.stringify(event)).toString('latin1') : line
    return redact(printed, values)
  } catch {
    return undefined
  }
}
