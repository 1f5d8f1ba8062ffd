import { type Format, reader } from '../format.ts'
import type { TextReader } from '../types.ts'
import { Tests } from '../words.ts'

/**
 * The last line has rulers or, with -q, none. pytest-sugar prints one count per line below `Results (0.05s):`. Test lines look
 * different while it runs, on workers (`[gw0] [ 10%] PASSED path::test`) and at the end (`FAILED path::test - why`).
 */
const pytest: Format = {
  framework: 'pytest',
  hints: [
    ...['test session starts', ' passed', ' failed', ' error', ' skipped', ' deselected', 'no tests ran', ' collected'],
    'Results (',
  ],
  header: /^=+ test session starts =+$/,
  first:
    /^\S+\.\w+::.*? (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b|^(?:\[gw\d+\] .*)?(?:PASSED|FAILED|ERROR|XFAIL|XPASS) \S+\.\w+/,
  summary: [
    /^(?:=+ )?(?=.*\b(?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun|no tests|collected)\b)(?<counts>(?:\d+ [a-z]+(?: [a-z]+)*, )*\d+ [a-z]+(?: [a-z]+)*|no tests ran|no tests collected[^=]*) in \d+(?:\.\d+)? ?s(?:econds)?\b(?: \(\d+:\d+:\d+\)| \(\d+ days?, [\d:]+\))?(?: =+)?$/,
    /^Results \(\d+(?:\.\d+)?m?s\):$/,
  ],
  more: {
    line: /^ {2,}(?<number>\d+) (?<word>passed|failed|skipped|xfailed|xpassed|error|errors|rerun|warnings?|deselected)$/,
    below: 40,
    over: /^\s|^$/,
  },
  words: { xfailed: 'aside', 'subtests failed': 'failed', 'subtest failed': 'failed' },
  unloaded: /^ERROR (?<name>\S+\.py)(?: - .*)?$/,
  tests: [
    { line: /^(?<name>(?<file>\S+\.\w+)::.*?) (?<sign>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b/ },
    {
      line: /^(?:\[gw\d+\] (?:\[ *\d+%\] )?)?(?<sign>PASSED|FAILED|ERROR|XFAIL|XPASS) (?<name>(?<file>\S+\.\w+)::.*?)(?: - .*)?$/,
    },
  ],
  unfinished: 'unproven',
  settle: (part, { lines, from, at, counts }) => {
    // `!!!!! KeyboardInterrupt !!!!!`: tests that were not reached are not counted.
    const stopped = lines
      .slice(from, at)
      .map((line) => /^!{3,} (?!stopping after|xdist)(.*?) !{3,}$/.exec(line)?.[1])
      .find(Boolean)
    if ('tests collected' in counts || 'test collected' in counts)
      return { ...part, unproven: 'The tests were only collected (pytest).' }
    return stopped !== undefined && part.failed === 0 ? { ...part, unproven: `${stopped} (pytest)` } : part
  },
}

/** Other output may be between the count and the result: Django destroys its databases there. */
const unittest: Format = {
  framework: 'unittest',
  hints: ['Ran '],
  summary: /^Ran (?<all>\d+) tests? in \d+(?:\.\d+)?s\s*$/,
  more: {
    line: /^(?<verdict>OK|FAILED|PASSED|NO TESTS RAN)(?: \((?<counts>(?:[a-z ]+=\d+(?:, )?)+)\))?\s*$/,
    below: 60,
    over: /^(?!Ran \d+ tests? in )/,
  },
  unloaded: /^(?:FAIL|ERROR): (?<name>\S+) \(unittest\.loader\._FailedTest/,
  tests: namesOfUnittest,
  settle: (part, { verdict }) =>
    verdict === undefined ? { ...part, unproven: 'The result after the count is missing (unittest).' } : part,
}

/** `test_a (module.Class.test_a) ... ok`; a test with a docstring has its name on one line and its result on the next. */
function namesOfUnittest(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  const nameOf = (test: string, place: string) => (place.endsWith(`.${test}`) ? place : `${place}.${test}`)
  let head: string | undefined
  for (const line of lines.slice(from, to)) {
    const [, word, test, place = ''] = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \(([^\s()]+)\)/.exec(line) ?? []
    if (word !== undefined && !place.startsWith('unittest.loader._FailedTest'))
      tests.set(nameOf(test!, place), 'failed')
    const named = /^(\S+) \(([^\s()]+)\)/.exec(line)
    if (named !== null) head = nameOf(named[1]!, named[2]!)
    const [, result] =
      /^(?:\S+ \([^\s()]+\)(?: \[.*\]| \(.*\))?|\S.*?) \.\.\. (?:.*\s)?(ok|OK|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/.exec(
        line,
      ) ?? []
    if (result === undefined) continue
    const skipped = result.startsWith('skipped') || result === 'expected failure'
    if (head !== undefined) tests.set(head, skipped ? 'skipped' : /^ok$/i.test(result) ? 'passed' : 'failed')
    head = undefined
  }
  return tests
}

/** The runner that sympy ships, and those derived from it. */
const sympy: Format = {
  framework: 'sympy',
  hints: ['tests finished: '],
  header: /^=+ test process starts =+$/,
  summary: /^=+ tests finished: (?<counts>.*?),? in \d+(?:\.\d+)? seconds =+$/,
  words: { 'expected to fail': 'aside', 'expected to fail but passed': 'passed' },
  tests: [
    { line: /^(?<name>test_\w+) ok\b/, state: 'passed' },
    { line: /^_+ (?<file>\S+\.py):(?<name>test_\w+) _+$/, state: 'failed' },
  ],
}

/** Counts every suite; the last line is the total. */
const robot: Format = {
  framework: 'robot',
  hints: [' passed, '],
  summary:
    /^(?<total>\d+) (?:critical )?tests?(?: total)?, (?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?\s*$/,
  finish: (parts) => parts.slice(-1),
}

export const python: readonly TextReader[] = [pytest, unittest, sympy, robot].map(reader)
