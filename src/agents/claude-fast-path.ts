import { includes, textOf, utf8 } from '../../packages/exitgate/src/agents/bytes.ts'
import type { TokenCounts } from '../../packages/exitgate/src/agents/message-usage.ts'
import { beginning, withBlanks } from './format.ts'
import { type JsonObject, parseText } from './json-value.ts'
import type { TranscriptBuilder } from './transcript-builder.ts'

const isAssistant = beginning('{"type":"assistant","message":{')
const isSpacedAssistant = beginning('{"type":"assistant", "message":{')
const isUser = beginning('{"type":"user"')
/** A denied tool has a short result. */
const FAILED = utf8('"is_error":true')
const maySayDenied = (bytes: Uint8Array, from: number, to: number): boolean =>
  to - from < 4096 && includes(bytes, from, to, FAILED)
const isPartial = beginning('{"type":"stream_event"')

/** What to search for, in JSON without spaces and in JSON with a space after each colon and comma. */
const TIGHT = {
  content: '"content":[{"type":"',
  another: '},{"type":"',
  parent: '"parent_tool_use_id":',
  stop: '"stop_reason":',
  id: '"id":"',
  model: '"model":"',
  usage: '"usage":{',
}
type Marks = typeof TIGHT
const SPACED = Object.fromEntries(
  Object.entries(TIGHT).map(([name, mark]) => [name, withBlanks(mark).replace('},{', '}, {')]),
) as Marks

/** Events that the fast path leaves to the full parser. */
export interface ClaudeEvents {
  /** A stored message whose tokens are already counted. */
  readonly assistant: (event: JsonObject) => void
  /** An event of a message that is not read in full. */
  readonly pass: () => void
  readonly count: (message: string | undefined, model: string | undefined, counts: TokenCounts | undefined) => void
}

/**
 * Handles most of Claude's events without parsing them. Quotes inside a JSON string are always escaped, so an unescaped
 * `"type":"tool_use"` is structure and never the agent's text. A message without any phrase matters only if it is the final one. So
 * its bytes are stored until the next message, and only those of the last message are ever parsed.
 */
export class ClaudeFastPath {
  readonly #builder: TranscriptBuilder
  readonly #events: ClaudeEvents
  /** The events of the last message, byte for byte. */
  #kept: string[] = []
  /** The events of the message before it, in case the last one is broken. */
  #before: string[] = []
  #size = 0
  #message: string | undefined

  constructor(builder: TranscriptBuilder, events: ClaudeEvents) {
    this.#builder = builder
    this.#events = events
  }

  /** True if the event needs no parsing. */
  take(bytes: Uint8Array, from: number, to: number): boolean {
    if (isPartial(bytes, from, to)) return true
    if (isUser(bytes, from, to)) return !this.#builder.awaitsResults && !maySayDenied(bytes, from, to)
    if (!isAssistant(bytes, from, to) && !isSpacedAssistant(bytes, from, to)) return false
    if (this.#builder.trouble !== undefined) return false
    // Searching in a string is several times faster than in bytes.
    const event = textOf(bytes, from, to)
    const marks = event[8] === ' ' ? SPACED : TIGHT
    const contentAt = event.indexOf(marks.content)
    if (contentAt === -1 || this.#needsParsing(event, marks, contentAt)) return false
    const blockAt = contentAt + marks.content.length
    // The key comes after the message, so the last one is the event's own, whatever a tool's input contains.
    const isSubAgent = valueAfterLast(event, marks.parent) === '"'
    const message = stringAfter(event, marks.id, contentAt)
    const count = () => this.#events.count(message, stringAfter(event, marks.model, contentAt), countsIn(event))
    if (event.startsWith('text"', blockAt)) {
      if (isSubAgent) {
        count()
        return true
      }
      // An index in the text is at most the index in the bytes, so this covers at least the block.
      if (this.#builder.earlier.mayContainPhrase(bytes, from + blockAt, to)) return false
      this.#keep(event, message !== undefined && message === this.#message)
    } else {
      if (isSubAgent || !event.startsWith('tool_use"', blockAt) || event.includes('exit_signal', blockAt)) return false
      this.#kept = []
      this.#before = []
      this.#builder.endFinalText()
    }
    this.#message = message
    this.#events.pass()
    count()
    return true
  }

  /** The event has several blocks, a stop reason or an unknown session, or it is incomplete. */
  #needsParsing(event: string, marks: Marks, contentAt: number): boolean {
    const stop = valueAfterLast(event, marks.stop)
    if (stop === '"' || !endsInBrace(event) || event.includes(marks.another, contentAt)) return true
    if (this.#builder.session === undefined && event.includes('"session')) return true
    const idAt = event.indexOf(marks.id)
    return idAt > contentAt && event.startsWith('text"', contentAt + marks.content.length)
  }

  /** Reads the stored events, because the next event must be read after them. */
  settle(): void {
    const kept = this.#kept
    const before = this.#before
    this.#kept = []
    this.#before = []
    if (kept.length === 0 || this.#readAll(kept)) return
    this.#builder.report('the last message could not be parsed')
    this.#readAll(before)
  }

  #readAll(events: readonly string[]): boolean {
    let read = false
    for (const event of events) {
      const parsed = parseText(event)
      if (parsed === undefined) continue
      this.#events.assistant(parsed)
      read = true
    }
    return read
  }

  #keep(event: string, sameMessage: boolean): void {
    if (!sameMessage && this.#kept.length > 0) {
      // A skipped message still separates the text before it from the text after it.
      this.#builder.closeMessage()
      this.#before = this.#kept
      this.#kept = []
      this.#size = 0
    }
    if (this.#size > MAX_KEPT) this.settle()
    this.#kept.push(event)
    this.#size += event.length + EACH
  }
}

/** One message may come in many events. At most this many characters are stored, fewer if there are many events. */
const MAX_KEPT = 4 * 1024 * 1024
const EACH = 64 * 1024

function endsInBrace(event: string): boolean {
  const last = event.charCodeAt(event.length - 1)
  return last === 0x7d || (last === 0x0d && event.charCodeAt(event.length - 2) === 0x7d)
}

/** The first character of the value of the last key of this name. */
function valueAfterLast(event: string, key: string): string | undefined {
  const at = event.lastIndexOf(key)
  return at === -1 ? undefined : event[at + key.length]
}

function stringAfter(event: string, mark: string, before: number): string | undefined {
  const at = event.indexOf(mark)
  const to = at === -1 || at > before ? -1 : event.indexOf('"', at + mark.length)
  return to === -1 ? undefined : event.slice(at + mark.length, to)
}

/** The counts of a message's usage. Inner objects break them down under longer names. */
const COUNTS = ['"input_tokens":', '"cache_creation_input_tokens":', '"cache_read_input_tokens":', '"output_tokens":']
const SPACED_COUNTS = COUNTS.map(withBlanks)

function countsIn(event: string): TokenCounts | undefined {
  const isSpaced = event[8] === ' '
  const usageAt = event.lastIndexOf((isSpaced ? SPACED : TIGHT).usage)
  if (usageAt === -1) return undefined
  const [input = 0, created = 0, cachedInput = 0, output = 0] = (isSpaced ? SPACED_COUNTS : COUNTS).map((key) => {
    const at = event.indexOf(key, usageAt)
    return at === -1 ? 0 : wholeNumberAt(event, at + key.length)
  })
  return { input: input + created, cachedInput, output }
}

function wholeNumberAt(text: string, from: number): number {
  let number = 0
  for (let i = from; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) break
    number = number * 10 + digit
  }
  return number
}
