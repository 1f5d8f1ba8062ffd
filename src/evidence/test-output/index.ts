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

/** A JSON document, alone or between the lines that a package manager prints around it. */
function readJson(text: string): Part | undefined {
  const start = /^[ \t]*[[{]/m.exec(text)
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  if (start === null || end < start.index) return undefined
  let document: unknown
  try {
    document = JSON.parse(text.slice(start.index, end + 1))
  } catch {
    return undefined
  }
  for (const reader of jsonReaders) {
    const part = reader(document)
    if (part !== undefined) return part
  }
  return undefined
}

/** The runs in the lines of one program, and what stands in the way of believing them. */
function readLines(lines: readonly string[]): { parts: readonly Part[]; doubts: readonly string[] } {
  const text = lines.join('\n')
  const events = readEvents(text, lines)
  const found =
    events.length > 0
      ? events
      : textReaders.filter(({ hints }) => hints.some((hint) => text.includes(hint))).flatMap(({ read }) => read(lines))
  const parts = outermost(found)
  const last = parts.reduce((end, part) => Math.max(end, part.to), -1)
  const failed = parts.some((part) => part.failed > 0)
  return { parts, doubts: parts.length === 0 ? [] : aftermath(lines, last, failed) }
}

/**
 * What a test runner's printed output says, or undefined when nothing in it is recognised.
 * XML needs a parser that is loaded only when asked for: see report.ts.
 */
export function readTestOutput(output: string): TestRun | undefined {
  const text = plain(output)
  const document = readJson(text)
  if (document !== undefined) return makeRun([document])
  const read = streams(text.split('\n')).map(readLines)
  const parts = read.flatMap((one) => one.parts)
  if (parts.length > 0)
    return makeRun(
      parts,
      read.flatMap((one) => one.doubts),
    )
  const last = words(text)
  return last === undefined ? undefined : makeRun([last])
}
