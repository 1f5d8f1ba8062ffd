import { joined, NEWLINE, NO_BYTES, textOf } from '../../packages/exitgate/src/agents/bytes.ts'
import { clean } from '../core/signals/lines.ts'
import { EVENT_FORMATS } from './formats/index.ts'
import { type JsonObject, objectIn, parseObject, textIn } from './json-value.ts'
import { type Shown, showing } from './live-events.ts'
import { lastCharacters } from './transcript-builder.ts'
import { ValueSplitter } from './values.ts'

/** More text than this at once is a flood. Long messages of an agent are shorter. */
const MAX_CHARACTERS = 32_000
/** A longer event is tool output, and not worth storing for the live view. */
const MAX_EVENT = 1024 * 1024
/** How much of a line to wait for while the format is unknown. */
const MAX_HELD = 64 * 1024
const MAX_NOISE = 300
const MAX_ABOUT = 160

const BRACE = 0x7b

/** A piece of readable text. A tool call is one line, with its parts in `tool`. */
export interface Piece {
  readonly text: string
  readonly tool?: { readonly name: string; readonly about?: string }
}

/** Turns the bytes of a stream into short readable text. Never throws, and stores little. */
export function liveText(format: string): (chunk: Uint8Array) => readonly Piece[] {
  if (format === 'text') {
    const words = new Words()
    return (chunk) => piecesOf(short(words.take(chunk)))
  }
  const lines = format === 'auto' ? new Either() : new Events(showing(format))
  return (chunk) => shortened(lines.take(chunk))
}

const piecesOf = (text: string): readonly Piece[] => (text === '' ? [] : [{ text }])

/** The last pieces, together no longer than people can read. */
function shortened(pieces: readonly Piece[]): readonly Piece[] {
  let left = MAX_CHARACTERS
  const kept: Piece[] = []
  for (const piece of [...pieces].reverse()) {
    if (left <= 0) break
    if (piece.text.length <= left) kept.push(piece)
    else kept.push({ text: `…${lastCharacters(piece.text, left)[1]}` })
    left -= piece.text.length
  }
  return kept.reverse()
}

function short(text: string): string {
  const [before, end] = lastCharacters(text, MAX_CHARACTERS)
  return before === '' ? end : `…${end}`
}

/** An incomplete escape sequence at the end of a chunk: the rest comes with the next chunk. */
const TORN_ESCAPE = /\x1b(?:\[[0-?]{0,32}[ -/]{0,8}|\][^\x07\x1b\n]{0,200})?$/
/** A terminal may also treat these as the start of an escape sequence. */
const CONTROLS = /[\x80-\x9f]/g

/** Plain output, without anything that could control the terminal. */
class Words {
  readonly #decoder = new TextDecoder()
  #torn = ''

  take(chunk: Uint8Array): string {
    // Only the end of a large chunk is shown, so only the end is processed.
    const end = chunk.subarray(-4 * MAX_CHARACTERS)
    const text = this.#torn + this.#decoder.decode(end, { stream: true })
    this.#torn = TORN_ESCAPE.exec(text)?.[0] ?? ''
    return harmless(text.slice(0, text.length - this.#torn.length))
  }
}

function harmless(text: string): string {
  return clean(text).replace(CONTROLS, '')
}

/** A stream of events. */
class Events {
  readonly #show: (event: JsonObject) => readonly Shown[]
  readonly #values: ValueSplitter
  #pieces: Piece[] = []
  #length = 0
  #lastSaid = ''
  /** The last message continues on the same line. */
  #open = false

  constructor(show: (event: JsonObject) => readonly Shown[]) {
    this.#show = show
    this.#values = new ValueSplitter(
      {
        value: (bytes, from, to) => this.#value(bytes, from, to),
        noise: (bytes, from, to) => this.#noise(bytes, from, to),
        tooLong: () => {},
      },
      MAX_EVENT,
    )
  }

  take(chunk: Uint8Array): readonly Piece[] {
    this.#values.write(chunk)
    const pieces = this.#pieces
    this.#pieces = []
    this.#length = 0
    return pieces
  }

  #value(bytes: Uint8Array, from: number, to: number): void {
    const event = parseObject(bytes, from, to)
    if (event === undefined) this.#noise(bytes, from, to)
    else for (const shown of this.#show(event)) this.#add(shown)
  }

  #noise(bytes: Uint8Array, from: number, to: number): void {
    const noise = harmless(textOf(bytes, from, Math.min(to, from + MAX_NOISE))).trimEnd()
    if (noise !== '') this.#onItsOwn(noise)
  }

  #add(shown: Shown): void {
    if ('tool' in shown) this.#call(oneLine(shown.tool), aboutOf(shown.about))
    else if ('trouble' in shown) this.#onItsOwn(`! ${oneLine(shown.trouble)}`)
    else if (shown.how === 'goes on') {
      this.#put(harmless(shown.say))
      this.#open = !shown.say.endsWith('\n')
    } else this.#say(harmless(shown.say).trimEnd(), shown.how === 'repeats')
  }

  #say(text: string, repeats: boolean): void {
    if (repeats && short(text) === this.#lastSaid) return
    this.#lastSaid = short(text)
    this.#onItsOwn(text)
  }

  #call(name: string, about: string | undefined): void {
    const line = about === undefined ? name : oneLine(`${name} ${about}`)
    if (this.#open) this.#put('\n')
    this.#put(`> ${line}\n`, { name, ...(about !== undefined && { about }) })
    this.#open = false
  }

  #onItsOwn(text: string): void {
    this.#put(`${this.#open ? '\n' : ''}${text}\n`)
    this.#open = false
  }

  /** Many events may come in one chunk. */
  #put(text: string, tool?: Piece['tool']): void {
    const last = this.#pieces.at(-1)
    if (tool === undefined && last !== undefined && last.tool === undefined)
      this.#pieces[this.#pieces.length - 1] = { text: lastOf(last.text + text) }
    else this.#pieces.push({ text: lastOf(text), ...(tool && { tool }) })
    this.#length += text.length
    while (this.#pieces.length > 1 && this.#length - this.#pieces[0]!.text.length > MAX_CHARACTERS)
      this.#length -= this.#pieces.shift()!.text.length
  }
}

/** Text, until a line turns out to be an event of a known agent. */
class Either {
  readonly #words = new Words()
  #events: Events | undefined
  /** A line that starts like an event. */
  #held: Uint8Array = NO_BYTES
  #atStart = true

  take(chunk: Uint8Array): readonly Piece[] {
    if (this.#events !== undefined) return this.#events.take(chunk)
    const bytes = joined(this.#held, chunk)
    this.#held = NO_BYTES
    let text = ''
    for (let from = 0; from < bytes.length; ) {
      const start = this.#nextEvent(bytes, from)
      if (start > from) text = lastOf(text + this.#words.take(bytes.subarray(from, start)))
      this.#atStart = bytes[start - 1] === NEWLINE || start === 0
      if (start === bytes.length) break
      const newline = bytes.indexOf(NEWLINE, start)
      const end = newline === -1 ? bytes.length : newline + 1
      if (newline === -1 && end - start < MAX_HELD) {
        this.#held = new Uint8Array(bytes.subarray(start))
        break
      }
      this.#events = eventsOf(bytes, start, end)
      if (this.#events !== undefined) return [...piecesOf(text), ...this.#events.take(bytes.subarray(start))]
      text = lastOf(text + this.#words.take(bytes.subarray(start, end)))
      this.#atStart = newline !== -1
      from = end
    }
    return piecesOf(text)
  }

  /** The start of the next line that may be an event; the end if there is none. */
  #nextEvent(bytes: Uint8Array, from: number): number {
    if (this.#atStart && bytes[from] === BRACE) return from
    let newline = bytes.indexOf(NEWLINE, from)
    while (newline !== -1 && bytes[newline + 1] !== BRACE) newline = bytes.indexOf(NEWLINE, newline + 1)
    return newline === -1 ? bytes.length : newline + 1
  }
}

const lastOf = (text: string): string => lastCharacters(text, 2 * MAX_CHARACTERS)[1]

function eventsOf(bytes: Uint8Array, from: number, to: number): Events | undefined {
  const event = parseObject(bytes, from, to)
  const format = event && EVENT_FORMATS.find(({ name, knows }) => name !== 'json' && knows(event))
  return format && new Events(showing(format.name))
}

const ABOUT = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt']

/** The first line of a tool's input that says what it is used on. */
function aboutOf(input: unknown): string | undefined {
  const fields = objectIn(input)
  const about = ABOUT.map((key) => textIn(fields[key])).find((text) => text !== undefined)
  return about === undefined ? undefined : oneLine(about)
}

function oneLine(text: string): string {
  const [line = ''] = harmless(text.slice(0, 4 * MAX_ABOUT))
    .trim()
    .split('\n')
  return line.length > MAX_ABOUT ? `${line.slice(0, MAX_ABOUT)}…` : line
}
