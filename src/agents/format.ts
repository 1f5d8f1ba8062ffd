import { startsWith, utf8 } from '../../packages/exitgate/src/agents/bytes.ts'
import type { AgentError, Transcript } from '../core/types.ts'
import type { JsonObject } from './json-value.ts'
import type { TranscriptBuilder } from './transcript-builder.ts'

/** Reads one format. It gets UTF-8 bytes. */
export interface FormatReader {
  write(chunk: Uint8Array): void
  /** What the agent has used so far; empty if its output does not tell. */
  usage(): Transcript['usage']
  /** `bytes` is the number of bytes the agent printed, before any conversion. */
  end(bytes: number): Transcript
  look?(): Look
}

/** How the agent is doing so far. */
export interface Look {
  /** An error that it has not recovered from, such as one that it retries. */
  readonly trouble?: AgentError | undefined
  /** It has printed its final result, and nothing of another turn. */
  readonly hasResult?: boolean
  /** Requests to its model since its last tool call, as far as its output shows them. */
  readonly requests?: number
}

/** How one agent writes its events. A new agent is a new file with one of these, and a line in formats/index.ts. */
export interface EventFormat {
  readonly name: string
  /** Whether an event belongs to this format. The event may be cut off after some of its keys. */
  readonly knows: (event: JsonObject) => boolean
  readonly open: (builder: TranscriptBuilder) => EventReading
  /** The last event of its output is its result. */
  readonly endsWithResult?: true
}

/** Reads one stream of events. */
export interface EventReading {
  /**
   * Looks at the bytes of an event before it is parsed. True means that it was handled. Most of a long stream is tool output and
   * partial messages, and parsing costs ten times as much as looking.
   */
  readonly fastPath?: (bytes: Uint8Array, from: number, to: number) => boolean
  readonly read: (event: JsonObject) => void
  /** The stream has ended. */
  readonly end?: () => void
  /** The start of an event that was too long to store. True means that nothing was lost with it. */
  readonly lost?: (head: Uint8Array) => boolean
}

/** Matches the start of events of one type, written without spaces or with one after each colon. */
export function beginning(text: string): (bytes: Uint8Array, from: number, to: number) => boolean {
  const tight = utf8(text)
  const spaced = utf8(withBlanks(text))
  return (bytes, from, to) => startsWith(bytes, from, to, tight) || startsWith(bytes, from, to, spaced)
}

/** The same with a space after each colon and comma, as some programs print JSON. */
export function withBlanks(json: string): string {
  return json.replaceAll('":', '": ')
}
