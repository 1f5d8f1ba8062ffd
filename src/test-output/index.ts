import type { JsonReader, Part, TestRun } from '../../packages/test-output/src/types.ts'
import { problemsAfterSummary } from './after-summary.ts'
import { readEvents } from './events/index.ts'
import { fallbackReader } from './fallback-reader.ts'
import { ctrf, mochaJson, pytestJson, rspecJson } from './json/flat-reports.ts'
import { jestJson } from './json/jest.ts'
import { playwrightJson } from './json/playwright.ts'
import { makeRun } from './make-run.ts'
import { linesOf, plain, streams } from './streams.ts'
import { textReaders } from './text/index.ts'

export type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'

/**
 * Reads a test runner's printed output; undefined if nothing in it is recognised. XML needs a parser that is loaded on demand: see
 * report.ts.
 */
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

const TRIES = 20

const jsonReaders: readonly JsonReader[] = [jestJson, playwrightJson, ctrf, rspecJson, pytestJson, mochaJson]

/** A JSON document, alone or between the lines that a package manager prints around it, and the surrounding text. */
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

interface Outermost {
  readonly parts: readonly Part[]
  /** Unexpected failed runs inside others: two runners may have printed at the same time. */
  readonly doubts: readonly string[]
}

/**
 * The runs that count. A run inside another one is the output of a test: ctest shows what its programs print, and a test of a test
 * runner prints summaries. The outer run already covers it, so it must not be counted twice.
 */
function outermost(parts: readonly Part[]): Outermost {
  const own = dropDuplicates(parts)
  const inside = inner(own)
  const outer = own.filter((part) => !inside.has(part))
  const speaking = outer.filter((part) => part.wrapper !== true || part.broken !== undefined || counted(part))
  const unexpectedFailures = [...inside].filter(
    ([part, around]) => (part.failed > 0 || part.broken !== undefined) && !showsInnerOutput(around, part),
  )
  return {
    parts: [...(speaking.length > 0 ? speaking : outer)].sort((a, b) => a.from - b.from),
    doubts: [
      ...new Set(
        unexpectedFailures.map(
          ([part, around]) => `A ${part.framework} run inside the ${around.framework} run failed.`,
        ),
      ),
    ],
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
  const sorted = [...parts].sort((a, b) => a.from - b.from)
  const inside = new Map<Part, Part>()
  let outer: Part | undefined
  let waiting: Part[] = []
  for (const part of sorted) {
    if (waiting.length > 0 && waiting[0]!.from < part.from) {
      for (const one of waiting) if (encloses(one) && one.to > (outer?.to ?? -1)) outer = one
      waiting = []
    }
    if (outer !== undefined && part.to < outer.to) inside.set(part, outer)
    waiting.push(part)
  }
  return inside
}

const counted = (part: Part): boolean => part.passed + part.failed + part.skipped > 0

const encloses = (part: Part): boolean => counted(part) && part.unproven === undefined

/** Runners that show what their tests print, and a runner that tests itself. */
const showsInnerOutput = (outer: Part, part: Part): boolean =>
  outer.framework === part.framework || /^(?:ctest|gradle|surefire)$/.test(outer.framework)
