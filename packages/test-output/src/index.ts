import { problemsAfterSummary } from './after-summary.ts'
import { fallbackReader } from './fallback-reader.ts'
import { textReaders } from './formats/index.ts'
import { makeRun } from './make-run.ts'
import { readEvents } from './reports/events.ts'
import { readJson } from './reports/json.ts'
import { linesOf, plain, streams } from './streams.ts'
import type { Part, TestRun } from './types.ts'

export type { TestCase, TestRun, TestState } from './types.ts'

/** Reads a test runner's printed output; undefined if nothing in it is recognised. `readAnyOutput` also reads XML. */
export function readTestOutput(output: string): TestRun | undefined {
  return readPlainText(plain(output))
}

/** Like `readTestOutput`, for a text that is already plain. */
export function readPlainText(whole: string): TestRun | undefined {
  const document = readJson(whole)
  const { text, lines, leftOut } = linesOf(document?.rest ?? whole)
  const read = streams(lines).map((stream) => readLines(stream, stream === lines ? text : stream.join('\n')))
  const parts = [...(document === undefined ? [] : [document.part]), ...read.flatMap((one) => one.parts)]
  const doubts = read.flatMap((one) => one.doubts)
  const last = parts.length > 0 ? undefined : fallbackReader(text, lines)
  if (parts.length === 0 && last === undefined) return undefined
  const run = last === undefined ? makeRun(parts, doubts) : makeRun([last])
  // What is missing may be in the lines that were not read.
  const open = leftOut > 0 && run.ok === false && run.failed === 0 && run.suitesFailed === undefined
  return open ? { ...run, ok: null, problems: [...(run.problems ?? []), `${leftOut} lines were not read.`] } : run
}

/** Readers look for nothing longer; a longer line is data that a test printed. */
const LONGEST = 2_000

/** The runs in the lines of one program, and the reasons not to trust them. */
function readLines(lines: readonly string[], whole: string): { parts: readonly Part[]; doubts: readonly string[] } {
  const { parts: events, rest } = readEvents(whole, lines)
  const short = rest.some((line) => line.length > LONGEST) ? rest.map((line) => line.slice(0, LONGEST)) : rest
  const text = short === lines ? whole : short.join('\n')
  const printed = textReaders
    .filter(({ hints }) => hints.some((hint) => text.includes(hint)))
    .flatMap(({ read }) => read(short))
  const { parts, doubts } = outermost([...events, ...printed])
  const last = parts.reduce((end, part) => Math.max(end, part.to), -1)
  const failed = parts.some((part) => part.failed > 0)
  return { parts, doubts: parts.length === 0 ? [] : [...doubts, ...problemsAfterSummary(short, last, failed)] }
}

/**
 * The runs that count. A run inside another one is the output of a test: ctest shows what its programs print, and a test of a test
 * runner prints summaries. The outer run already covers it, so it must not be counted twice. If it failed unexpectedly, two runners
 * may have printed at the same time.
 */
function outermost(parts: readonly Part[]): { parts: readonly Part[]; doubts: readonly string[] } {
  const own = dropDuplicates(parts)
  const inside = inner(own)
  const outer = own.filter((part) => !inside.has(part))
  const speaking = outer.filter((part) => part.wrapper !== true || part.broken !== undefined || counted(part))
  const doubts = [...inside]
    .filter(([part, around]) => (part.failed > 0 || part.broken !== undefined) && !showsInnerOutput(around, part))
    .map(([part, around]) => `A ${part.framework} run inside the ${around.framework} run failed.`)
  return {
    parts: (speaking.length > 0 ? speaking : outer).toSorted((a, b) => a.from - b.from),
    doubts: [...new Set(doubts)],
  }
}

/** Two readers may recognise the same summary line and read the same from it; the first one in the list wins. */
function dropDuplicates(parts: readonly Part[]): readonly Part[] {
  const owners = new Map<string, string>()
  return parts.filter((part) => {
    const key = [part.to, part.passed, part.failed, part.skipped].join()
    const owner = owners.get(key)
    if (owner === undefined) owners.set(key, part.framework)
    return owner === undefined || owner === part.framework
  })
}

/** Parts that are strictly inside a finished one, each with that one. */
function inner(parts: readonly Part[]): ReadonlyMap<Part, Part> {
  const inside = new Map<Part, Part>()
  let outer: Part | undefined
  let waiting: Part[] = []
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    if (waiting.length > 0 && waiting[0]!.from < part.from) {
      for (const one of waiting)
        if (counted(one) && one.unproven === undefined && one.to > (outer?.to ?? -1)) outer = one
      waiting = []
    }
    if (outer !== undefined && part.to < outer.to) inside.set(part, outer)
    waiting.push(part)
  }
  return inside
}

const counted = (part: Part): boolean => part.passed + part.failed + part.skipped > 0

/** Runners that show what their tests print, and a runner that tests itself. */
const showsInnerOutput = (outer: Part, part: Part): boolean =>
  outer.framework === part.framework || /^(?:ctest|gradle|surefire)$/.test(outer.framework)
