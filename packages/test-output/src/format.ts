import type { Part, TestState, TextReader } from './types.ts'
import { byState, count, type Meaning, meaningOf, numbersIn, stateOf, Tests, type Words } from './words.ts'

/**
 * How one runner prints. Named groups show what a line says: `name`, `sign`, `group` and `file` of a test; `verdict`. The group
 * `counts` is a list such as "2 failed, 3 passed", `number` and `word` are one of them. Other groups count by their name.
 */
export interface Format {
  readonly framework: string
  /** A text without any of these is not for this format: a cheap first check. */
  readonly hints: readonly string[]
  /** Starts a run. A run may contain another one: a runner that tests itself. */
  readonly header?: RegExp
  /** The first line of a run if no header starts it. Without both, it is the summary. */
  readonly first?: RegExp
  /** A run without tests prints it. */
  readonly none?: RegExp
  /** Ends a run. */
  readonly summary: RegExp | readonly RegExp[]
  /** Lines near the summary that belong to it: further counts, or names of failed tests. */
  readonly more?: More
  /** Without these counts, the lines are from another program. */
  readonly needs?: readonly string[]
  /** Words that mean something else here than in most runners. */
  readonly words?: Words
  /** Says to which group, file or state the tests below it belong. */
  readonly heading?: readonly RegExp[]
  /** What the groups of headings say about the group. */
  readonly groupOf?: (place: Readonly<Record<string, string>>) => string
  readonly tests?: readonly TestLine[] | ((lines: readonly string[], from: number, to: number) => Tests)
  /** A test below its groups, which are indented: `indent`, `sign`, `name`. */
  readonly outline?: RegExp
  /** The state of a test with an unknown sign; without it, the line is not a test. */
  readonly otherwise?: TestState
  /** Names a file that could not be loaded. */
  readonly unloaded?: RegExp
  /** A run that started needs a summary. */
  readonly unfinished?: 'broken' | 'unproven'
  /** What is peculiar about one run, or about all in the text. */
  readonly settle?: (part: Part, found: Found) => Part | undefined
  readonly finish?: (parts: readonly Part[], lines: readonly string[]) => readonly Part[]
}

interface More {
  readonly line: RegExp
  readonly above?: number
  readonly below?: number
  /** Lines that may be between them. */
  readonly over?: RegExp
}

export interface TestLine {
  readonly line: RegExp
  readonly state?: TestState
  /** Between the group and the name, if that is the name in this language. */
  readonly joint?: string
}

/** What the lines of a run show. */
export interface Found {
  readonly lines: readonly string[]
  readonly from: number
  readonly at: number
  readonly counts: Record<string, number>
  readonly verdict: string | undefined
  readonly tests: Tests
}

export const reader = (format: Format): TextReader => ({
  hints: format.hints,
  read: (lines) => {
    const parts = new Scan(format, lines).runs()
    return format.finish?.(parts, lines) ?? parts
  },
})

/** One reading of some lines in one format. */
class Scan {
  readonly #format: Format
  readonly #lines: readonly string[]
  /** What the last headings said; all of them may come before the tests, on the other stream. */
  readonly #place: Record<string, string> = {}

  constructor(format: Format, lines: readonly string[]) {
    this.#format = format
    this.#lines = lines
  }

  runs(): readonly Part[] {
    const { framework, header, first, none, summary } = this.#format
    const open: number[] = []
    const parts: Part[] = []
    let begun = -1
    let after = 0
    for (let at = 0; at < this.#lines.length; at += 1) {
      const line = this.#lines[at]!
      if (header?.test(line) === true) open.push(at)
      else if (begun < 0 && first?.test(line) === true) begun = at
      const match = matchOf([summary].flat(), line)
      const start = open.at(-1) ?? (begun < 0 ? undefined : begun)
      const isNone = match === null && none?.test(line) === true
      const part = isNone ? emptyPart(framework, start ?? at, at) : match && this.#runAt(match, at, start, after)
      if (!part) continue
      parts.push(part)
      open.pop()
      begun = -1
      at = part.to
      after = at + 1
    }
    return [...parts, ...this.#unfinished(header === undefined && begun >= 0 ? [begun] : open)]
  }

  #unfinished(open: readonly number[]): readonly Part[] {
    const { framework, header, unfinished } = this.#format
    if (unfinished === undefined) return []
    return open.flatMap((from) => {
      const tests = this.#testsIn(from, from, this.#lines.length).tests.list()
      // A line that only looks like the first one of a run is not a run.
      if (header === undefined && tests.length === 0) return []
      const reason = { [unfinished]: `${framework} started but printed no summary.` }
      return [{ framework, from, to: this.#lines.length - 1, ...byState(tests), tests, ...reason }]
    })
  }

  /** The run that ends with the summary at a line; `after` is where the run before it ended. */
  #runAt(match: RegExpExecArray, at: number, start: number | undefined, after: number): Part | undefined {
    const { framework, needs = [], words, settle } = this.#format
    const from = start ?? after
    const { tests, unloaded } = this.#testsIn(after, from, at)
    const { counts, verdict, to } = this.#countsAt(match, from, at, tests)
    if (needs.some((word) => !(word in counts))) return undefined
    const sums: { [meaning in Meaning]?: number } = {}
    for (const [word, number] of Object.entries(counts)) {
      const meaning = meaningOf(word, words)
      if (meaning !== undefined) sums[meaning] = (sums[meaning] ?? 0) + number
    }
    const { all, failed = 0, skipped = 0, aside = 0, outside = 0 } = sums
    const passed = sums.passed ?? Math.max(0, (all ?? 0) - failed - skipped - aside)
    const total = sums.total ?? all
    const part: Part = {
      ...{ framework, from: start ?? at, to, passed, failed, skipped, aside, tests: tests.list() },
      suitesFailed: outside + unloaded,
      total: total === undefined ? undefined : Math.max(total, passed + failed + skipped + aside),
      broken:
        outside > 0
          ? `${count(outside, 'error')} outside of the tests (${framework}).`
          : failed === 0 && /^(?:some tests )?(?:fail|error)/i.test(verdict ?? '')
            ? `The run failed without a failed test (${framework}).`
            : undefined,
    }
    return settle === undefined ? part : settle(part, { lines: this.#lines, from, at, counts, verdict, tests })
  }

  /** The counts in the summary and in the lines that belong to it. */
  #countsAt(
    match: RegExpExecArray,
    from: number,
    at: number,
    tests: Tests,
  ): Pick<Found, 'counts' | 'verdict'> & { to: number } {
    const { more, header, words, otherwise } = this.#format
    const counts = countsOf(match)
    let verdict = match.groups?.verdict
    let to = at
    const directions = [
      [-1, more?.above ?? 0],
      [1, more?.below ?? 0],
    ] as const
    for (const [step, most] of directions) {
      for (let next = at + step; Math.abs(next - at) <= most && next >= from; next += step) {
        const line = this.#lines[next]
        if (line === undefined) break
        const { name, sign = 'failed', file, ...groups } = more!.line.exec(line)?.groups ?? { none: line }
        if ('none' in groups) {
          if (header?.test(line) === true || more!.over?.test(line) !== true) break
          continue
        }
        const state = stateOf(sign, words) ?? otherwise
        const others = name === undefined ? countsOf({ groups }) : {}
        // The same count again is the start of another summary.
        if (Object.keys(others).some((word) => word in counts)) break
        if (name !== undefined && state !== undefined) tests.set(name, state, file)
        Object.assign(counts, others)
        verdict ??= groups.verdict
        to = Math.max(to, next)
      }
    }
    return { counts, verdict, to }
  }

  /** The tests between two lines. Headings count from `after` on: a header may follow them. */
  #testsIn(after: number, from: number, to: number): { tests: Tests; unloaded: number } {
    const { tests: named = [], heading = [], outline, unloaded: unloadedFile, groupOf, otherwise, words } = this.#format
    const isOwn = typeof named === 'function'
    const tests = isOwn ? named(this.#lines, from, to) : new Tests()
    const unloaded = new Set<string>()
    const place = this.#place
    delete place.sign
    let groups: { indent: number; title: string }[] = []
    // The groups above the first test belong to its name.
    const start = outline !== undefined && heading.length === 0 ? Math.max(after, from - 20) : after
    for (let at = start; at < to; at += 1) {
      const line = this.#lines[at]!
      const head = matchOf(heading, line)?.groups
      if (head !== undefined) {
        groups = []
        for (const [key, text] of Object.entries(head)) if (text !== undefined) place[key] = text
        if (groupOf !== undefined) place.group = groupOf(place)
        continue
      }
      if (at < from && outline === undefined) continue
      const file = unloadedFile?.exec(line)?.groups?.name
      if (file !== undefined) {
        unloaded.add(file)
        continue
      }
      for (const { line: pattern, state: given, joint = ' > ' } of isOwn ? [] : named) {
        const found = pattern.exec(line)?.groups
        if (found === undefined) continue
        const { name = '', group = place.group, file = place.file, sign = place.sign } = found
        const state = given ?? (sign === undefined ? undefined : (stateOf(sign, words) ?? otherwise))
        const path = group ? group + joint + name : name
        if (state !== undefined) tests.set(path.replaceAll(' › ', ' > '), state, file || undefined)
        break
      }
      if (outline === undefined || (heading.length > 0 && place.file === undefined)) continue
      const test = outline.exec(line)?.groups
      // Runners indent groups, so a line without indent was printed by a test.
      const indent = test?.indent?.length ?? line.search(/\S/)
      if (indent === 0 && at < from) groups = []
      if (indent < 1) continue
      groups = groups.filter((group) => group.indent < indent)
      if (test === undefined) groups.push({ indent, title: line.trim() })
      else {
        const name = [...groups.map(({ title }) => title), test.name].join(' > ')
        tests.set(name, stateOf(test.sign!, words) ?? 'failed', place.file)
      }
    }
    return { tests, unloaded: unloaded.size }
  }
}

function countsOf({ groups = {} }: Pick<RegExpExecArray, 'groups'>): Record<string, number> {
  const { counts, number, word, verdict: _, ...others } = groups
  const found = numbersIn(counts ?? '')
  if (word !== undefined) found[word.toLowerCase()] = Number(number) || 0
  for (const [name, digits] of Object.entries(others)) if (digits !== undefined) found[name] = Number(digits)
  return found
}

function matchOf(patterns: readonly RegExp[], line: string): RegExpExecArray | null {
  for (const pattern of patterns) {
    const match = pattern.exec(line)
    if (match !== null) return match
  }
  return null
}

export function emptyPart(framework: string, from: number, to: number): Part {
  return { framework, from, to, ...byState([]) }
}

/** Binaries and packages without tests are common; they matter only if there is nothing else. */
export function withoutEmpty(parts: readonly Part[]): readonly Part[] {
  const full = parts.filter(
    (part) => part.passed + part.failed + part.skipped > 0 || part.broken !== undefined || part.unproven !== undefined,
  )
  return full.length > 0 ? full : parts.slice(0, 1)
}

/** The nearest matching line above `at`, down to `floor`. */
export function above(lines: readonly string[], at: number, floor: number, pattern: RegExp): number {
  for (let line = at - 1; line >= Math.max(floor, 0); line -= 1) if (pattern.test(lines[line]!)) return line
  return -1
}
