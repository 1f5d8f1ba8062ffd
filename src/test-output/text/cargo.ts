import type { Part, TestState, TextReader } from '../../../packages/test-output/src/types.ts'
import { labelled, Tests, tally } from '../scan.ts'
import { withoutEmpty } from './go.ts'

const RUNNING = /^running (\d+) tests?\s*$/
const RESULT = /^test result: (ok|FAILED)\. (.*)$/
const TEST = /^test (.+?)(?: - should panic)? \.\.\. (?:.*\b)?(ok|FAILED|ignored|bench:)/
const FAILED_NAME = /^ {4}(\S.*)$/
const TARGET = /^\s*Running (?:unittests )?(\S+)(?: \((?:\S*[\\/])?([^\\/\s]+?)-[0-9a-f]{16}(?:\.exe)?\))?\s*$/
const BINARY = /^\s*Running .*deps[\\/][^\s)]+-[0-9a-f]{16}/
const DOCS = /^\s*Doc-tests (\S+)\s*$/
/** A target that does not compile has no result, and those after it do not run. */
const NOT_BUILT =
  /^error(?:\[E\d+\])?: (?:could not compile|aborting due to|test failed, to rerun|doctest failed|\d+ targets? failed)|^error\[E\d{4}\]/
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

/** A failure that is not a failed test. */
function trouble(lines: readonly string[], parts: readonly Part[], broken: number | undefined): string | undefined {
  if (broken === undefined || parts.some((part) => part.failed > 0 || part.broken !== undefined)) return undefined
  // Without any result, an error counts as cargo's only if cargo's own lines surround it.
  const isCargo = parts.length > 0 || lines.some((line) => /^error: could not compile `/.test(line))
  return isCargo ? `${lines[broken]!.trim()} (cargo test)` : undefined
}

/** One result per test binary; they are added up. Errors come on the other stream and may be anywhere. */
export const cargo: TextReader = {
  framework: 'cargo test',
  hints: ['test result: ', 'error: could not compile', 'error: test failed', 'running '],
  read: (lines) => {
    const parts: Part[] = []
    const none = { framework: 'cargo test', passed: 0, failed: 0, skipped: 0 }
    let open: number | undefined
    let broken: number | undefined
    let begun = 0
    let target = ''
    const unended = (from: number, to: number) => {
      parts.push({ ...none, from, to, unproven: 'A test binary started but gave no result (cargo test).' })
    }
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      const named = TARGET.exec(line)
      if (BINARY.test(line) || DOCS.test(line)) begun += 1
      if (named !== null) target = named[2] === undefined ? named[1]! : `${named[2]} ${named[1]}`
      else if (DOCS.test(line)) target = `${DOCS.exec(line)![1]} docs`
      else if (RUNNING.test(line)) {
        if (open !== undefined) unended(open, at - 1)
        open = at
      } else if (RESULT.test(line)) {
        parts.push(result(lines, open ?? at, at, target))
        open = undefined
      } else if (NOT_BUILT.test(line)) broken ??= at
    }
    if (parts.length > 0 && (open !== undefined || begun > parts.length))
      unended(open ?? lines.length - 1, lines.length - 1)
    const all = withoutEmpty(parts)
    const reason = trouble(lines, parts, broken)
    if (reason === undefined) return all
    const [last = { ...none, from: broken!, to: broken! }, ...before] = [...all].reverse()
    return [...before.reverse(), { ...last, suitesFailed: 1, broken: reason }]
  },
}
