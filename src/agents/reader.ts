import type { Transcript } from '../core/types.ts'
import { AutoReader } from './auto-reader.ts'
import { fast, utf8 } from './bytes.ts'
import { ToUtf8 } from './encoding.ts'
import { EventReader } from './event-reader.ts'
import type { FormatReader } from './format.ts'
import { EVENT_FORMATS } from './formats/index.ts'
import { TextReader } from './text-reader.ts'

/** Takes the bytes of one iteration as they come and gives its transcript. Never throws, whatever the bytes are. */
export interface TranscriptReader {
  /** The chunk is free for reuse when the call returns. */
  write(chunk: Uint8Array | string): void
  end(): Transcript
}

export const FORMATS: readonly string[] = ['auto', 'text', ...EVENT_FORMATS.map((format) => format.name)]

export function openReader(format: string): TranscriptReader {
  const reader = formatReader(format)
  const decoder = new ToUtf8((bytes) => reader.write(bytes))
  let length = 0
  return {
    write(chunk) {
      const bytes = typeof chunk === 'string' ? utf8(chunk) : fast(chunk)
      length += bytes.length
      decoder.write(bytes)
    },
    end() {
      decoder.end()
      return reader.end(length)
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
