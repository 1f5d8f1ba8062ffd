import { count } from '../../../packages/core/src/count.ts'
import {
  type TapComment,
  type TapPoint,
  testsAnnounced,
  testsInTap,
  unexplained,
} from '../../../packages/test-output/src/tap-tree.ts'
import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'

const VERSION = /^TAP version \d+/i
const PLAN = /^1\.\.(\d+)(?:\s+#\s*(.*))?\s*$/
/** Followed by a number, a dash or nothing: other programs start lines with `ok` as well. */
const POINT = /^(not )?ok(?:[ \t]+(\d+)(?:[ \t]+-)?(?:[ \t]+(.*))?|[ \t]+-[ \t]+(.*)|[ \t]*(#.*)?)$/
const DIRECTIVE = /(?<!\\)#[ \t]*(skip|todo)\b.*$/i
/** bats and node-tap append how long a test took. */
const TIME = /#? in \d+ ?(?:ms|sec)$|(?<!\\)#[ \t]*time=\d[\d.]*[ \t]*m?s$/
/** The points of a buffered subtest follow its own point. */
const BUFFERED = /[ \t]*\{$/
const SUBTEST = /^# Subtest: (.*)$/
const BAIL = /^Bail out!/i
/** These counters belong to node:test, which has its own reader. */
const NODE = /^# (?:cancelled|suites|duration_ms) /
/** tape, QUnit and node-tap repeat their totals; a failure in them counts even if no point shows it. */
const FAILED = /^# (?:fail +|failed )(\d+)/
const COMMENT = /^#\s*(.*)/
/** prove -v prints one before the points of each file. */
const FILE = /^\S+\.t \.{2,}\s*$/

/** A TODO test proves nothing, whether it passed or failed. */
function stateOf(failed: boolean, description: string): TestState {
  if (DIRECTIVE.test(description)) return 'skipped'
  return failed ? 'failed' : 'passed'
}

/** The points of one indentation that no point of the level above has taken yet. */
class Level {
  readonly points: TapPoint[] = []
  planned: number | undefined
  /** What the last comment announced. */
  announced: string | undefined

  /** Indented lines are a subtest only if they keep their plan; others are what a test printed. */
  get whole(): boolean {
    return this.planned === this.points.length
  }
}

/** How far subtests are followed; deeper ones count as a part of the last level. */
const DEEPEST = 20

/** The subtests above and below the points of a stream. */
class Subtests {
  #levels: Level[] = []
  /** The end of the diagnostics that are being skipped. */
  #until: string | undefined

  /** Whether the line only belongs to a subtest, or to the diagnostics of a point. */
  takes(line: string): boolean {
    const indent = line.length - line.trimStart().length
    const text = line.slice(indent)
    if (this.#until !== undefined) {
      if (indent > 0 && line !== this.#until) return true
      this.#until = undefined
      if (indent > 0) return true
    }
    if (indent > 0 && text === '---') {
      this.#until = `${line.slice(0, indent)}...`
      return true
    }
    const depth = indent / 4
    if (depth === 0 && (text === '{' || text === '}')) return this.#brace(text, depth)
    const subtest = SUBTEST.exec(text)
    if (subtest !== null && Number.isInteger(depth)) this.#at(depth).announced = subtest[1]!.trim()
    if (depth === 0) return false
    if (!Number.isInteger(depth) || depth > DEEPEST) return true
    const point = POINT.exec(text)
    const plan = PLAN.exec(text)
    if (point !== null) this.add(depth, point)
    else if (plan !== null) this.#at(depth).planned = Number(plan[1])
    else if (text === '{' || text === '}') this.#brace(text, depth)
    return true
  }

  add(depth: number, match: RegExpExecArray): TapPoint {
    const level = this.#at(depth)
    const given = match[3] ?? match[4] ?? match[5] ?? ''
    const description = given.replace(BUFFERED, '')
    const words = description.replace(DIRECTIVE, '').replace(TIME, '').trim()
    // A subtest that timed out says so after its name.
    const name = words.startsWith(`${level.announced} #`)
      ? level.announced!
      : words || `test ${match[2] ?? level.points.length + 1}`
    const inside = this.#levels[depth + 1]
    const inner = inside?.whole === true ? inside.points : level.announced === name ? [] : undefined
    const state = stateOf(match[1] !== undefined, description)
    const point = { name, state, ...(inner !== undefined && { inner }) }
    level.announced = undefined
    this.#levels.length = depth + 1
    level.points.push(point)
    return point
  }

  /** The points of the document itself. */
  get points(): readonly TapPoint[] {
    return this.#levels[0]?.points ?? []
  }

  #at(depth: number): Level {
    for (let at = this.#levels.length; at <= depth; at += 1) this.#levels.push(new Level())
    return this.#levels[depth]!
  }

  /** A buffered subtest: its points follow its own point, in braces. */
  #brace(text: string, depth: number): boolean {
    const level = this.#levels[depth]
    const inside = this.#levels[depth + 1]
    const last = level?.points.at(-1)
    if (level === undefined || last === undefined) return false
    if (text === '}' && inside?.whole === true)
      level.points[level.points.length - 1] = { ...last, inner: inside.points }
    this.#levels.length = depth + 1
    return true
  }
}

class Stream {
  readonly subtests = new Subtests()
  readonly from: number
  to: number
  planned: number | undefined
  bailed = false
  /** Comments of a producer that prints its plan at the end. */
  readonly comments: TapComment[] = []
  versioned: boolean
  failed = 0
  node = false

  constructor(from: number, versioned: boolean) {
    this.from = from
    this.to = from
    this.versioned = versioned
  }

  get finished(): boolean {
    return this.planned !== undefined && this.subtests.points.length >= this.planned
  }

  point(match: RegExpExecArray, at: number): void {
    this.subtests.add(0, match)
    this.to = at
  }

  plan(points: number, at: number): void {
    if (this.subtests.points.length === 0) this.comments.length = 0
    this.planned = points
    this.to = at
  }

  comment(line: string): void {
    this.failed = Math.max(this.failed, Number(FAILED.exec(line)?.[1] ?? 0))
    const text = COMMENT.exec(line)?.[1] ?? ''
    if (this.versioned && this.planned === undefined && text !== '' && !SUBTEST.test(line))
      this.comments.push({ text, at: this.subtests.points.length })
  }

  part(): Part | undefined {
    const { points } = this.subtests
    // Many lines start with `ok`; only a plan or the version line makes it TAP.
    if (this.node || (this.planned === undefined && (!this.versioned || points.length === 0))) return undefined
    const { tests, suites } = testsInTap(testsAnnounced(points, this.comments))
    const inState = (state: TestState) => tests.filter((test) => test.state === state).length
    const short = this.planned !== undefined && this.planned !== points.length
    const broken = this.bailed
      ? 'The tests bailed out (tap).'
      : short
        ? `${count(points.length, 'point')} for a plan of ${this.planned} (tap).`
        : suites.length > 0
          ? unexplained(suites)
          : this.failed > Math.max(inState('failed'), points.filter(({ state }) => state === 'failed').length)
            ? `The closing lines count ${this.failed} failed (tap).`
            : undefined
    return {
      framework: 'tap',
      from: this.from,
      to: this.to,
      passed: inState('passed'),
      failed: inState('failed'),
      skipped: inState('skipped'),
      tests,
      ...(suites.length > 0 && { suitesFailed: suites.length }),
      ...(broken !== undefined && { broken }),
      ...(this.planned === undefined && { unproven: 'The plan is missing (tap).' }),
    }
  }
}

/** TAP from any producer. */
export const tap: TextReader = {
  framework: 'tap',
  hints: ['1..', 'TAP version'],
  read: (lines) => {
    const streams: Stream[] = []
    let open: Stream | undefined
    const begin = (at: number, versioned: boolean): Stream => {
      const stream = new Stream(at, versioned)
      streams.push(stream)
      return stream
    }
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (line === '') continue
      if (open === undefined && SUBTEST.test(line.trimStart())) open = begin(at, false)
      if (open?.subtests.takes(line) === true) continue
      const plan = PLAN.exec(line)
      if (VERSION.test(line)) open = begin(at, true)
      else if (FILE.test(line)) open = begin(at, false)
      else if (plan !== null) {
        // A second plan is a second producer, unless the first one had no plan yet.
        if (open === undefined || open.planned !== undefined) open = begin(at, false)
        open.plan(Number(plan[1]), at)
      } else if (BAIL.test(line)) {
        open ??= begin(at, true)
        open.bailed = true
        open.planned ??= -1
        open.to = at
      } else if (NODE.test(line)) {
        if (open !== undefined) open.node = true
      } else if (COMMENT.test(line)) {
        open?.comment(line)
      } else {
        const point = POINT.exec(line)
        // A bare one after the last planned point is prove's result for the file.
        if (point === null || (line === 'ok' && open?.finished === true)) continue
        // Counting starts again: another producer, whose plan follows.
        if (open?.finished === true && point[2] === '1') open = begin(at, true)
        open ??= begin(at, false)
        open.point(point, at)
      }
    }
    return streams.map((stream) => stream.part()).filter((part) => part !== undefined)
  },
}
