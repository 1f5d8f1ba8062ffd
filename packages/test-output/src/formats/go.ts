import { above, emptyPart, type Format, reader, withoutEmpty } from '../format.ts'
import type { Part, TestCase, TestState, TextReader } from '../types.ts'
import { count, inState, stateOf } from '../words.ts'

/** A test that prints no newline leaves its text before the result. */
const RESULT =
  /^(?:(?<indent>\s*)|.*?)--- (?<sign>PASS|FAIL|SKIP|BENCH): (?<name>\S+) \(\d+(?:\.\d+)?\s?(?:s|seconds)\)\s*$/
export const BENCH = /^(?<name>Benchmark\S*?)(?:-\d+)?\s+\d+\s+\d+(?:\.\d+)? ns\/op/
const PACKAGE = /^(ok|FAIL|\?)\s+(\S+)\s+(\(cached\)|\d+(?:\.\d+)?s|\[[^\]]+\])(.*)$/
const NO_TESTS = /\[(?:no test files|no tests to run|no statements)\]/

/** The tests of one package, in the order of their first mention; undefined while they run. */
export class GoPackage {
  from = 0
  readonly states = new Map<string, TestState | undefined>()
  /** go indents subtests below their parent, which fails with them. */
  readonly below = new Set<string>()
  /** The verdict of a test binary that was run directly. */
  bare: string | undefined
  empty = false

  get failed(): boolean {
    return this.bare === 'FAIL' || [...this.states.values()].includes('failed')
  }

  /** With -count a test runs more than once; one failure is enough. */
  set(name: string, state: TestState | undefined): void {
    const before = this.states.get(name)
    if (before !== 'failed' && (state !== undefined || before === undefined)) this.states.set(name, state)
  }

  /** `name` is absent if a test binary was run directly. */
  close(to: number, failed: boolean, name: string | undefined, why: string): Part {
    const ended = [...this.states].map(([test, state]): TestCase | undefined => {
      // A test that started and did not end was running when the package crashed.
      const own = state ?? (failed ? ('failed' as const) : undefined)
      return own && { name: name === undefined ? test : `${name} > ${test}`, state: own }
    })
    const tests = ended.filter((test) => test !== undefined)
    const top = [...this.states.keys()].flatMap((test, at) => (this.below.has(test) ? [] : (ended[at] ?? [])))
    const crashed = failed && inState(tests, 'failed') === 0
    const unbuilt = crashed && why !== 'failed'
    if (unbuilt) tests.push({ name: name ?? 'package', state: 'failed' })
    else if (!failed && tests.length === 0) {
      const part = emptyPart('go test', this.from, to)
      // Without -v only the package is listed; it is `ok` only after tests ran.
      return this.empty || name === undefined ? part : { ...part, passed: 1, tests: [{ name, state: 'passed' }] }
    }
    const open = ended.length - ended.filter(Boolean).length
    return {
      ...{ framework: 'go test', from: this.from, to, tests },
      passed: inState(top, 'passed'),
      failed: inState(top, 'failed') + (unbuilt ? 1 : 0),
      skipped: inState(top, 'skipped'),
      ...(crashed && { suitesFailed: 1, broken: `${name ?? 'The package'} ${why} (go test).` }),
      ...(open > 0 && { unproven: `${count(open, 'test')} started but did not end (go test).` }),
    }
  }
}

const begin = (from: number): GoPackage => Object.assign(new GoPackage(), { from })

const goTest: TextReader = {
  hints: ['--- ', 'ok  ', 'ok \t', 'ok\t', 'FAIL\t', 'FAIL ', '[no test', 'ns/op'],
  read: (lines) => {
    const parts: Part[] = []
    let open: GoPackage | undefined
    const close = (to: number, failed: boolean, name?: string, why = 'failed') => {
      parts.push((open ?? begin(to)).close(to, failed, name, why))
      open = undefined
    }
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      const start = /^\s*=== RUN\s+(?<name>\S+)\s*$/.exec(line)?.groups
      const { name, sign, indent } = start ?? RESULT.exec(line)?.groups ?? BENCH.exec(line)?.groups ?? {}
      if (name !== undefined) {
        if (open?.bare !== undefined) close(at - 1, open.failed)
        open ??= begin(at)
        open.set(name, start === undefined ? stateOf(sign ?? 'pass', { bench: 'passed' }) : undefined)
        if ((start !== undefined && name.includes('/')) || indent) open.below.add(name)
        continue
      }
      if (/^testing: warning: no tests to run/.test(line)) {
        open ??= begin(at)
        open.empty = true
      } else if (/^panic: test timed out after /.test(line)) open ??= begin(at)
      else if (/^(?:PASS|FAIL)$/.test(line) && open !== undefined) open.bare = line
      const [ended, word, path, mark = '', rest = ''] = /^(?:ok|FAIL|\?)\s/.test(line) ? (PACKAGE.exec(line) ?? []) : []
      if (ended === undefined) continue
      const isEmpty = word === '?' || NO_TESTS.test(mark + rest)
      if (isEmpty && (open === undefined || open.states.size === 0)) {
        parts.push(emptyPart('go test', open?.from ?? at, at))
        open = undefined
      } else close(at, word === 'FAIL' && !isEmpty, path, mark.startsWith('[') ? mark.slice(1, -1) : 'failed')
    }
    if (open !== undefined && open.states.size > 0) {
      // The text ends inside a package: its result is missing, unless a binary was run directly and printed `PASS`.
      const part = open.close(lines.length - 1, open.failed, undefined, 'failed')
      parts.push(
        open.bare === undefined ? { ...part, unproven: 'The result of the package is missing (go test).' } : part,
      )
    }
    return withoutEmpty(parts)
  },
}

/** Runs `go test -json` and ends with one line of its own. */
const gotestsum: Format = {
  framework: 'gotestsum',
  hints: ['DONE '],
  first: /^(?:=== (?:RUN|FAIL|SKIP|Failed|Skipped)|--- |[✓✖∅] {2}|(?:PASS|FAIL|EMPTY) \S|ok\s)/,
  summary: /^DONE (?:\d+ runs?, )?(?<all>\d+) tests?(?:, (?<counts>.*?))? in \d+(?:\.\d+)?s\s*$/,
  words: { error: 'outside' },
  tests: [{ line: /^=== FAIL: (?:(?<group>\S+) )?(?<name>\S+) \(\d+(?:\.\d+)?s\)\s*$/, state: 'failed' }],
  settle: ({ suitesFailed, ...part }, { lines, from, at }) => {
    const unbuilt = suitesFailed! > 0 || above(lines, at, from, /^=== FAIL: \S+ {2}\(/) >= 0
    const broken = `${suitesFailed || 'Some'} packages could not be built or run (gotestsum).`
    return unbuilt ? { ...part, broken } : part
  },
}

/** Ginkgo on its own. Under `go test` its package counts. */
const ginkgo: Format = {
  framework: 'ginkgo',
  hints: [' Passed | '],
  first: /^Ran \d+ of (\d+) Specs? in /,
  summary:
    /^(?<verdict>SUCCESS|FAIL)! .*?(?<passed>\d+) Passed \| (?<failed>\d+) Failed \| (?:\d+ Flaked \| )?(?<pending>\d+) Pending \| (?<skipped>\d+) Skipped/,
}

export const go: readonly TextReader[] = [reader(gotestsum), goTest, reader(ginkgo)]
