import type { Draft } from './draft.ts'
import { beginning, withBlanks } from './format.ts'
import { type JsonObject, parseObject } from './json-value.ts'

const isAssistant = beginning('{"type":"assistant"')
const isUser = beginning('{"type":"user"')
const isPartial = beginning('{"type":"stream_event"')

/** The keys that decide, as they stand in an event without blanks and in one with a blank behind each colon. */
const KEYS = {
  parent: '"parent_tool_use_id":',
  toolUse: '"type":"tool_use"',
  textBlock: '"type":"text"',
  content: '"content":',
  id: '"id":"',
  usage: '"usage":{',
  stop: '"stop_reason":"',
}
type Keys = typeof KEYS
const SPACED_KEYS = Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [name, withBlanks(key)])) as Keys

/** What the glance leaves to the one who reads events in full. */
export interface ClaudeEvents {
  /** A message that was kept, and whose cost is already known. */
  readonly assistant: (event: JsonObject) => void
  /** A message went by. */
  readonly pass: (message: string | undefined, tokens: number | undefined) => void
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
  /** Those of the message before it, in case the last one turns out to be broken. */
  #before: string[] = []
  #message: string | undefined
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
    const keys = event[8] === ' ' ? SPACED_KEYS : KEYS
    const parentAt = event.lastIndexOf(keys.parent)
    if (needsParsing(event, keys, parentAt) || (this.#draft.session === undefined && hasSession(event))) return false
    const usesTool = event.includes(keys.toolUse)
    // A tool's input may hold any key, so of a tool use only parsing tells whether it is a sub-agent's.
    if (parentAt !== -1 && event[parentAt + keys.parent.length] === '"') return !usesTool
    const textAt = event.indexOf(keys.textBlock)
    const idAt = event.indexOf(keys.id)
    const message = idAt < event.indexOf(keys.content) ? stringAt(event, idAt + keys.id.length) : undefined
    if (usesTool) {
      if (textAt !== -1 || event.includes('exit_signal')) return false
      this.#kept = []
      this.#before = []
      this.#draft.unsay()
    } else if (textAt !== -1) {
      if (idAt !== -1 && message === undefined) return false
      if (this.#draft.earlier.mayStandIn(bytes, from + textAt, parentAt > textAt ? from + parentAt : to)) return false
      this.#keep(event, message !== undefined && message === this.#message)
    }
    if (message === undefined || message !== this.#message) this.#count()
    this.#message = message
    this.#last = event
    return true
  }

  /** Reads what was kept, because something comes that is to be read after it. */
  settle(): void {
    this.#count()
    const kept = this.#kept
    const before = this.#before
    this.#kept = []
    this.#before = []
    if (kept.length === 0 || this.#readAll(kept)) return
    this.#draft.report('the last message could not be parsed')
    this.#readAll(before)
  }

  #readAll(events: readonly string[]): boolean {
    let read = false
    for (const event of events) {
      const bytes = Buffer.from(event, 'latin1')
      const parsed = parseObject(bytes, 0, bytes.length)
      if (parsed === undefined) continue
      this.#events.assistant(parsed)
      read = true
    }
    return read
  }

  /** What is not read still costs; its last event has the message's final count. */
  #count(): void {
    const last = this.#last
    if (last !== undefined) this.#events.pass(this.#message, tokensIn(last, last[8] === ' ' ? SPACED_KEYS : KEYS))
    this.#last = undefined
  }

  #keep(event: string, sameMessage: boolean): void {
    if (!sameMessage && this.#kept.length > 0) {
      this.#before = this.#kept
      this.#kept = []
    }
    if (this.#kept.reduce((sum, { length }) => sum + length, this.#kept.length * 65_536) > MOST_KEPT) this.settle()
    this.#kept.push(event)
  }
}

/** One message may come in many events, each with a block of it; so many characters of them are kept, or fewer if they are many. */
const MOST_KEPT = 4 * 1024 * 1024

/**
 * A second key of the same name is somewhere inside a tool's input: then only parsing tells which is the event's own. A message that
 * says how it ended is rare, and so is a line that another one broke into.
 */
function needsParsing(event: string, keys: Keys, parentAt: number): boolean {
  if (parentAt !== -1 && event.indexOf(keys.parent) !== parentAt) return true
  return !/\}\s*$/.test(event.slice(-8)) || event.includes(keys.stop) || event.includes('"isSidechain"')
}

function hasSession(event: string): boolean {
  return event.includes('"session_id"') || event.includes('"sessionId"')
}

function stringAt(event: string, from: number): string | undefined {
  const to = event.indexOf('"', from)
  return from < 8 || to === -1 ? undefined : event.slice(from, to)
}

/** The sum of the counts in the message's usage, but not of those that inner objects break down once more. */
function tokensIn(event: string, keys: Keys): number | undefined {
  const at = event.lastIndexOf(keys.usage)
  if (at === -1) return undefined
  let sum: number | undefined
  let depth = 0
  for (let i = at + keys.usage.length - 1; i < event.length; i++) {
    const char = event.charCodeAt(i)
    if (char === 0x7b) depth++
    else if (char === 0x7d && --depth === 0) break
    else if (char === 0x3a && depth === 1 && endsInTokens(event, i)) sum = (sum ?? 0) + wholeNumberAt(event, i + 1)
  }
  return sum
}

function endsInTokens(text: string, to: number): boolean {
  // The letter is asked first because it is cheap and most keys end in another one.
  return text.charCodeAt(to - 2) === 0x73 && text.startsWith('_tokens"', to - 8)
}

function wholeNumberAt(text: string, from: number): number {
  let number = 0
  for (let i = text[from] === ' ' ? from + 1 : from; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) break
    number = number * 10 + digit
  }
  return number
}
