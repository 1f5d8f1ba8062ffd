import { count } from '../../../packages/core/src/count.ts'
import type { Part, TestCase, TestState, TextReader } from '../../../packages/test-output/src/types.ts'

const START = /^\s*=== RUN\s+(\S+)\s*$/
/** A test that prints no newline leaves its text before the result. */
const RESULT = /^(?:(\s*)|.*?)--- (PASS|FAIL|SKIP|BENCH): (\S+) \(\d+(?:\.\d+)?\s?(?:s|seconds)\)\s*$/
const BENCH = /^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+\d+(?:\.\d+)? ns\/op/
const PACKAGE = /^(ok|FAIL|\?)\s+(\S+)\s+(\(cached\)|\d+(?:\.\d+)?s|\[[^\]]+\])(.*)$/
const NO_TESTS = /\[(?:no test files|no tests to run|no statements)\]/
const NOTHING = /^testing: warning: no tests to run/
const BARE = /^(PASS|FAIL)$/
const TIMED_OUT = /^panic: test timed out after /
const STATES: Record<string, TestState> = { PASS: 'passed', BENCH: 'passed', FAIL: 'failed', SKIP: 'skipped' }

/** The tests of one package, in the order of their first mention. */
class Package {
  readonly from: number
  readonly states = new Map<string, TestState | undefined>()
  /** Subtests. */
  readonly below = new Set<string>()
  bare: string | undefined
  empty = false

  constructor(from: number) {
    this.from = from
  }

  count(state: TestState | undefined): number {
    return [...this.states.values()].filter((other) => other === state).length
  }

  /** `name` is absent if a test binary was run directly. */
  close(to: number, failed: boolean, name: string | undefined, why: string): Part | undefined {
    const open = this.count(undefined)
    const tests: TestCase[] = []
    for (const [test, state] of this.states) {
      // A test that started and did not end was running when the package crashed.
      if (state !== undefined || failed)
        tests.push({ name: name === undefined ? test : `${name} > ${test}`, state: state ?? 'failed' })
    }
    // go indents subtests below their parent, which fails with them.
    const inState = (state: TestState) =>
      [...this.states].filter(([test, own]) => !this.below.has(test) && (own ?? (failed && 'failed')) === state).length
    const crashed = failed && tests.every((test) => test.state !== 'failed')
    const unbuilt = crashed && why !== 'failed'
    if (unbuilt) tests.push({ name: name ?? 'package', state: 'failed' })
    else if (!failed && tests.length === 0) {
      if (this.empty || name === undefined) return empty(this.from, to)
      // Without -v only the package is listed; it is `ok` only after tests ran.
      return { ...empty(this.from, to), passed: 1, tests: [{ name, state: 'passed' }] }
    }
    return {
      framework: 'go test',
      from: this.from,
      to,
      passed: inState('passed'),
      failed: inState('failed') + (unbuilt ? 1 : 0),
      skipped: inState('skipped'),
      tests,
      ...(crashed && { suitesFailed: 1 }),
      ...(crashed && { broken: `${name ?? 'The package'} ${why} (go test).` }),
      ...(!failed && open > 0 && { unproven: `${count(open, 'test')} started but did not end (go test).` }),
    }
  }
}

const empty = (from: number, to: number): Part => ({ framework: 'go test', from, to, passed: 0, failed: 0, skipped: 0 })

/** Packages without tests are common; they matter only if there is nothing else. */
export function withoutEmpty(parts: readonly Part[]): readonly Part[] {
  const full = parts.filter(
    (part) => part.passed + part.failed + part.skipped > 0 || part.broken !== undefined || part.unproven !== undefined,
  )
  return full.length > 0 ? full : parts.slice(0, 1)
}

export const go: TextReader = {
  framework: 'go test',
  hints: ['--- ', 'ok  ', 'ok \t', 'ok\t', 'FAIL\t', 'FAIL ', '[no test', 'ns/op'],
  read: (lines) => {
    const parts: Part[] = []
    let open: Package | undefined
    const close = (to: number, failed: boolean, name?: string, why = 'failed') => {
      const part = (open ?? new Package(to)).close(to, failed, name, why)
      if (part !== undefined) parts.push(part)
      open = undefined
    }
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      const start = START.exec(line)
      const result = start === null ? RESULT.exec(line) : null
      const bench = start === null && result === null ? BENCH.exec(line) : null
      const name = start?.[1] ?? result?.[3] ?? bench?.[1]
      if (name !== undefined) {
        if (open?.bare !== undefined) close(at - 1, open.bare === 'FAIL' || open.count('failed') > 0)
        open ??= new Package(at)
        const state = result !== null ? STATES[result[2]!]! : bench !== null ? ('passed' as const) : undefined
        // With -count a test runs more than once; one failure is enough.
        const before = open.states.get(name)
        if (before !== 'failed' && (state !== undefined || before === undefined)) open.states.set(name, state)
        if (start?.[1]?.includes('/') === true || (result?.[1]?.length ?? 0) > 0) open.below.add(name)
        continue
      }
      if (NOTHING.test(line)) {
        open ??= new Package(at)
        open.empty = true
      } else if (TIMED_OUT.test(line)) open ??= new Package(at)
      else if (BARE.test(line) && open !== undefined) open.bare = line
      const ended = /^(?:ok|FAIL|\?)\s/.test(line) ? PACKAGE.exec(line) : null
      if (ended === null) continue
      const [, word, where, mark, rest] = ended
      if (word === '?' || NO_TESTS.test(`${mark}${rest}`)) {
        if (open !== undefined && open.states.size > 0) close(at, false, where)
        else parts.push(empty(open?.from ?? at, at))
        open = undefined
      } else if (word === 'ok') close(at, false, where)
      else close(at, true, where, /^\[.*\]$/.test(mark!) ? mark!.slice(1, -1) : 'failed')
    }
    if (open !== undefined && open.states.size > 0) closeLast(open, lines.length - 1, parts)
    return withoutEmpty(parts)
  },
}

/** The text ends inside a package: its result is missing, unless a binary was run directly and printed `PASS`. */
function closeLast(open: Package, to: number, parts: Part[]): void {
  const failed = open.bare === 'FAIL' || open.count('failed') > 0
  const part = open.close(to, failed, undefined, 'failed')
  if (part === undefined) return
  parts.push(open.bare === undefined ? { ...part, unproven: 'The result of the package is missing (go test).' } : part)
}
