import { utf8 } from '../../packages/exitgate/src/agents/bytes.ts'
import type { Transcript } from '../core/types.ts'
import { toUtf8 } from './encoding.ts'
import type { FormatReader, Look } from './format.ts'

/** Takes the bytes of one iteration and returns its transcript. Never throws, whatever the bytes are. */
export interface TranscriptReader {
  /** The caller may reuse the chunk after the call. */
  write(chunk: string | Uint8Array): void
  /** What the agent has used so far. */
  usage(): Transcript['usage']
  end(): Transcript
  look(): Look
}

/** Converts the agent's output to UTF-8 for the reader of its format. */
export function transcriptReader(reader: FormatReader): TranscriptReader {
  const decoder = toUtf8((bytes) => reader.write(bytes))
  let bytes = 0
  /** The first half of a surrogate pair that was split across two strings. */
  let half = ''
  const write = (chunk: Uint8Array) => {
    bytes += chunk.length
    decoder.write(chunk)
  }
  return {
    write(chunk) {
      if (typeof chunk !== 'string') return write(chunk)
      const text = half + chunk
      half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? ''
      write(utf8(text.slice(0, text.length - half.length)))
    },
    usage: () => reader.usage(),
    end() {
      if (half !== '') write(utf8(half))
      decoder.end()
      return reader.end(bytes)
    },
    look: () => reader.look?.() ?? {},
  }
}
