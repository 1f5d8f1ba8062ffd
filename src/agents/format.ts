import type { Transcript } from '../core/types.ts'
import { startsWith, utf8 } from './bytes.ts'
import type { JsonObject } from './json-value.ts'
import type { TranscriptBuilder } from './transcript-builder.ts'

/** A reader of one format; the bytes it gets are UTF-8. */
export interface FormatReader {
  write(chunk: Uint8Array): void
  /** `bytes` is what the agent printed, before any change of encoding. */
  end(bytes: number): Transcript
}

/** How one agent writes its events. A new agent is a new file with one of these, and a line in formats/index.ts. */
export interface EventFormat {
  readonly name: string
  /** Whether an event is one of this format's. It may be cut off behind some of its keys. */
  readonly knows: (event: JsonObject) => boolean
  readonly open: (builder: TranscriptBuilder) => EventReading
}

/** The reading of one stream of such events. */
export interface EventReading {
  /**
   * Looks at the bytes of an event before it is parsed. True means that they were dealt with: most of a long stream is
   * tool output and partial messages, and parsing them would cost ten times what looking costs.
   */
  readonly fastPath?: (bytes: Uint8Array, from: number, to: number) => boolean
  readonly read: (event: JsonObject) => void
  /** The stream is over. */
  readonly end?: () => void
  /** The beginning of an event that was too long to be held. True means that nothing was lost with it. */
  readonly lost?: (head: Uint8Array) => boolean
}

/** Compares bytes with the beginning that events of one type have, written without blanks or with one behind each colon. */
export function beginning(text: string): (bytes: Uint8Array, from: number, to: number) => boolean {
  const tight = utf8(text)
  const spaced = utf8(withBlanks(text))
  return (bytes, from, to) => startsWith(bytes, from, to, tight) || startsWith(bytes, from, to, spaced)
}

/** As some programs write JSON. */
export function withBlanks(json: string): string {
  return json.replaceAll('":', '": ')
}
