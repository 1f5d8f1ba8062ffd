const CSI = /\u001B\[[0-?]*[ -/]*[@-~]/g
const OSC = /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g
/** Back to the first column: what follows is written over the line, and is a line of its own for a reader. */
const TO_START = /\u001B\[1?G/g
const OTHER_ESCAPES = /\u001B[ -/]*[0-Z\\^-~]/g

/** Printed text as a person reads it: no colours, one kind of line end, no stamps of a CI system, no zero bytes of UTF-16. */
export function plain(output: string): string {
  let text = output
  if (text.includes('\u0000')) text = text.replaceAll('\u0000', '')
  if (text.includes('\u001B'))
    text = text.replace(OSC, '').replace(TO_START, '\n').replace(CSI, '').replace(OTHER_ESCAPES, '')
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  if (text.includes('\uFFFD')) text = text.replace(/^\uFFFD+/, '')
  if (text.includes('\r')) text = text.replace(/\r*\n|\r/g, '\n')
  text = withoutMiddle(text)
  const lines = text.split('\n')
  const own = unstamped(lines)
  return own === lines ? text : own.join('\n')
}

/** More lines take many times the room of their text, and no runner prints so many. */
const MOST_LINES = 1_000_000

/** The first quarter of a text with very many lines and the rest of what is kept from its end, as with a text that is too long. */
function withoutMiddle(text: string): string {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  if (lines <= MOST_LINES) return text
  let head = 0
  for (let left = MOST_LINES / 4; left > 0; left -= 1) head = text.indexOf('\n', head) + 1
  let tail = text.length
  for (let left = (MOST_LINES / 4) * 3; left > 0; left -= 1) tail = text.lastIndexOf('\n', tail - 1)
  return `${text.slice(0, head)}[${lines - MOST_LINES} lines left out]${text.slice(tail)}`
}

/** What CI systems put before every line; it says nothing about whose line it is. */
const STAMPS: readonly RegExp[] = [
  /^(?:[^\t\n]{1,120}\t[^\t\n]{1,120}\t)?\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z /,
  /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\] /,
  /^[│┃|] (?=\s|\S)/,
]

/** Runners of several packages at once put the package before each line, and mix the lines. */
const OWNERS: readonly RegExp[] = [
  /^(@?[\w./-]+ [\w:.-]*test[\w:.-]*): ?(.*)$/,
  /^(@?[\w./-]+:[\w:.-]*test[\w:.-]*): ?(.*)$/,
  /^([\w.-]+-\d+ *)\| ?(.*)$/,
  /^(\[\d+\]) (.*)$/,
  /^(\[@?[\w./-]+\]): ?(.*)$/,
]
/** Fewer lines than this are no stream. */
const ENOUGH = 3

/** The same lines without what stands before each of them. */
export function unstamped(lines: readonly string[]): readonly string[] {
  for (const stamp of STAMPS) {
    const stamped = lines.filter((line) => stamp.test(line)).length
    if (stamped >= ENOUGH && stamped * 2 > lines.length) return unstamped(lines.map((line) => line.replace(stamp, '')))
  }
  return lines
}

function divided(lines: readonly string[], owner: RegExp): ReadonlyMap<string, string[]> {
  const streams = new Map<string, string[]>()
  for (const line of lines) {
    const match = owner.exec(line)
    if (match === null) continue
    const stream = streams.get(match[1]!)
    if (stream === undefined) streams.set(match[1]!, [match[2]!])
    else stream.push(match[2]!)
  }
  return streams
}

/** The lines of each program that printed into this text. Mostly there is one. */
export function streams(lines: readonly string[]): readonly (readonly string[])[] {
  for (const owner of OWNERS) {
    // Log lines may begin alike; the lines of runners are most of what there is.
    const found = [...divided(lines, owner)].filter(([, stream]) => stream.length >= ENOUGH)
    const count = found.reduce((sum, [, stream]) => sum + stream.length, 0)
    if (count * 2 <= lines.filter((line) => line.trim() !== '').length) continue
    const names = new Set(found.map(([name]) => name))
    const rest = lines.filter((line) => !names.has(owner.exec(line)?.[1] ?? ''))
    return [...found.map(([, stream]) => stream), rest]
  }
  return [lines]
}
