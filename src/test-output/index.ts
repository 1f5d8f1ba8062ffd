import { aftermath } from './aftermath.ts'
import { readEvents } from './events/index.ts'
import { jsonReaders } from './json/index.ts'
import { makeRun } from './make-run.ts'
import { outermost } from './outermost.ts'
import { plain } from './plain.ts'
import { streams } from './streams.ts'
import { textReaders } from './text/index.ts'
import type { Part, TestRun } from './types.ts'
import { words } from './words.ts'

export type { TestCase, TestRun, TestState } from './types.ts'

const TRIES = 20

/** A JSON document, alone or between the lines that a package manager prints around it, and the text around it. */
function readJson(text: string): { part: Part; rest: string } | undefined {
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  let tries = 0
  for (const start of text.matchAll(/^[ \t]*[[{]/gm)) {
    if (start.index > end || tries++ >= TRIES) break
    const document = parsed(text.slice(start.index, end + 1))
    const part = jsonReaders.map((reader) => reader(document)).find((found) => found !== undefined)
    if (part !== undefined) return { part, rest: `${text.slice(0, start.index)}\n${text.slice(end + 1)}` }
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Nothing that a reader looks for is longer; a longer line is data that a test printed. */
const LONGEST = 2_000

/** The runs in the lines of one program, and what stands in the way of believing them. */
function readLines(lines: readonly string[]): { parts: readonly Part[]; doubts: readonly string[] } {
  const { parts: events, rest } = readEvents(lines.join('\n'), lines)
  const short = rest.map((line) => (line.length > LONGEST ? line.slice(0, LONGEST) : line))
  const text = short.join('\n')
  const printed = textReaders
    .filter(({ hints }) => hints.some((hint) => text.includes(hint)))
    .flatMap(({ read }) => read(short))
  const { parts, doubts } = outermost([...events, ...printed])
  const last = parts.reduce((end, part) => Math.max(end, part.to), -1)
  const failed = parts.some((part) => part.failed > 0)
  return { parts, doubts: parts.length === 0 ? [] : [...doubts, ...aftermath(short, last, failed)] }
}

/**
 * What a test runner's printed output says, or undefined when nothing in it is recognised.
 * XML needs a parser that is loaded only when asked for: see report.ts.
 */
export function readTestOutput(output: string): TestRun | undefined {
  const whole = plain(output)
  const document = readJson(whole)
  const text = document?.rest ?? whole
  const read = streams(text.split('\n')).map(readLines)
  const parts = [...(document === undefined ? [] : [document.part]), ...read.flatMap((one) => one.parts)]
  const doubts = read.flatMap((one) => one.doubts)
  if (parts.length > 0) return makeRun(parts, doubts)
  const last = words(text)
  return last === undefined ? undefined : makeRun([last])
}
