import { LiteralFinder, shortest } from '../../agents/finder.ts'
import { formsOf, redact, SECRET_HINTS } from '../../system/redact.ts'

const NEWLINE = 0x0a
/** A line that grows beyond this is passed on in parts; few events are longer. */
const LONGEST_LINE = 1024 * 1024
const MOST_PARTS = 256
/** So far back a place is looked for where no word is torn apart. */
const LONGEST_WORD = 4096
/** No key is longer; an agent must not hide the rest of its output by writing the beginning of one. */
const LONGEST_KEY = 16 * 1024
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/
const KEY_ENDS = '-----END '

/**
 * Takes secrets out of a stream of bytes. Most lines are passed on as they are, byte for byte and whatever their encoding;
 * only those in which something like a secret may stand are looked at closely, because that is slow.
 */
export class RedactedLines {
  readonly #pass: (bytes: Buffer) => void
  readonly #values: readonly string[]
  readonly #hints: LiteralFinder
  #unfinished: Buffer[] = []
  #length = 0
  /** Bytes of a private key that were left out, while one goes by. */
  #inKey: number | undefined

  constructor(values: readonly string[], pass: (bytes: Buffer) => void) {
    this.#pass = pass
    // A secret with other letters than ASCII is looked for as the bytes it is written in.
    this.#values = values.map((value) => Buffer.from(value).toString('latin1'))
    const forms = values.flatMap(formsOf).map((form) => form.toLowerCase())
    // Colours may be in the middle of a value.
    const colours = values.length === 0 ? [] : ['\x1b[', 'u001b[']
    this.#hints = new LiteralFinder(shortest([...SECRET_HINTS, ...forms, ...colours]))
  }

  /** The chunk must not be used again by whoever hands it over. */
  write(chunk: Buffer): void {
    this.#unfinished.push(chunk)
    this.#length += chunk.length
    if (!chunk.includes(NEWLINE) && this.#length <= LONGEST_LINE) {
      // Single bytes would cost a hundred times what they hold.
      if (this.#unfinished.length > MOST_PARTS) this.#unfinished = [Buffer.concat(this.#unfinished)]
      return
    }
    const bytes = Buffer.concat(this.#unfinished)
    const newline = bytes.lastIndexOf(NEWLINE) + 1
    const end = bytes.length - newline > LONGEST_LINE ? betweenWords(bytes) : newline
    this.#unfinished = end === bytes.length ? [] : [bytes.subarray(end)]
    this.#length = bytes.length - end
    this.#lines(bytes.subarray(0, end))
  }

  end(): void {
    this.#lines(Buffer.concat(this.#unfinished))
    this.#unfinished = []
    this.#length = 0
  }

  #lines(bytes: Buffer): void {
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
    const all = clean.length === 1 ? clean[0]! : Buffer.concat(clean)
    if (all.length > 0) this.#pass(all)
  }

  #line(line: string): string {
    if (this.#inKey !== undefined) {
      const end = line.indexOf(KEY_ENDS)
      this.#inKey += line.length
      if (end === -1 && this.#inKey < LONGEST_KEY) return ''
      this.#inKey = undefined
      return end === -1 ? `\n${line}` : ''
    }
    const begin = KEY_BEGINS.exec(line)
    if (begin !== null && !line.includes(KEY_ENDS, begin.index)) this.#inKey = 0
    return redactedLine(line, this.#values)
  }
}

/** Behind the last byte that is no part of a word, as far as one is near. */
function betweenWords(bytes: Buffer): number {
  for (let at = bytes.length; at > bytes.length - LONGEST_WORD; at--) {
    const char = String.fromCharCode(bytes[at - 1]!)
    if (!/[A-Za-z0-9_.+/=:@-]/.test(char)) return at
  }
  return bytes.length
}

/** Colours, as a terminal gets them and as JSON writes them: the letter at their end would pass for a part of the secret behind. */
const COLOURS = /(?:\x1b|\\u001b)\[[0-9;]*m/gi
/** The same goes for the letter of an escaped line end. A blank that nobody prints stands in for the two while we look. */
const ESCAPES = /\\([bfnrt])/g
const STAND_INS = /\v([\x02\x06\x0e\x12\x14])/g
const CONTROL = 0x60

/** One line without its secrets; the line itself when it has none. Bytes come and go as latin1, so that none is changed. */
function redactedLine(line: string, values: readonly string[]): string {
  if (line.startsWith('{')) {
    const event = redactedEvent(line, values)
    if (event !== undefined) return event
  }
  const bare = line.includes('\x1b') || line.includes('\\u001b') ? line.replace(COLOURS, '') : line
  const apart = bare.replace(ESCAPES, (_, letter: string) => `\v${String.fromCharCode(letter.charCodeAt(0) - CONTROL)}`)
  const shown = redact(apart, values)
  if (shown === apart) return line
  return shown.replace(STAND_INS, (_, letter: string) => `\\${String.fromCharCode(letter.charCodeAt(0) + CONTROL)}`)
}

/** An event is looked at string by string, as the agent wrote them before they were escaped; undefined when it is none. */
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
    // Names and values that stand side by side are seen in the line as it is printed.
    const printed = changed ? Buffer.from(JSON.stringify(event)).toString('latin1') : line
    return redact(printed, values)
  } catch {
    return undefined
  }
}
