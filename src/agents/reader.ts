import type { Transcript } from '../core/types.ts'
import { AutoReader } from './auto-reader.ts'
import { utf8 } from './bytes.ts'
import { ToUtf8 } from './encoding.ts'
import { EventReader } from './event-reader.ts'
import type { FormatReader } from './format.ts'
import { EVENT_FORMATS } from './formats/index.ts'
import { TextReader } from './text-reader.ts'

/** Takes the bytes of one iteration as they come and gives its transcript. Never throws, whatever the bytes are. */
export interface TranscriptReader {
  /** The chunk is free for reuse when the call returns. */
  write(chunk: string | Uint8Array): void
  end(): Transcript
}

export const FORMATS: readonly string[] = ['auto', 'text', ...EVENT_FORMATS.map((format) => format.name)]

export function openReader(format: string): TranscriptReader {
  const reader = formatReader(format)
  const decoder = new ToUtf8((bytes) => reader.write(bytes))
  let bytes = 0
  /** The first half of a surrogate pair that two strings were split in. */
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
    end() {
      if (half !== '') write(utf8(half))
      decoder.end()
      return reader.end(bytes)
    },
  }
}

function formatReader(format: string): FormatReader {
  if (format === 'auto') return new AutoReader()
  if (format === 'text') return new TextReader()
  const events = EVENT_FORMATS.find((one) => one.name === format)
  if (events === undefined)
    throw new RangeError(`unknown transcript format "${format}"; known are ${FORMATS.join(', ')}`)
  return new EventReader(events)
}
