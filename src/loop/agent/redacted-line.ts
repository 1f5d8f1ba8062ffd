import { redact } from '../../system/redact.ts'

/** Colours, as a terminal gets them and as JSON writes them: the letter at their end would pass for a part of the secret behind. */
const COLOURS = /(?:\x1b|\\u001b)\[[0-9;]*m/gi
/** The same goes for the letter of an escaped line end. A blank that nobody prints stands in for the two while we look. */
const ESCAPES = /\\([bfnrt])/g
const STAND_INS = /\v([\x02\x06\x0e\x12\x14])/g
const CONTROL = 0x60

/** One line without its secrets; the line itself when it has none. Bytes come and go as latin1, so that none is changed. */
export function redactedLine(line: string, values: readonly string[]): string {
  if (line.startsWith('{')) {
    const event = redactedEvent(line, values)
    if (event !== undefined) return event
  }
  const bare = line.includes('\x1b') || line.includes('\\u001b') ? line.replace(COLOURS, '') : line
  const apart = bare.replace(ESCAPES, (_, letter: string) => `\v${String.fromCharCode(letter.charCodeAt(0) - CONTROL)}`)
  const shown = redact(apart, values)
  if (shown === apart) return line
  return shown.replace(STAND_INS, (_, letter: string) => `\\${String.fromCharCode(letter.charCodeAt(0) + CONTROL)}`)
}

/** An event is looked at string by string, as the agent wrote them before they were escaped; undefined when it is none. */
function redactedEvent(line: string, values: readonly string[]): string | undefined {
  let changed = false
  const values8 = values.map((value) => Buffer.from(value, 'latin1').toString())
  const look = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    const shown = redact(value, values8)
    if (shown !== value) changed = true
    return shown
  }
  try {
    const event: unknown = JSON.parse(Buffer.from(line, 'latin1').toString(), look)
    // Names and values that stand side by side are seen in the line as it is printed.
    const printed = changed ? Buffer.from(JSON.stringify(event)).toString('latin1') : line
    return redact(printed, values)
  } catch {
    return undefined
  }
}
