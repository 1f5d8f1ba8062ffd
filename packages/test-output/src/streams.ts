const CSI = /\u001B\[[0-?]*[ -/]*[@-~]/g
const OSC = /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g
/** A carriage return: the text after it overwrites the line, and counts as a line of its own. */
const TO_START = /\u001B\[1?G/g
const OTHER_ESCAPES = /\u001B[ -/]*[0-Z\\^-~]/g

/** Printed text as it appears on screen: no colours, one kind of line ending, no CI timestamps, no zero bytes of UTF-16. */
export function plain(output: string): string {
  let text = output
  if (text.includes('\u0000')) text = text.replaceAll('\u0000', '')
  if (text.includes('\u001B'))
    text = text.replace(OSC, '').replace(TO_START, '\n').replace(CSI, '').replace(OTHER_ESCAPES, '')
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  if (text.includes('\uFFFD')) text = text.replace(/^\uFFFD+/, '')
  if (text.includes('\r')) text = text.replace(/\r*\n|\r/g, '\n')
  return unstamped(text)
}

/** A line takes many times the memory of its text, and hardly any runner prints this many. */
const MOST_LINES = 500_000

/** The lines of a text; of very many, the first quarter and the last three. */
export function linesOf(whole: string): { text: string; lines: readonly string[]; leftOut: number } {
  let count = 1
  for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) count += 1
  const leftOut = Math.max(0, count - MOST_LINES)
  const text = leftOut === 0 ? whole : withoutMiddle(whole, leftOut)
  return { text, lines: text.split('\n'), leftOut }
}

function withoutMiddle(text: string, leftOut: number): string {
  let head = 0
  for (let left = MOST_LINES / 4; left > 0; left -= 1) head = text.indexOf('\n', head) + 1
  let tail = text.length
  for (let left = (MOST_LINES / 4) * 3; left > 0; left -= 1) tail = text.lastIndexOf('\n', tail - 1)
  return `${text.slice(0, head)}[${leftOut} lines left out]${text.slice(tail)}`
}

/** What CI systems print before every line; it does not identify a program. Never matches across lines. */
const STAMPS: readonly RegExp[] = [
  /(?:[^\t\n]{1,120}\t[^\t\n]{1,120}\t)?\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z /y,
  /\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\] /y,
  /[│┃|] (?=[^\n])/y,
]

/** Runners of several packages put the package name before each line, and mix the lines. */
const OWNERS: readonly RegExp[] = [
  /^(@?[\w./-]+ [\w:.-]*test[\w:.-]*): ?(.*)$/,
  /^(@?[\w./-]+:[\w:.-]*test[\w:.-]*): ?(.*)$/,
  /^([\w.-]+-\d+ *)\| ?(.*)$/,
  /^(\[\d+\]) (.*)$/,
  /^(\[@?[\w./-]+\]): ?(.*)$/,
]
/** Fewer lines than this do not count as a stream. */
const ENOUGH = 3

/** The text without the prefixes of its lines. Searched in place, because an array of its lines is large. */
function unstamped(text: string): string {
  for (const stamp of STAMPS) {
    let [lines, stamped] = [0, 0]
    for (let start = 0, end = 0; end >= 0; start = end + 1) {
      end = text.indexOf('\n', start)
      stamp.lastIndex = start
      lines += 1
      if (stamp.test(text)) stamped += 1
    }
    if (stamped >= ENOUGH && stamped * 2 > lines)
      return unstamped(text.replace(new RegExp(`(?<![^\\n])(?:${stamp.source})`, 'g'), ''))
  }
  return text
}

/** The lines of each program that printed into this text; usually there is only one. */
export function streams(lines: readonly string[]): readonly (readonly string[])[] {
  const printed = lines.reduce((count, line) => (line.trim() === '' ? count : count + 1), 0)
  for (const owner of OWNERS) {
    // Log lines may start alike; a runner's lines make up most of the output.
    if (lines.reduce((count, line) => (owner.test(line) ? count + 1 : count), 0) * 2 <= printed) continue
    const found = new Map<string, string[]>()
    const rest: string[] = []
    for (const line of lines) {
      const [, name, text = ''] = owner.exec(line) ?? []
      if (name === undefined) rest.push(line)
      else if (found.get(name)?.push(text) === undefined) found.set(name, [text])
    }
    const own = [...found.values()].filter((stream) => stream.length >= ENOUGH)
    for (const stream of found.values()) if (stream.length < ENOUGH) rest.push(...stream)
    if (own.reduce((sum, stream) => sum + stream.length, 0) * 2 > printed) return [...own, rest]
  }
  return [lines]
}
