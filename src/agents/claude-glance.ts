import type { Draft } from './draft.ts'
import { beginning } from './format.ts'
import { type JsonObject, parseObject } from './json-value.ts'

const isAssistant = beginning('{"type":"assistant","message":{')
const isUser = beginning('{"type":"user"')
const isPartial = beginning('{"type":"stream_event"')
const PARENT = '"parent_tool_use_id":'
const TOOL_USE = '"type":"tool_use"'
const TEXT_BLOCK = '"type":"text"'
const ID = '"id":"'
const USAGE = '"usage":{'

/** What the glance leaves to the one who reads events in full. */
export interface ClaudeEvents {
  readonly assistant: (event: JsonObject) => void
  /** A message of the agent went by that is not read further. */
  readonly pass: (message: string, tokens: number | undefined) => void
}

/**
 * Deals with most of Claude's events without parsing them. Quotes inside a JSON string are always escaped, so an unescaped
 * `"type":"tool_use"` is structure and never something the agent wrote. A message without any phrase in it can only matter as the
 * final one, so its bytes are kept until the next message comes; only those of the last are ever parsed.
 */
export class ClaudeGlance {
  readonly #draft: Draft
  readonly #events: ClaudeEvents
  /** The events of the last message, byte for byte. */
  #kept: string[] = []
  #message = ''
  #last: string | undefined

  constructor(draft: Draft, events: ClaudeEvents) {
    this.#draft = draft
    this.#events = events
  }

  /** True when the event was dealt with. */
  take(bytes: Buffer, from: number, to: number): boolean {
    if (isPartial(bytes, from, to)) return true
    if (isUser(bytes, from, to)) return !this.#draft.awaitsResults
    if (!isAssistant(bytes, from, to) || this.#draft.trouble !== undefined) return false
    // Searching in a string of bytes is several times faster than in a buffer.
    const event = bytes.toString('latin1', from, to)
    const parentAt = event.lastIndexOf(PARENT)
    const message = messageId(event)
    if (parentAt === -1 || message === undefined) return false
    // The key stands behind the message, so the last one is the event's own whatever a tool's input contains.
    if (event[parentAt + PARENT.length] === '"') return true
    const textAt = event.indexOf(TEXT_BLOCK)
    if (event.includes(TOOL_USE)) {
      if (textAt !== -1 || event.includes('exit_signal')) return false
      this.#kept = []
      this.#draft.unsay()
    } else if (textAt !== -1) {
      if (this.#draft.earlier.mayStandIn(bytes, from + textAt, from + parentAt)) return false
      if (message !== this.#message) this.#kept = []
      this.#keep(event)
    }
    if (message !== this.#message) this.#count()
    this.#message = message
    this.#last = event
    return true
  }

  /** Reads what was kept, because something comes that is to be read after it. */
  settle(): void {
    this.#count()
    const kept = this.#kept
    this.#kept = []
    for (const event of kept) {
      const bytes = Buffer.from(event, 'latin1')
      const parsed = parseObject(bytes, 0, bytes.length)
      if (parsed !== undefined) this.#events.assistant(parsed)
    }
  }

  /** What is not read still costs; its last event has the message's final count. */
  #count(): void {
    if (this.#last !== undefined) this.#events.pass(this.#message, tokensIn(this.#last))
    this.#last = undefined
  }

  #keep(event: string): void {
    if (this.#kept.reduce((sum, { length }) => sum + length, this.#kept.length * 65_536) > MOST_KEPT) this.settle()
    this.#kept.push(event)
  }
}

/** One message may come in many events, each with a block of it; so many characters of them are kept, or fewer if they are many. */
const MOST_KEPT = 4 * 1024 * 1024

function messageId(event: string): string | undefined {
  const at = event.indexOf(ID)
  const to = event.indexOf('"', at + ID.length)
  return at === -1 || to === -1 ? undefined : event.slice(at + ID.length, to)
}

/** The sum of the counts in the message's usage, but not of those that inner objects break down once more. */
function tokensIn(event: string): number | undefined {
  const at = event.lastIndexOf(USAGE)
  if (at === -1) return undefined
  let sum = 0
  let depth = 0
  for (let i = at + USAGE.length - 1; i < event.length; i++) {
    const char = event.charCodeAt(i)
    if (char === 0x7b) depth++
    else if (char === 0x7d && --depth === 0) break
    else if (char === 0x3a && depth === 1 && endsInTokens(event, i)) sum += wholeNumberAt(event, i + 1)
  }
  return sum
}

function endsInTokens(text: string, to: number): boolean {
  // The letter is asked first because it is cheap and most keys end in another one.
  return text.charCodeAt(to - 2) === 0x73 && text.startsWith('_tokens"', to - 8)
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
