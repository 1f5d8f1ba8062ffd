import { above, type Format, reader } from '../format.ts'
import type { TextReader } from '../types.ts'

/** RSpec, and the runners that end with the same line (Crystal, hspec). */
const rspec: Format = {
  framework: 'rspec',
  hints: [' examples, ', ' example, '],
  summary:
    /^(?<all>\d+) examples?, (?<counts>\d+ failures?(?:, \d+ errors?)?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?)\s*$/,
  more: {
    line: /^rspec (?<quote>['"]?)(?<file>\.?\S+?)(?::\d+|\[[\d:]+\])\k<quote> # (?<name>.*?)\s*$/,
    below: 1_000_000,
    over: /^\s*$|^Failed examples:/,
  },
}

/** minitest, test-unit, and Rails on top of them. */
const minitest: Format = {
  framework: 'minitest',
  hints: [' assertions, ', ' assertion, '],
  first:
    /^(?:# Running(?: tests.*)?:|Run options: .*--seed|Loaded suite |\S+#test\S* = |(?:Failure|Error): |\s*\d+\) (?:Failure|Error|Skipped):$)/,
  summary:
    /^\s*(?<all>\d+) (?:runs|run|tests|test), \d+ assertions?, (?<counts>\d+ failures?, \d+ errors?(?:, \d+ (?:skips?|pendings?|omissions?|notifications?))*)\s*$/,
  heading: [/^\s*\d+\) (?<sign>Failure|Error|Skipped):$/],
  tests: [
    { line: /^(?<name>\S+#test\S*) = \d+(?:\.\d+)? s = (?<sign>.)$/ },
    { line: /^(?<name>\S+#\S+)(?: \[.*\])?:\s*$/ },
    { line: /^(?<sign>Failure|Error): (?<name>\S+)\((?<group>\S+)\)/, joint: '#' },
  ],
}

/** Lists what failed or was skipped in sections. With warnings, the exit code says no. */
const phpunit: Format = {
  framework: 'phpunit',
  hints: ['OK (', 'Tests: ', 'No tests executed!', 'PHPUnit '],
  header: /^PHPUnit \d+\.\d+/,
  none: /^No tests executed!\s*$/,
  summary: [/^OK \((?<all>\d+) tests?, \d+ assertions?\)\s*$/, /^(?<counts>Tests: \d+, Assertions: \d+.*)\.\s*$/],
  more: { line: /^(?<verdict>FAILURES!|ERRORS!|WARNINGS!|OK, but .*!)\s*$/, above: 1 },
  words: { test: 'all', 'skipped test': 'skipped', 'incomplete test': 'skipped' },
  heading: [/^There (?:was|were) \d+ (?<sign>failure|error|warning|risky test|skipped test|incomplete test)s?:/],
  tests: [{ line: /^\d+\) (?<name>\S+::.*?)\s*$/ }],
  unfinished: 'unproven',
  settle: (part, { verdict }) =>
    verdict?.startsWith('WARNINGS') === true ? { ...part, unproven: 'The run ended with warnings (phpunit).' } : part,
}

/** Pest, and Laravel's `artisan test`, which prints the same. */
const pest: Format = {
  framework: 'pest',
  hints: ['  Tests:  '],
  first: /^ {2,3}(?:PASS|FAIL|WARN|TODO|RISK|NOTE) {1,2}\S/,
  summary: /^ {2}Tests: {2,}(?<counts>(?!.*\btotal\b)(?:\d+ [a-z]+(?:, )?)+)(?: \(\d+ assertions?\))?\s*$/,
  more: { line: /^ {2}(?<word>Duration|Time): +\S/, below: 1 },
  words: {
    ...{ risky: 'passed', deprecated: 'passed', notice: 'passed', warning: 'passed', warn: 'passed', '!': 'passed' },
  },
  heading: [/^ {2,3}(?:PASS|FAIL|WARN|TODO|RISK|NOTE) {1,2}(?<group>\S+)/],
  tests: [{ line: /^ {2}(?<sign>[✓⨯×✕✗↓!…-]) (?<name>.+?)(?: {2,}\d+(?:\.\d+)?s)?\s*$/ }],
  otherwise: 'skipped',
}

const exunit: Format = {
  framework: 'exunit',
  hints: [' tests, ', ' test, '],
  summary:
    /^(?<counts>(?:\d+ (?:doctests?|properties|property|features?), )*\d+ tests?, \d+ failures?(?:, \d+ (?:skipped|invalid|excluded|not run))*)(?: \((?<left>\d+) excluded\))?(?: in \d+(?:\.\d+)? seconds?)?\s*$/,
  words: {
    ...{ test: 'all', doctest: 'all', property: 'all', properties: 'all', feature: 'all' },
    ...{ excluded: 'aside', left: 'aside' },
  },
  tests: [
    { line: /^ +\d+\) (?:test|property|doctest|feature) (?<name>.+?)(?: \((?<group>[\w.]+)\))?\s*$/, state: 'failed' },
  ],
  settle: (part, { counts }) => ({ ...part, passed: Math.max(0, part.passed - (counts['not run'] ?? 0)) }),
}

/** In its pretty form it ends with the same words as ExUnit, but without the time that ExUnit prints above. */
const bats: Format = {
  ...exunit,
  framework: 'bats',
  tests: [{ line: /^ (?<sign>[✓✗-]) (?<name>.*?)(?: \(skipped(?::.*)?\))?\s*$/ }],
  settle: (part, { lines, from, at, tests }) => {
    const elixir = above(lines, at, Math.max(from, at - 40), /^Finished in \d+(?:\.\d+)? (?:seconds|ms)/) >= 0
    return elixir || tests.list().length === 0 ? undefined : part
  },
}

/** Each line contains the counts so far, the last one ends the run. */
const flutter: Format = {
  framework: 'flutter',
  hints: [
    ...['All tests passed!', 'Some tests failed.', 'All tests skipped.', 'No tests ran.', ' +0: ', '0:0', '00:'],
    ...[' tests passed', ' test passed', ' tests failed', ' test failed'],
  ],
  first: /^(?:\d+:)?\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: /,
  summary: [
    /^(?:\d+:)?\d+:\d+ \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?<verdict>All tests passed!|All tests skipped\.|Some tests failed\.|No tests ran\.|No tests were found\.)\s*$/,
    // In GitHub's format.
    /^(?:🎉 |::error::|❌ )(?<counts>\d+ tests? (?:passed|failed)(?:, \d+ (?:passed|failed|skipped))*)\.\s*$/u,
  ],
  tests: [{ line: /^(?:\d+:)?\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: (?<name>.*) \[E\]\s*$/, state: 'failed' }],
  finish: (parts, lines) => {
    const last = lines.findLastIndex((line) => /^(?:\d+:)?\d+:\d+ \+\d+(?: ~\d+)?(?: -\d+)?: /.test(line))
    const counts = /\+(\d+)(?: ~(\d+))?(?: -(\d+))?: /.exec(lines[last] ?? '')
    if (counts === null || parts.some((part) => part.to >= last)) return parts
    const [passed, skipped, failed] = counts.slice(1).map((digits) => Number(digits ?? 0)) as [number, number, number]
    const from = parts.at(-1)?.to ?? last
    const unproven = 'The closing line is missing (flutter).'
    return [...parts, { framework: 'flutter', from, to: lines.length - 1, passed, failed, skipped, unproven }]
  },
}

/** Counts tests, but failures per assertion: a failed run is known, the number of failed tests is not. */
const clojure: Format = {
  framework: 'clojure.test',
  hints: [' containing '],
  summary: /^Ran (?<all>\d+) tests? containing \d+ assertions?\.\s*$/,
  more: { line: /^(?<failures>\d+) failures?, (?<errors>\d+) errors?\.\s*$/, below: 1 },
  needs: ['failures'],
}

/** R's testthat repeats its line while it runs; the last one counts. It counts expectations. */
const testthat: Format = {
  framework: 'testthat',
  hints: ['[ FAIL '],
  summary: /^\[ FAIL (?<failed>\d+) \| WARN \d+ \| SKIP (?<skipped>\d+) \| PASS (?<passed>\d+) \]\s*$/,
  finish: (parts) => parts.slice(-1),
}

/** Lua's busted. */
const busted: Format = {
  framework: 'busted',
  hints: [' successes / ', ' success / '],
  summary:
    /^(?<passed>\d+) success(?:es)? \/ (?<failures>\d+) failures? \/ (?<errors>\d+) errors? \/ (?<pending>\d+) pending : /,
}

/** Perl's prove. Its files print TAP, which it shows only with -v, after a line with the file's name; then the points count there. */
const prove: Format = {
  framework: 'prove',
  hints: ['Result: '],
  summary: /^Result: (?<verdict>PASS|FAIL|NOTESTS)\s*$/,
  more: { line: /^Files=\d+, Tests=(?<all>\d+),/, above: 5, over: /^/ },
  needs: ['all'],
  settle: (part, { lines, at }) => {
    const summary = above(lines, at, 0, /^Test Summary Report$/)
    const listed = summary < 0 ? [] : lines.slice(summary, at)
    const counts = listed.map((line) => Number(/\(Wstat: .* Tests: \d+ Failed: (\d+)\)/.exec(line)?.[1] ?? 0))
    const sum = counts.reduce((all, number) => all + number, 0)
    const failed = Math.min(part.passed, sum)
    const shown = above(lines, at, 0, /^\S+\.t \.{2,}\s*$/) >= 0 && above(lines, at, 0, /^1\.\.\d+/) >= 0
    const broken = /FAIL/.test(lines[at]!) ? 'The result is FAIL (prove).' : undefined
    const rest = { ...part, total: undefined, from: summary < 0 ? part.from : summary, broken }
    return shown ? { ...rest, wrapper: true, passed: 0, failed: 0 } : { ...rest, passed: part.passed - failed, failed }
  },
}

/** Cucumber's many ports, and behave: scenarios are the tests. Undefined and pending ones prove nothing. */
const cucumber: Format = {
  framework: 'cucumber',
  hints: [' scenarios ', ' scenario ', ' scenarios passed', ' scenario passed'],
  summary: [
    /^(?<total>\d+) scenarios? \((?<counts>[^)]*)\)\s*$/,
    /^(?<passed>\d+) scenarios? passed, (?<failed>\d+) failed,(?: (?<error>\d+) error,)? (?<skipped>\d+) skipped(?:, (?<untested>\d+) untested)?\s*$/,
  ],
  words: { ambiguous: 'failed', undefined: 'failed', untested: 'skipped' },
}

const formats = [rspec, minitest, phpunit, pest, bats, exunit, flutter, clojure, testthat, busted, prove, cucumber]
export const scripting: readonly TextReader[] = formats.map(reader)
