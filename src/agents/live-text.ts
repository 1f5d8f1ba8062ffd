import { clean } from '../signals/lines.ts'
import { lastCharacters } from './draft.ts'
import { EVENT_FORMATS } from './formats/index.ts'
import { isObject, type JsonObject, objectIn, textIn } from './json-value.ts'
import { LineSplitter } from './lines.ts'
import { type Shown, showing } from './live-events.ts'

/** Nobody reads more of what came at once. */
const MOST_CHARACTERS = 4_000
/** An event longer than this is tool output, and not worth holding for those who watch. */
const LONGEST_EVENT = 1024 * 1024
const LONGEST_NOISE = 300
const LONGEST_ABOUT = 160

const BRACE = 0x7b
const BRACKET = 0x5b

/** Turns the bytes of a stream, as they come, into short text for people who watch. Never throws, and holds little. */
export function liveText(format: string): (chunk: Buffer) => string {
  if (format === 'text') {
    const words = new Words()
    return (chunk) => short(words.take(chunk))
  }
  const lines = format === 'auto' ? new Either() : new Events(showing(format))
  return (chunk) => short(lines.take(chunk))
}

function short(text: string): string {
  const [before, end] = lastCharacters(text, MOST_CHARACTERS)
  return before === '' ? end : `…${end}`
}

/** What is left of an escape at the end of a chunk: the rest of it comes with the next. */
const TORN_ESCAPE = /\x1b(?:\[[0-?]{0,32}[ -/]{0,8})?$/
/** A terminal may take these for the beginning of an escape as well. */
const CONTROLS = /[\x80-\x9f]/g

/** Plain output: as it is, but nothing in it may steer the terminal. */
class Words {
  readonly #decoder = new TextDecoder()
  #torn = ''

  take(chunk: Uint8Array): string {
    const text = this.#torn + this.#decoder.decode(chunk, { stream: true })
    this.#torn = TORN_ESCAPE.exec(text)?.[0] ?? ''
    return harmless(text.slice(0, text.length - this.#torn.length))
  }
}

function harmless(text: string): string {
  return clean(text).replace(CONTROLS, '')
}

/** A stream of events, one a line. */
class Events {
  readonly #show: (event: JsonObject) => readonly Shown[]
  readonly #lines: LineSplitter
  #text = ''
  /** The message shown last goes on on the same line. */
  #open = false
  /** One object or array is printed over many lines; it is read at its end by others. */
  #inDocument = false

  constructor(show: (event: JsonObject) => readonly Shown[]) {
    this.#show = show
    const line = (bytes: Buffer, from: number, to: number) => this.#line(bytes, from, to)
    this.#lines = new LineSplitter({ line, tooLong: () => {} }, LONGEST_EVENT)
  }

  take(chunk: Buffer): string {
    this.#lines.write(chunk)
    const text = this.#text
    this.#text = ''
    return text
  }

  #line(bytes: Buffer, from: number, to: number): void {
    const value = bytes[from] === BRACE || bytes[from] === BRACKET ? parsed(bytes, from, to) : undefined
    if (value !== undefined) {
      const events = Array.isArray(value) ? value : [value]
      for (const event of events.filter(isObject)) for (const shown of this.#show(event)) this.#add(shown)
      return
    }
    const noise = harmless(bytes.toString('utf8', from, Math.min(to, from + LONGEST_NOISE))).trimEnd()
    if (noise === '{' || noise === '[') this.#inDocument = true
    else if (noise === '}' || noise === ']') this.#inDocument = false
    else if (!this.#inDocument && noise !== '') this.#onItsOwn(noise)
  }

  #add(shown: Shown): void {
    if ('tool' in shown) this.#onItsOwn(`> ${toolLine(shown.tool, shown.about)}`)
    else if ('trouble' in shown) this.#onItsOwn(`! ${oneLine(shown.trouble)}`)
    else if (shown.goesOn === true) {
      this.#put(harmless(shown.say))
      this.#open = !shown.say.endsWith('\n')
    } else this.#onItsOwn(harmless(shown.say).trimEnd())
  }

  #onItsOwn(text: string): void {
    this.#put(`${this.#open ? '\n' : ''}${text}\n`)
    this.#open = false
  }

  /** Many events may come in one chunk. */
  #put(text: string): void {
    const all = this.#text + text
    this.#text = all.length > 2 * MOST_CHARACTERS ? all.slice(-2 * MOST_CHARACTERS) : all
  }
}

/** Words, until a line turns out to be an event of an agent that is known. */
class Either {
  readonly #words = new Words()
  #events: Events | undefined
  /** A line that begins like an event. */
  #held: Buffer = Buffer.alloc(0)
  #atStart = true

  take(chunk: Buffer): string {
    if (this.#events !== undefined) return this.#events.take(chunk)
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = Buffer.alloc(0)
    let text = ''
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(10, from)
      const to = newline === -1 ? bytes.length : newline + 1
      if (this.#atStart && bytes[from] === BRACE) {
        if (newline === -1 && to - from < LONGEST_EVENT) {
          this.#held = Buffer.from(bytes.subarray(from))
          break
        }
        this.#events = eventsOf(bytes, from, to)
        if (this.#events !== undefined) return text + this.#events.take(bytes.subarray(from))
      }
      text += this.#words.take(bytes.subarray(from, to))
      this.#atStart = newline !== -1
      from = to
      if (text.length > 4 * MOST_CHARACTERS) text = text.slice(-2 * MOST_CHARACTERS)
    }
    return text
  }
}

function eventsOf(bytes: Buffer, from: number, to: number): Events | undefined {
  const event = parsed(bytes, from, to)
  if (!isObject(event)) return undefined
  const format = EVENT_FORMATS.find(({ name, knows }) => name !== 'json' && knows(event))
  return format === undefined ? undefined : new Events(showing(format.name))
}

function parsed(bytes: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to))
  } catch {
    return undefined
  }
}

const ABOUT = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt']

/** As people would say it: the tool, and the first line of what it is about. */
function toolLine(name: string, input: unknown): string {
  const fields = objectIn(input)
  const about = ABOUT.map((key) => textIn(fields[key])).find((text) => text !== undefined)
  return oneLine(about === undefined ? name : `${name} ${about}`)
}

function oneLine(text: string): string {
  const [line = ''] = harmless(text.slice(0, 4 * LONGEST_ABOUT))
    .trim()
    .split('\n')
  return line.length > LONGEST_ABOUT ? `${line.slice(0, LONGEST_ABOUT)}…` : line
}
