import { labelled, Tests, tally } from '../scan.ts'
import type { Part, TestState, TextReader } from '../types.ts'
import { withoutEmpty } from './go.ts'

const RUNNING = /^running (\d+) tests?\s*$/
const RESULT = /^test result: (ok|FAILED)\. (.*)$/
const TEST = /^test (.+?)(?: - should panic)? \.\.\. (?:.*\b)?(ok|FAILED|ignored|bench:)/
const FAILED_NAME = /^ {4}(\S.*)$/
const TARGET = /^\s*Running (?:unittests )?(\S+)(?: \((?:\S*[\\/])?([^\\/\s]+?)-[0-9a-f]{16}(?:\.exe)?\))?\s*$/
const DOCS = /^\s*Doc-tests (\S+)\s*$/
/** A target that does not compile has no result, and those after it are not run. */
const NOT_BUILT =
  /^error(?:\[E\d+\])?: (?:could not compile|aborting due to|test failed, to rerun|doctest failed|\d+ targets? failed)|^error\[E\d{4}\]/
const CRASHED = /\(signal: \d+, SIG\w+/
const STATES: Record<string, TestState> = { ok: 'passed', 'bench:': 'passed', FAILED: 'failed', ignored: 'skipped' }

function countsOf(text: string): Record<string, number> {
  const counts = tally(text)
  return Object.keys(counts).length > 0 ? counts : labelled(text)
}

function result(lines: readonly string[], from: number, at: number, target: string): Part {
  const [, word, text] = RESULT.exec(lines[at]!)!
  const counts = countsOf(text!)
  const tests = new Tests()
  const place = target === '' ? '' : `${target} > `
  const file = /^(?:\S+ )?(\S+\.rs)$/.exec(target)?.[1]
  let failures = false
  for (let line = from; line < at; line += 1) {
    const test = TEST.exec(lines[line]!)
    if (test !== null) tests.set(place + test[1]!, STATES[test[2]!]!, file)
    if (lines[line] === 'failures:') failures = true
    const failed = failures ? FAILED_NAME.exec(lines[line]!) : null
    if (failed !== null && /^\S+$/.test(failed[1]!)) tests.set(place + failed[1]!, 'failed', file)
  }
  return {
    framework: 'cargo test',
    from,
    to: at,
    passed: (counts.passed ?? 0) + (counts.measured ?? 0),
    failed: counts.failed ?? 0,
    skipped: counts.ignored ?? 0,
    tests: tests.list(),
    ...(word === 'FAILED' && (counts.failed ?? 0) === 0 && { broken: 'A test binary failed (cargo test).' }),
  }
}

/** One result for each test binary; they are added up. */
export const cargo: TextReader = {
  framework: 'cargo test',
  hints: ['test result: ', 'error: could not compile', 'error: test failed'],
  read: (lines) => {
    const parts: Part[] = []
    let open: number | undefined
    let announced = 0
    let broken: number | undefined
    let target = ''
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      const running = RUNNING.exec(line)
      const named = TARGET.exec(line)
      if (named !== null) target = named[2] === undefined ? named[1]! : `${named[2]} ${named[1]}`
      else if (DOCS.test(line)) target = `${DOCS.exec(line)![1]} docs`
      else if (running !== null && open === undefined) {
        open = at
        announced = Number(running[1])
      } else if (RESULT.test(line)) {
        parts.push(result(lines, open ?? at, at, target))
        open = undefined
      } else if (NOT_BUILT.test(line) || (CRASHED.test(line) && open !== undefined)) broken ??= at
    }
    const all = [...withoutEmpty(parts)]
    const none = { framework: 'cargo test', passed: 0, failed: 0, skipped: 0 }
    if (
      broken !== undefined &&
      !all.some((part) => part.broken !== undefined || part.failed > 0) &&
      (parts.length > 0 || isCargo(lines))
    ) {
      all.push({ ...none, from: broken, to: broken, suitesFailed: 1, broken: `${lines[broken]!.trim()} (cargo test)` })
    } else if (open !== undefined && announced > 0) {
      all.push({ ...none, from: open, to: lines.length - 1, unproven: 'A test binary gave no result (cargo test).' })
    }
    return all
  },
}

/** Without any result, an error is cargo's only when cargo speaks around it. */
const isCargo = (lines: readonly string[]): boolean => lines.some((line) => /^error: could not compile `/.test(line))
