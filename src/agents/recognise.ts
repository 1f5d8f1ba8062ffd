import { textOf } from './bytes.ts'
import type { EventFormat } from './format.ts'
import { EVENT_FORMATS } from './formats/index.ts'
import { json } from './formats/json.ts'
import { type JsonObject, parseObject, parseText } from './json-value.ts'
import { ValueSplitter } from './values.ts'

/** After so many other lines, an event is something the text quotes and not what the text is. */
const MOST_NOISE = 30

/**
 * The format of the first event that one of the formats knows as its own. A wrapper object could be anything, so `json` only says
 * that the output begins like one. Nothing means text.
 */
export function recognise(beginning: Uint8Array): EventFormat | undefined {
  let format: EventFormat | undefined
  let maybeWrapper = false
  let lines = 0
  const values = new ValueSplitter({
    value(bytes, from, to, complete) {
      if (format !== undefined || lines++ > MOST_NOISE) return
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

/** Of an object that is cut off, what stands before its last complete key and value. */
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
