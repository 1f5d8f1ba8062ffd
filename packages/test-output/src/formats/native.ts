import { emptyPart, type Format, reader, withoutEmpty } from '../format.ts'
import type { TextReader } from '../types.ts'
import { inState, numbersIn } from '../words.ts'

const NEXTEST_LINE =
  /^\s*(?:TRY \d+ )?(?<sign>PASS|FAIL|LEAK|SIG\w+|ABORT|TIMEOUT|XFAIL|SKIP|FLKY|TMT)(?:-\w+)? \[[^\]]*\](?: \( *\d+\/\d+\))? (?<group>\S+) (?<name>.*?)\s*$/

const nextest: Format = {
  framework: 'nextest',
  hints: [' tests run: ', ' test run: ', 'error: no tests to run'],
  first: new RegExp(`^\\s*(?:Nextest run ID |Starting \\d+ tests? across )|${NEXTEST_LINE.source}`),
  none: /^error: no tests to run/,
  summary: /^\s*Summary \[ *\d+(?:\.\d+)?s\] (?:(?<ran>\d+)\/)?(?<planned>\d+) tests? run: (?<counts>.*)$/,
  tests: [{ line: NEXTEST_LINE }],
  words: { xfail: 'failed' },
  otherwise: 'failed',
  settle: (part, { counts: { ran, planned } }) =>
    ran !== undefined && ran < planned! ? { ...part, broken: `Only ${ran} of ${planned} tests ran (nextest).` } : part,
}

const CARGO_BINARY = /^\s*(?:Running .*deps[\\/][^\s)]+-[0-9a-f]{16}|Doc-tests \S+\s*$)/
const CARGO_HEADER = /^running \d+ tests?\s*$/
/** A target that does not compile has no result, and those after it do not run. */
const NOT_BUILT =
  /^error(?:\[E\d+\])?: (?:could not compile|aborting due to|test failed, to rerun|doctest failed|\d+ targets? failed)|^error\[E\d{4}\]/

/** One result per test binary. Errors come on the other stream and may be anywhere. */
const cargo: Format = {
  framework: 'cargo test',
  hints: ['test result: ', 'error: could not compile', 'error: test failed', 'running '],
  header: CARGO_HEADER,
  summary: /^test result: (?<verdict>ok|FAILED)\. (?<counts>.*)$/,
  heading: [
    /^\s*Running (?<docs>)(?:unittests )?(?<path>(?<file>\S+\.rs)|\S+)(?: \((?:\S*[\\/])?(?<binary>[^\\/\s]+?)-[0-9a-f]{16}(?:\.exe)?\))?\s*$/,
    /^\s*Doc-tests (?<docs>\S+)(?<file>)\s*$/,
    /^(?<sign>failures):$/,
  ],
  groupOf: ({ path, binary, docs }) => (docs ? [docs, 'docs'] : [binary, path]).filter(Boolean).join(' '),
  tests: [
    { line: /^test (?<name>.+?)(?: - should panic)? \.\.\. (?:.*\b)?(?<sign>ok|FAILED|ignored|bench:)/ },
    { line: /^ {4}(?<name>\S+)$/ },
  ],
  words: { failures: 'failed' },
  finish: (parts, lines) => {
    const binaries = lines.filter((line) => CARGO_BINARY.test(line))
    const started = lines.filter((line) => CARGO_HEADER.test(line))
    const last = lines.findLastIndex((line) => CARGO_HEADER.test(line))
    const missing = parts.length > 0 && Math.max(binaries.length, started.length) > parts.length
    const unproven = 'A test binary started but gave no result (cargo test).'
    const all = withoutEmpty(missing ? [...parts, { ...emptyPart('cargo test', last, last), unproven }] : parts)
    const error = lines.findIndex((line) => NOT_BUILT.test(line))
    // Without any result, an error counts as cargo's only if cargo's own lines surround it.
    const isCargo = parts.length > 0 || lines.some((line) => /^error: could not compile `/.test(line))
    if (error < 0 || !isCargo || parts.some((part) => part.failed > 0 || part.broken !== undefined)) return all
    const broken = `${lines[error]!.trim()} (cargo test)`
    return [...all.slice(0, -1), { ...(all.at(-1) ?? emptyPart('cargo test', error, error)), suitesFailed: 1, broken }]
  },
}

const catch2: Format = {
  framework: 'catch2',
  hints: ['All tests passed (', 'test cases:', 'No tests ran', 'No test cases matched'],
  none: /^No tests (?:ran|executed)\b|^No test cases matched/,
  summary: [
    /^All tests passed \((?:\d+ assertions?|no assertions) in (?<passed>\d+) test cases?\)\s*$/,
    /^test cases: *(?<total>\d+) *\|(?<counts>.*)$/,
  ],
  words: { 'failed as expected': 'aside' },
}

/** Counts like Catch2; what it skipped by a filter is not in its total. */
const doctest: Format = {
  ...catch2,
  framework: 'doctest',
  summary: /^\[doctest\] test cases: *(?<total>\d+) *\|(?<counts>.*)$/,
  more: { line: /^\[doctest\] Status: (?<verdict>\w+)/, below: 3, over: /^\[doctest\]/ },
  words: { 'failed as expected': 'aside', skipped: undefined },
}

/** GoogleTest. A program that crashed has started, but never prints how many tests ran. */
const gtest: Format = {
  framework: 'gtest',
  hints: ['[=======', '[==='],
  header: /^\[=+\] Running (\d+) tests? from /,
  summary: /^\[=+\] (?<total>\d+) tests? from .* ran\./,
  more: { line: /^\[ +(?<word>PASSED|FAILED|SKIPPED) +\] (?<number>\d+) tests?[.,]/, below: 400, over: /^/ },
  tests: [{ line: /^\[ +(?<sign>OK|FAILED|SKIPPED) +\] (?<name>\S+\.\S.*?)(?:, where .*)? \(\d+ ms\)\s*$/ }],
  unfinished: 'broken',
}

/** ctest shows what its programs print, so summaries of other runners may be between its lines. */
const ctest: Format = {
  framework: 'ctest',
  hints: ['% tests passed', 'No tests were found!!!', 'Test project ', 'Test Failed.', 'Test Timeout.'],
  first: /^Test project \S|^ {4}Start +\d+: |^ *(?:\d+\/\d+ )?Test +#\d+: \S.*? \.{2,}/,
  none: /^No tests were found!!!/,
  summary: /^\d+% tests passed(?:, (?<failed>\d+) tests? failed)? out of (?<all>\d+)\s*$/,
  more: {
    line: /^\t *\d+ - (?<name>\S.*?) \((?<sign>.*)\)/,
    below: 1_000_000,
    over: /^\s*$|^\S+ += +\d|^Total Test time|^The following tests |^Errors while running CTest|^Label Time Summary/,
  },
  words: { '***skipped': 'skipped', '***not run (disabled)': 'skipped' },
  otherwise: 'failed',
  tests: [
    {
      line: /^ *(?:\d+\/\d+ )?Test +#\d+: (?<name>\S.*?) \.{2,} *(?<sign>Passed|\*\*\*(?:Skipped|Not Run \(Disabled\))|.*)/,
    },
  ],
  unfinished: 'unproven',
  settle: (part, { lines, from, at, tests }) => {
    // Disabled tests are listed, but not part of the total.
    const disabled = lines.slice(from, at).filter((line) => /Not Run \(Disabled\)/.test(line)).length
    const skipped = Math.min(part.passed, Math.max(0, inState(tests.list(), 'skipped') - disabled))
    return { ...part, skipped, passed: part.passed - skipped, tests: tests.list() }
  },
  finish: (parts, lines) => {
    // LastTest.log contains every program's complete output.
    const logged = lines.findIndex((line) => /^Test (?:Failed|Timeout)\.\s*$/.test(line))
    if (logged < 0 || !lines.some((line) => /^\d+\/\d+ Testing: /.test(line))) return parts
    const broken = 'The log contains a failed test (ctest).'
    return [...parts, { ...emptyPart('ctest', logged, logged), wrapper: true, broken }]
  },
}

/** Counts programs, one count per line. Another program may print `Ok: 3`. */
const meson: Format = {
  framework: 'meson',
  hints: ['Ok:  '],
  first: /^ *\d+\/\d+ \S.*? +(?:OK|FAIL|ERROR|TIMEOUT|INTERRUPT|SKIP|EXPECTEDFAIL|UNEXPECTEDPASS) +\d+(?:\.\d+)? ?s\b/,
  summary: /^Ok: +(?<ok>\d+) *$/,
  more: { line: /^(?<word>Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(?<number>\d+) *$/, below: 6 },
  needs: ['fail'],
  words: { 'expected fail': 'skipped', 'unexpected pass': 'failed', expectedfail: 'skipped' },
  tests: [{ line: /^ *\d+\/\d+ (?<name>\S.*?) +(?<sign>[A-Z]+) +\d+(?:\.\d+)? ?s\b/ }],
  otherwise: 'failed',
}

/** One line per suite and, in newer versions, one for all: it is needed only if the beginning was cut off. */
const forge: Format = {
  framework: 'forge',
  hints: ['Suite result: ', 'Test result: ', 'Compiler run failed', 'No tests found in project'],
  first: /^(?:Ran|Running) \d+ tests? for \S|^\[(?:PASS|FAIL|SKIP)[:.\]]/,
  none: /^No tests (?:found in project|match the provided pattern)/,
  summary: /^(?:Suite|Test) result: (?<verdict>ok|FAILED)\. (?<counts>.*)$/,
  heading: [/^(?:Ran|Running) \d+ tests? for (?<group>(?<file>[^\s:]+)\S*)\s*$/],
  tests: [{ line: /^\[(?<sign>PASS|FAIL|SKIP)(?:[:.][^\]]*)?(?:\]|.*\]) (?<name>\S+\(.*?\))/ }],
  finish: (parts, lines) => {
    const unbuilt = lines.findIndex((line) => /^(?:Error: )?Compiler run failed|^Error \(\d{4}\): /.test(line))
    const broken = { suitesFailed: 1, broken: 'The contracts did not compile (forge).' }
    if (unbuilt >= 0) return [...parts, { ...emptyPart('forge', unbuilt, unbuilt), ...broken }]
    const end = lines.findLastIndex((line) => /^Ran \d+ test suites?(?: in [^:]*)?: /.test(line))
    if (end < 0) return parts
    const counts = numbersIn(lines[end]!.replace(/^.*?: /, ''))
    const listed = (key: 'passed' | 'failed' | 'skipped') => parts.reduce((sum, part) => sum + part[key], 0)
    const passed = Math.max(0, (counts['tests passed'] ?? counts['test passed'] ?? 0) - listed('passed'))
    const failed = Math.max(0, (counts.failed ?? 0) - listed('failed'))
    const skipped = Math.max(0, (counts.skipped ?? 0) - listed('skipped'))
    if (passed + failed + skipped === 0) return parts
    return [...parts, { framework: 'forge', from: end, to: end, passed, failed, skipped }]
  },
}

/** XCTest repeats its counts for every suite that contains others: only the outermost are added. Swift Testing has its own line. */
const swift: Format = {
  framework: 'swift test',
  hints: ["Test Suite '", 'Test run with ', '** TEST '],
  summary: [
    /^\s*Executed (?<executed>\d+) tests?,(?: with (?<skipped>\d+) tests? skipped and)? (?:with )?(?<failed>\d+) failures? \(\d+ unexpected\)/,
    /^\S+ +Test run with (?<ran>\d+) tests?(?: in \d+ suites?)? (?<verdict>passed|failed) after .*?(?: with (?<issues>\d+) issues?.*)?$/,
    /^\*\* TEST (?:EXECUTE )?(?<verdict>FAILED) \*\*/,
  ],
  words: { executed: 'all', ran: 'all' },
  settle: (part, { lines, at, counts: { executed, ran, issues = 1 }, verdict }) => {
    const suite = lines.findLast((line, index) => index < at && /^Test Suite '.*' (?:passed|failed) at /.test(line))
    if (executed !== undefined)
      // XCTest prints nothing if all tests use the other library.
      return executed > 0 && /^Test Suite '(?:All|Selected) tests'/.test(suite ?? '') ? part : undefined
    if (ran === undefined) return { ...part, wrapper: true, broken: 'The test action failed (xcodebuild).' }
    const failed = verdict === 'failed' ? Math.min(ran, Math.max(1, issues)) : 0
    return { ...part, passed: ran - failed, failed, broken: undefined }
  },
}

const formats = [cargo, nextest, ctest, meson, catch2, doctest, gtest, forge, swift]
export const native: readonly TextReader[] = formats.map(reader)
