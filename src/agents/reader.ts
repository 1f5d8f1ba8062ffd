import { sampleStart, textOf } from '../../packages/exitgate/src/agents/bytes.ts'
import { EventReader } from './event-reader.ts'
import type { EventFormat, FormatReader } from './format.ts'
import { EVENT_FORMATS } from './formats/index.ts'
import { json } from './formats/json.ts'
import { type JsonObject, parseObject, parseText } from './json-value.ts'
import { TextReader } from './text-reader.ts'
import { type TranscriptReader, transcriptReader } from './transcript-reader.ts'
import { ValueSplitter } from './values.ts'

export type { TranscriptReader } from './transcript-reader.ts'

/** An event after this many other lines is a quotation, not the format of the output. */
const MAX_NOISE = 30

/**
 * The format of the first known event. A wrapper object could be anything, so `json` only means that the output starts like one.
 * Undefined means text.
 */
function detectFormat(beginning: Uint8Array): EventFormat | undefined {
  let format: EventFormat | undefined
  let maybeWrapper = false
  let lines = 0
  const values = new ValueSplitter({
    value(bytes, from, to, complete) {
      if (format !== undefined || lines++ > MAX_NOISE) return
      const event = parseObject(bytes, from, to) ?? (complete ? undefined : partOf(textOf(bytes, from, to)))
      if (event === undefined) return
      format = EVENT_FORMATS.find((one) => one !== json && one.knows(event))
      maybeWrapper = true
    },
    noise: () => lines++,
    tooLong: () => lines++,
  })
  values.write(beginning)
  values.end()
  return format ?? (maybeWrapper || values.documents > 0 ? json : undefined)
}

/** The part of a truncated object up to its last complete key and value. */
function partOf(text: string): JsonObject | undefined {
  let depth = 0
  let inString = false
  let complete = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    else if (char === ',' && depth === 1) complete = i
  }
  return parseText(`${complete === 0 ? '{' : text.slice(0, complete)}}`)
}

/** How many bytes to read before the format is decided. */
const SAMPLE = 64 * 1024

/** Detects the format from the start of the output and continues in it. */
function autoReader(): FormatReader {
  let reader: FormatReader = new TextReader()
  /** Set while the output may be one wrapper object, which is known only at its end. */
  let wrapper: EventReader | undefined
  const start = sampleStart(
    SAMPLE,
    (bytes) => {
      const format = detectFormat(bytes.subarray(0, SAMPLE))
      if (format === json) wrapper = new EventReader(format)
      else if (format !== undefined) reader = new EventReader(format)
      return bytes
    },
    (bytes) => {
      reader.write(bytes)
      wrapper?.write(bytes)
    },
    (lines) => ![undefined, json].includes(detectFormat(lines)),
  )
  return {
    write: start.write,
    look: () => reader.look?.() ?? {},
    usage: () => reader.usage(),
    end(bytes) {
      start.end()
      const wrapped = wrapper?.end(bytes)
      return wrapped !== undefined && wrapper?.isWhole === true ? wrapped : reader.end(bytes)
    },
  }
}

export const FORMATS: readonly string[] = ['auto', 'text', ...EVENT_FORMATS.map((format) => format.name).sort()]

export const openReader = (format: string): TranscriptReader => transcriptReader(formatReader(format))

function formatReader(format: string): FormatReader {
  if (format === 'auto') return autoReader()
  if (format === 'text') return new TextReader()
  const events = EVENT_FORMATS.find((one) => one.name === format)
  if (events === undefined)
    throw new RangeError(`Unknown transcript format "${format}". Use one of ${FORMATS.join(', ')}.`)
  return new EventReader(events)
}
