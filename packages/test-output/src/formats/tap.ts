import type { Part, TestCase, TestState, TextReader } from '../types.ts'
import { byState, count, inState, Tests } from '../words.ts'

const VERSION = /^TAP version \d+/i
const PLAN = /^1\.\.(\d+)(?:\s+#\s*(.*))?\s*$/
/** Followed by a number, a dash or nothing: other programs start lines with `ok` as well. */
const POINT = /^(not )?ok(?:[ \t]+(\d+)(?:[ \t]+-)?(?:[ \t]+(.*))?|[ \t]+-[ \t]+(.*)|[ \t]*(#.*)?)$/
/** A TODO test proves nothing, whether it passed or failed. */
const DIRECTIVE = /(?<!\\)#[ \t]*(skip|todo)\b.*$/i
/** bats and node-tap append how long a test took. */
const TIME = /#? in \d+ ?(?:ms|sec)$|(?<!\\)#[ \t]*time=\d[\d.]*[ \t]*m?s$/
/** The points of a buffered subtest follow its own point, in braces. */
const BUFFERED = /[ \t]*\{$/
const SUBTEST = /^# Subtest: (.*)$/
/** These counters belong to node:test, which has its own reader. */
const NODE = /^# (?:cancelled|suites|duration_ms) /
/** tape, QUnit and node-tap repeat their totals; a failure in them counts even if no point shows it. */
const FAILED = /^# (?:fail +|failed )(\d+)/
/** prove -v prints one before the points of each file. */
const FILE = /^\S+\.t \.{2,}\s*$/
/** How far subtests are followed; deeper ones count as a part of the last level. */
const DEEPEST = 20

/** A point, with the points of its subtest. Without a subtest it is a single assertion, or a test without any. */
interface Point {
  readonly name: string
  readonly state: TestState
  readonly inner?: readonly Point[]
}

/** The points of one indentation that no point of the level above has taken yet. */
interface Level {
  readonly points: Point[]
  planned?: number
  /** What the last comment announced. */
  announced?: string | undefined
}

/** Indented lines are a subtest only if they keep their plan; others are what a test printed. */
const isWhole = (level?: Level): level is Level => level !== undefined && level.planned === level.points.length

/** One producer's points, with their subtests. */
class Stream {
  from = 0
  to = 0
  versioned = false
  planned: number | undefined
  bailed = false
  failed = 0
  /** Comments of a producer that prints its plan at the end, with the number of points before each. */
  comments: { text: string; at: number }[] = []
  isNode = false
  #levels: Level[] = []
  /** The end of the diagnostics that are being skipped. */
  #until: string | undefined

  get points(): readonly Point[] {
    return this.#level(0).points
  }

  get finished(): boolean {
    return this.planned !== undefined && this.points.length >= this.planned
  }

  /** Whether the line only belongs to a subtest, or to the diagnostics of a point. */
  takes(line: string): boolean {
    const text = line.trimStart()
    const depth = (line.length - text.length) / 4
    if (this.#until !== undefined) {
      if (depth === 0 || line === this.#until) this.#until = undefined
      if (depth > 0) return true
    }
    if (depth > 0 && text === '---') this.#until = line.replace('---', '...')
    if (!Number.isInteger(depth) || depth > DEEPEST || this.#until !== undefined) return true
    const level = this.#level(depth)
    if (text === '{' || text === '}') return this.#brace(text, depth) || depth > 0
    level.announced = SUBTEST.exec(text)?.[1]?.trim() ?? level.announced
    if (depth === 0) return false
    const point = POINT.exec(text)
    const plan = PLAN.exec(text)
    if (point !== null) this.add(depth, point)
    else if (plan !== null) level.planned = Number(plan[1])
    return true
  }

  add(depth: number, [, not, number, ...words]: RegExpExecArray): void {
    const level = this.#level(depth)
    const description = (words.find((text) => text !== undefined) ?? '').replace(BUFFERED, '')
    const title = description.replace(DIRECTIVE, '').replace(TIME, '').trim()
    // A subtest that timed out says so after its name.
    const timedOut = level.announced !== undefined && title.startsWith(`${level.announced} #`)
    const name = timedOut ? level.announced! : title || `test ${number ?? level.points.length + 1}`
    const inside = this.#levels[depth + 1]
    const inner = isWhole(inside) ? inside.points : level.announced === name ? [] : undefined
    const state = DIRECTIVE.test(description) ? 'skipped' : not === undefined ? 'passed' : 'failed'
    level.announced = undefined
    this.#levels.length = depth + 1
    level.points.push({ name, state, ...(inner !== undefined && { inner }) })
  }

  #level(depth: number): Level {
    for (let at = this.#levels.length; at <= depth; at += 1) this.#levels.push({ points: [] })
    return this.#levels[depth]!
  }

  #brace(text: string, depth: number): boolean {
    const { points } = this.#level(depth)
    const last = points.pop()
    if (last === undefined) return false
    const inside = this.#levels[depth + 1]
    points.push(text === '}' && isWhole(inside) ? { ...last, inner: inside.points } : last)
    this.#levels.length = depth + 1
    return true
  }

  comment(line: string): void {
    this.isNode ||= NODE.test(line)
    this.failed = Math.max(this.failed, Number(FAILED.exec(line)?.[1] ?? 0))
    const text = line.replace(/^#\s*/, '')
    if (this.versioned && this.planned === undefined && text !== '' && !SUBTEST.test(line))
      this.comments.push({ text, at: this.points.length })
  }

  part(): Part | undefined {
    const { points, planned, versioned } = this
    // Many lines start with `ok`; only a plan or the version line makes it TAP.
    if (this.isNode || (planned === undefined && (!versioned || points.length === 0))) return undefined
    const { tests, suites } = testsIn(announced(points, this.comments))
    const red = points.filter(({ state }) => state === 'failed').length
    const broken = this.bailed
      ? 'The tests bailed out (tap).'
      : planned !== undefined && planned !== points.length
        ? `${count(points.length, 'point')} for a plan of ${planned} (tap).`
        : suites.length > 0
          ? `"${suites.slice(0, 3).join('", "')}" failed, but no test in it did (tap).`
          : this.failed > Math.max(inState(tests, 'failed'), red)
            ? `The closing lines count ${this.failed} failed (tap).`
            : undefined
    return {
      ...{
        framework: 'tap',
        from: this.from,
        to: this.to,
        ...byState(tests),
        tests,
        suitesFailed: suites.length,
        broken,
      },
      unproven: planned === undefined ? 'The plan is missing (tap).' : undefined,
    }
  }
}

/** tape and others print the name of a test as a comment, and then a point for each assertion. */
function announced(points: readonly Point[], comments: Stream['comments']): readonly Point[] {
  if (comments[0]?.at !== 0) return points
  return comments.flatMap(({ text, at }, index): readonly Point[] => {
    const { passed, failed, skipped } = byState(points.slice(at, comments[index + 1]?.at))
    if (passed + failed + skipped > 0)
      return [{ name: text, state: failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'skipped' }]
    return text.startsWith('SKIP ') ? [{ name: text.slice('SKIP '.length), state: 'skipped' }] : []
  })
}

/** A skipped point is a test that was switched off, whatever surrounds it. */
const isTest = (point: Point): boolean => point.inner !== undefined || point.state === 'skipped'

/**
 * A subtest that contains no further one is a test, and its points are its assertions. One that contains others is a group, and
 * also a test if it has assertions. `suites` failed although everything inside them passed: a timeout, or a missed plan.
 */
function testsIn(points: readonly Point[]): { tests: readonly TestCase[]; suites: readonly string[] } {
  const tests: TestCase[] = []
  const suites: string[] = []
  const add = ({ name: title, state, inner = [] }: Point, groups: string): void => {
    const name = groups === '' ? title : `${groups} > ${title}`
    const nested = state === 'skipped' ? [] : inner.filter(isTest)
    if (nested.length === 0) {
      tests.push({ name, state })
      return
    }
    for (const one of nested) add(one, name)
    const own = inner.filter((one) => !isTest(one))
    const ownFailed = own.some((one) => one.state === 'failed')
    if (own.length > 0) tests.push({ name, state: ownFailed ? 'failed' : 'passed' })
    if (state === 'failed' && !ownFailed && nested.every((one) => one.state !== 'failed')) suites.push(name)
  }
  for (const point of points) add(point, '')
  return { tests, suites }
}

/** The tests between two lines, for a runner that prints TAP and totals of its own. */
export function testsOfTap(lines: readonly string[], from: number, to: number): Tests {
  const stream = new Stream()
  for (const line of lines.slice(from, to)) {
    const point = stream.takes(line) ? null : POINT.exec(line)
    if (point !== null) stream.add(0, point)
  }
  const tests = new Tests()
  for (const { name, state } of testsIn(stream.points).tests) tests.set(name.replaceAll('\\#', '#'), state)
  return tests
}

/** TAP from any producer. */
export const tap: TextReader = {
  hints: ['1..', 'TAP version'],
  read: (lines) => {
    const streams: Stream[] = []
    let open: Stream | undefined
    const begin = (at: number, versioned: boolean): Stream => {
      open = Object.assign(new Stream(), { from: at, to: at, versioned })
      streams.push(open)
      return open
    }
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (line === '') continue
      if (open === undefined && SUBTEST.test(line.trimStart())) begin(at, false)
      if (open?.takes(line) === true) continue
      const plan = PLAN.exec(line)
      if (VERSION.test(line)) begin(at, true)
      else if (FILE.test(line)) begin(at, false)
      else if (plan !== null) {
        // A second plan is a second producer, unless the first one had no plan yet.
        const stream = open === undefined || open.planned !== undefined ? begin(at, false) : open
        if (stream.points.length === 0) stream.comments = []
        stream.planned = Number(plan[1])
        stream.to = at
      } else if (/^Bail out!/i.test(line)) {
        const stream = open ?? begin(at, true)
        stream.bailed = true
        stream.planned ??= -1
        stream.to = at
      } else if (line.startsWith('#')) {
        open?.comment(line)
      } else {
        const point = POINT.exec(line)
        // A bare one after the last planned point is prove's result for the file.
        if (point === null || (line === 'ok' && open?.finished === true)) continue
        // If counting starts again, it is another producer, whose plan follows.
        const again = open?.finished === true && point[2] === '1'
        const stream = open === undefined || again ? begin(at, again) : open
        stream.add(0, point)
        stream.to = at
      }
    }
    return streams.map((stream) => stream.part()).filter((part) => part !== undefined)
  },
}
