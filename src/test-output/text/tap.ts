import { count } from '../../core/count.ts'
import type { Part, TestCase, TestState, TextReader } from '../types.ts'

const VERSION = /^TAP version \d+/i
const PLAN = /^1\.\.(\d+)(?:\s+#\s*(.*))?\s*$/
/** Followed by a number, a dash or nothing: other programs start lines with `ok` as well. */
const POINT = /^(not )?ok(?:[ \t]+(\d+)(?:[ \t]+-)?(?:[ \t]+(.*))?|[ \t]+-[ \t]+(.*)|[ \t]*(#.*)?)$/
const DIRECTIVE = /(?<!\\)#[ \t]*(skip|todo)\b.*$/i
/** bats appends how long a test took. */
const TIME = /#? in \d+ ?(?:ms|sec)$/
const BAIL = /^Bail out!/i
/** These counters belong to node:test, which has its own reader. */
const NODE = /^# (?:cancelled|suites|duration_ms) /
/** tape, QUnit and node-tap repeat their totals; a failure in them counts even if no point shows it. */
const FAILED = /^# (?:fail +|failed )(\d+)/
const COMMENT = /^#/
/** prove -v prints one before the points of each file. */
const FILE = /^\S+\.t \.{2,}\s*$/

/** A TODO test proves nothing, whether it passed or failed. */
function stateOf(failed: boolean, description: string): TestState {
  if (DIRECTIVE.test(description)) return 'skipped'
  return failed ? 'failed' : 'passed'
}

class Stream {
  readonly tests: TestCase[] = []
  readonly from: number
  to: number
  planned: number | undefined
  bailed = false
  versioned: boolean
  failed = 0
  node = false

  constructor(from: number, versioned: boolean) {
    this.from = from
    this.to = from
    this.versioned = versioned
  }

  get finished(): boolean {
    return this.planned !== undefined && this.tests.length >= this.planned
  }

  point(match: RegExpExecArray, at: number): void {
    const description = match[3] ?? match[4] ?? match[5] ?? ''
    const name = description.replace(DIRECTIVE, '').replace(TIME, '').trim()
    this.tests.push({
      name: name || `test ${match[2] ?? this.tests.length + 1}`,
      state: stateOf(match[1] !== undefined, description),
    })
    this.to = at
  }

  part(): Part | undefined {
    // Many lines start with `ok`; only a plan or the version line makes it TAP.
    if (this.node || (this.planned === undefined && (!this.versioned || this.tests.length === 0))) return undefined
    const inState = (state: TestState) => this.tests.filter((test) => test.state === state).length
    const short = this.planned !== undefined && this.planned !== this.tests.length
    const broken = this.bailed
      ? 'The tests bailed out (tap).'
      : short
        ? `${count(this.tests.length, 'point')} for a plan of ${this.planned} (tap).`
        : this.failed > inState('failed')
          ? `The closing lines count ${this.failed} failed (tap).`
          : undefined
    return {
      framework: 'tap',
      from: this.from,
      to: this.to,
      passed: inState('passed'),
      failed: inState('failed'),
      skipped: inState('skipped'),
      tests: this.tests,
      ...(broken !== undefined && { broken }),
      ...(this.planned === undefined && { unproven: 'The plan is missing (tap).' }),
    }
  }
}

/** TAP from any producer. Indented points belong to a subtest, which its parent already counts. */
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
      if (line === '' || line.startsWith(' ')) continue
      const plan = PLAN.exec(line)
      if (VERSION.test(line)) open = begin(at, true)
      else if (FILE.test(line)) open = begin(at, false)
      else if (plan !== null) {
        // A second plan is a second producer, unless the first one had no plan yet.
        if (open === undefined || open.planned !== undefined) open = begin(at, false)
        open.planned = Number(plan[1])
        open.to = at
      } else if (BAIL.test(line)) {
        open ??= begin(at, true)
        open.bailed = true
        open.planned ??= -1
        open.to = at
      } else if (NODE.test(line)) {
        if (open !== undefined) open.node = true
      } else if (COMMENT.test(line)) {
        if (open !== undefined) open.failed = Math.max(open.failed, Number(FAILED.exec(line)?.[1] ?? 0))
      } else {
        const point = POINT.exec(line)
        // A bare one after the last planned point is prove's result for the file.
        if (point === null || (line === 'ok' && open?.finished === true)) continue
        open ??= begin(at, false)
        open.point(point, at)
      }
    }
    return streams.map((stream) => stream.part()).filter((part) => part !== undefined)
  },
}
