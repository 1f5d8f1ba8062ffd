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
  return unstamped(text.split('\n')).join('\n')
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
