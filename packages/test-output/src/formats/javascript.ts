import { above, emptyPart, type Format, reader, withoutEmpty } from '../format.ts'
import type { Part, TextReader } from '../types.ts'
import { count, inState, numbersIn, Tests } from '../words.ts'
import { testsOfTap } from './tap.ts'

/** Files that failed although no test in them did could not be loaded. */
function unloadedFiles(part: Part, files: number, unit: string): Part {
  const suitesFailed = Math.max(part.suitesFailed ?? 0, part.failed === 0 ? files : 0)
  const unrun = suitesFailed > 0 ? `${count(suitesFailed, unit)} could not be run (${part.framework}).` : undefined
  return { ...part, suitesFailed, broken: part.broken ?? unrun }
}

/** In watch mode only the last run counts. Verbose lines start with the file; without it, a line would not identify a test. */
const vitest: Format = {
  framework: 'vitest',
  hints: ['Tests  ', ' RUN  v', ' DEV  v'],
  header: /^\s*(?:(?:RUN|DEV) {1,2}v?\d+\.\d+|RERUN {1,2}\S)/,
  none: /^\s*No test (?:files|suite|projects?) .*found\b|^No test files found/,
  summary: /^\s*Tests {2,}(?:(?<counts>(?:\d+ [a-z]+(?: \| )?)+) ?\((?<total>\d+)\)|no tests)\s*$/,
  more: {
    line: /^\s*(?:Type )?Errors {2,}(?<outside>\d+) errors?\s*$/,
    below: 8,
    over: /^\s*(?:Start at|Duration|Time|Snapshots|Test Files) {2,}/,
  },
  unloaded: /^\s*FAIL {2}(?:\|[^|]+\| |\S+ (?=\S+ > ))?(?<name>.*\S) \[ .* \]\s*$/,
  tests: [
    { line: /^\s*FAIL {2}(?:\|[^|]+\| |\S+ (?=\S+ > ))?(?<name>(?<file>\S.*?) > .*?)\s*$/, state: 'failed' },
    { line: /^\s*(?<sign>[✓√×✗↓□])\s+(?:\|[^|]+\| )?(?<name>(?<file>\S.*?) > .*?)(?:\s+\d+(?:\.\d+)?\s?m?s)?\s*$/ },
  ],
  unfinished: 'unproven',
  settle: (part, { lines, from, at }) => {
    const files = above(lines, at, Math.max(from, at - 3), /^\s*Test Files {2,}/)
    const escaped = above(lines, at, from, /^Vitest caught \d+ unhandled errors? during the test run/) >= 0
    const { failed = 0 } = numbersIn((lines[files] ?? '').replace(/\D+/, ''))
    if (part.broken !== undefined || escaped)
      return { ...part, broken: part.broken ?? 'Errors outside of the tests (vitest).' }
    return unloadedFiles(part, failed, 'test file')
  },
  finish: (parts, lines) => {
    const again = lines.findLastIndex((line) => /^\s*RERUN {1,2}\S/.test(line))
    return parts.filter((part) => part.from >= again)
  },
}

/** Suites, tests, snapshots, time. Several summaries in one output are several projects. `3 of 4 total`: one was never reached. */
const jest: Format = {
  framework: 'jest',
  hints: ['Tests: ', 'No tests found, exiting'],
  first: /^(?:PASS|FAIL) (?:\S+ )?\S+\.\w+(?: \([\d.]+ ?m?s.*\))?\s*$/,
  none: /^No tests found, exiting with code/,
  summary: /^Tests:\s+(?<counts>(?:\d+ [a-z]+, )*\d+ total)\s*$/,
  heading: [/^(?:PASS|FAIL) (?:\S+ )?(?<file>\S+\.\w+)(?: \([\d.]+ ?m?s.*\))?\s*$/],
  outline: /^(?<indent>\s+)(?<sign>[✓√✕×○✎])\s+(?:(?:skipped|todo) )?(?<name>.*?)(?: \(\d+(?:\.\d+)? ?m?s\))?\s*$/,
  tests: [
    {
      line: /^\s*● (?!Console|Validation (?:Error|Warning)|Deprecation Warning|Cannot log after|Multiple configurations|(?:.*\b)?Test suite failed to run)(?<name>.+ › .+|\S.*?)\s*$/,
      state: 'failed',
    },
  ],
  settle: (part, { lines, from, at }) => {
    const text = lines[above(lines, at, Math.max(from, at - 3), /^Test Suites:\s+\d/)] ?? ''
    const { failed = 0, skipped = 0 } = numbersIn(text)
    const [, ran = 0, all = 0] = /(\d+) of (\d+) total/.exec(text) ?? []
    const missing = Number(all) - Number(ran) - (all === 0 ? 0 : skipped)
    const named = lines.slice(from, at).filter((line) => /● (?:.* › )?Test suite failed to run/.test(line)).length
    const unproven = missing > 0 ? `${count(missing, 'test suite')} did not run (jest).` : undefined
    return { ...unloadedFiles({ ...part, suitesFailed: named }, failed, 'test suite'), unproven }
  },
}

/** mocha, and tools built on it (Cypress, Hardhat, WebdriverIO's spec reporter). */
const mocha: Format = {
  framework: 'mocha',
  hints: [' passing'],
  first: /^\s+(?:✓|√|✔|\d+\))\s+\S/,
  summary: /^\s*(?<passed>\d+) passing(?: \(\d+(?:\.\d+)?\s?(?:ms|s|m|h|minutes?|seconds?)\))?\s*$/,
  more: { line: /^\s*(?<number>\d+) (?<word>pending|failing)\s*$/, below: 5, over: /^\s*$/ },
  outline: /^(?<indent>\s+)(?<sign>✓|√|✔|-|\d+\))\s+(?<name>.*?)(?: \(\d+(?:\.\d+)?m?s\))?\s*$/,
}

/** `✔ name (1.5ms)`; a group has `▶`. Symbol and indent show where a test belongs. */
const SPEC = /^( *)(✔|✓|√|✖|✗|X|﹣|-|▶) (.+?)(?: \(\d+(?:\.\d+)?ms\))?(?: # (SKIP|TODO)\b.*)?$/
const FAILURES = /^\S{1,3} failing tests:/

/** Groups open with `▶` and close with a second line of the same title. */
function specNames(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  const groups: { indent: number; title: string }[] = []
  for (let at = from; at < to && !FAILURES.test(lines[at]!); at += 1) {
    const [, space = '', sign = '', title = '', directive] = SPEC.exec(lines[at]!) ?? []
    // Other runners indent their tests; here an indented one has a group.
    if (title === '' || (space !== '' && groups.length === 0)) continue
    while (groups.length > 0 && groups.at(-1)!.indent > space.length) groups.pop()
    const top = groups.at(-1)
    if (top?.indent === space.length) {
      groups.pop()
      if (top.title === title) continue
    }
    const skipped = directive !== undefined || sign === '﹣'
    if (sign === '▶') groups.push({ indent: space.length, title })
    else if (skipped || sign !== '-')
      tests.set(
        [...groups.map((group) => group.title), title].join(' > '),
        skipped ? 'skipped' : /[✖✗X]/.test(sign) ? 'failed' : 'passed',
      )
  }
  return tests
}

/** The closing lines start with `#` or a small i, in whatever encoding it survived. */
const nodeTest: Format = {
  framework: 'node:test',
  hints: [' pass '],
  first: /^(?:TAP version \d+|# Subtest: |[✔✖▶﹣] )/,
  summary: /^\S{1,4} tests (?<total>\d+)$/,
  more: {
    line: /^\S{1,4} (?<word>suites|pass|fail|cancelled|skipped|todo|duration_ms) (?<number>\d+(?:\.\d+)?|\*)$/,
    below: 8,
  },
  needs: ['pass', 'fail'],
  tests: (lines, from, to) => (lines[to]!.startsWith('#') ? testsOfTap : specNames)(lines, from, to),
  settle: (part, { lines, from, at }) => {
    const isTap = lines[at]!.startsWith('#')
    const seen = isTap && lines.slice(from, at).some((line) => /^not ok \d+(?!.*# TODO)/.test(line))
    const broken = 'A test point is not ok, but none is counted as failed (node:test).'
    return seen && part.failed === 0 ? { ...part, broken } : part
  },
}

/** `[chromium] › file.spec.ts:3:1 › group › name`: the position in the file is not part of the name. */
function namesOfPlaywright(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  let failing = false
  for (let at = from; at <= to; at += 1) {
    const line = lines[at]!
    const section = PLAYWRIGHT_COUNT.exec(line)?.groups
    if (section !== undefined) failing = section.word === 'failed'
    const listed = failing ? /^ {4}(\S.*?)(?: [─-]{2,}.*)?\s*$/.exec(line)?.[1] : undefined
    const [, sign = '', ran] =
      /^\s*(✓|✔|ok|✘|✖|x|-)\s+\d+ (.+? › .+?)(?: \((?:retry #\d+|\d+(?:\.\d+)?(?:ms|s|m))\))*\s*$/.exec(line) ?? []
    const text = listed ?? ran
    if (text === undefined) continue
    const steps = text.split(' › ').map((step) => step.trim())
    const place = steps.findIndex((step) => /:\d+(?::\d+)?$/.test(step))
    const file = steps[place]?.replace(/:\d+(?::\d+)?$/, '')
    if (file !== undefined) steps[place] = file
    const state = listed !== undefined || /[✘✖x]/.test(sign) ? 'failed' : sign === '-' ? 'skipped' : 'passed'
    tests.set(steps.join(' > '), state, file)
  }
  return tests
}

const PLAYWRIGHT_COUNT =
  /^ {2}(?<number>\d+) (?<word>failed|interrupted|flaky|skipped|did not run|passed)(?: \(\d+(?:\.\d+)?\s?(?:ms|s|m|h)\))?\s*$/

/** Starts with the number of tests, and ends with one count per line, with the names of the tests between them. */
const playwright: Format = {
  framework: 'playwright',
  hints: ['Running ', 'Error: No tests found'],
  none: /^Error: No tests found/,
  summary: /^\s*Running (?<total>\d+) tests? using \d+ workers?/,
  more: {
    line: new RegExp(`${PLAYWRIGHT_COUNT.source}|^ {2}(?<outside>\\d+) errors? (?:was|were) not a part of any test`),
    below: 1_000_000,
    over: /^(?!\s*Running \d+ tests? using)/,
  },
  words: { flaky: 'passed', 'did not run': 'skipped' },
  settle: (part, { lines, at, counts }) => ({
    ...part,
    tests: namesOfPlaywright(lines, at, part.to).list(),
    ...(Object.keys(counts).length === 1 && { unproven: 'playwright started but printed no summary.' }),
  }),
}

/** Counts one per line above the closing line. */
const bun: Format = {
  framework: 'bun',
  hints: [' tests across ', ' test across ', 'bun test v'],
  header: /^bun test v\d/,
  first: /^(?:\((?:pass|fail|skip|todo)\)|[✓✗»✎]) /,
  summary: /^Ran (?<total>\d+) tests? across \d+ files?\.(?: .*)?$/,
  more: { line: /^ *(?<number>\d+) (?<word>pass|fail|skip|todo|errors?|filtered out)$/, above: 12, over: /^/ },
  words: { error: 'outside' },
  heading: [/^(?<group>(?<file>\S.*\.(?:test|spec|_test|_spec|test_)?\.?\w+)):$/],
  tests: [
    { line: /^(?:\((?<sign>pass|fail|skip|todo)\)) (?<name>.+?)(?: \[\d+(?:\.\d+)?m?s\])?$/ },
    { line: /^(?<sign>[✓✗»✎]) (?<name>.+?)(?: \[\d+(?:\.\d+)?m?s\])?$/ },
  ],
  unfinished: 'unproven',
  settle: (part, { counts }) =>
    'pass' in counts || 'fail' in counts
      ? part
      : { ...part, unproven: 'The counts above the closing line are missing (bun).' },
}

const DENO_ERROR =
  /^error: (?:Type checking failed\.|Module not found "|Test failed$|The module's source code could not be parsed)/

/** Steps are in brackets after their tests. */
const deno: Format = {
  framework: 'deno test',
  hints: ['ok | ', 'FAILED | ', 'error: No test modules', 'error: Type checking failed', 'error: Module not found'],
  first: /^running \d+ tests? from \S/,
  none: /^error: No test modules found/,
  summary: /^(?<verdict>ok|FAILED) \| (?<counts>\d+ passed.*?)(?: \(\d+(?:\.\d+)?(?:ms|s|m)(?:\d+s)?\))?$/,
  heading: [/^running \d+ tests? from (?<group>(?<file>\S.*))$/],
  tests: [{ line: /^(?<name>\S.*?) \.\.\. (?:.*\s)?(?<sign>ok|FAILED|ignored|cancelled)(?: \(.*\))?$/ }],
  finish: (parts, lines) => {
    const after = parts.at(-1)?.to ?? -1
    const error = lines.findIndex((line, at) => at > after && DENO_ERROR.test(line))
    if (error < 0 || parts.some((part) => part.failed > 0)) return parts
    const broken = `${lines[error]!.trim()} (deno test)`
    return [...withoutEmpty(parts), { ...emptyPart('deno test', error, error), suitesFailed: 1, broken }]
  },
}

/** The message of the error follows the title of a failed test on the same line; the details below a rule repeat the title alone. */
function namesOfAva(lines: readonly string[], from: number, to: number): Tests {
  const tests = new Tests()
  const rule = lines.findIndex((line, at) => at >= from && at < to && AVA_RULE.test(line))
  const end = rule < 0 ? to : rule
  const titles = lines
    .slice(end, to)
    .flatMap((line, at) =>
      AVA_RULE.test(line) && lines[end + at + 1] === '' ? [lines[end + at + 2]?.trim() ?? ''] : [],
    )
    .sort((a, b) => b.length - a.length)
  for (const line of lines.slice(from, end)) {
    const [, sign = '', mark, text] =
      /^ {2}(✔|√|✘|✖|-) (?:\[(fail|skip|expected fail|todo)\]:? )?(.+?)(?: \(\d+(?:\.\d+)?m?s\))?\s*$/.exec(line) ?? []
    if (text === undefined) continue
    const aside = sign === '-' || (mark !== undefined && mark !== 'fail')
    const passed = sign === '✔' || sign === '√'
    const title = titles.find((one) => one !== '' && (text === one || text.startsWith(`${one} `)))
    tests.set(passed || aside ? text : (title ?? text), aside ? 'skipped' : passed ? 'passed' : 'failed')
  }
  return tests
}

const AVA_RULE = /^ {2}─+$/
const AVA_COUNT =
  /^ {2}(?<number>\d+) (?=tests? |known|uncaught|unhandled|hook)(?:tests? )?(?<word>passed|failed|skipped|todo|known failures?|uncaught exceptions?|unhandled rejections?|remained pending|hooks? failed)(?: after .*)?\s*$/

/** One count per line. A failed run does not count the passed tests; it lists them. */
const ava: Format = {
  framework: 'ava',
  hints: [
    ...[' tests passed', ' test passed', ' tests failed', ' test failed', 'uncaught exception'],
    ...['No tests found', 'find any files to test'],
  ],
  none: /^ *[✖✘] (?:No tests found|Couldn.t find any files to test)/,
  summary: AVA_COUNT,
  more: { line: AVA_COUNT, below: 12 },
  tests: namesOfAva,
  settle: (part, { counts, tests }) =>
    'passed' in counts ? part : { ...part, passed: inState(tests.list(), 'passed') },
  finish: (parts) =>
    parts.map((part) =>
      part.passed + part.failed + part.skipped + (part.aside ?? 0) === 0 && part.broken === undefined
        ? { ...part, broken: 'No tests found (ava).' }
        : part,
    ),
}

/** Names only the tests that failed, in quotes and after their suite. Skipped ones are not in the total. */
const uvu: Format = {
  framework: 'uvu',
  hints: ['  Duration: '],
  summary: /^ {2}Total: +(?<tests>\d+)/,
  more: { line: /^ {2}(?<word>Passed|Skipped|Duration): +(?<number>\d+)/, below: 3 },
  needs: ['passed', 'skipped', 'duration'],
  tests: [{ line: /^ +FAIL {2}(?:(?<group>.+?) {2})?"(?<name>.*)"$/, state: 'failed' }],
  settle: (part, { counts }) => ({ ...part, failed: Math.max(0, counts.tests! - part.passed) }),
}

/** A focused run proves nothing about the specs that it left out. */
const jasmine: Format = {
  framework: 'jasmine',
  hints: [' specs, ', ' spec, '],
  summary: /^(?<all>\d+) specs?, (?<failed>\d+) failures?(?:, (?<pending>\d+) pending specs?)?\s*$/,
  finish: (parts, lines) => {
    const focused = lines.some((line) => /^Incomplete: (?:fit|focused|No specs)/.test(line))
    return focused ? parts.map((part) => ({ ...part, unproven: 'The run was incomplete (jasmine).' })) : parts
  },
}

/** Prints its counts repeatedly; the last line of each browser counts. Skipped tests are not among those that it executed. */
const karma: Format = {
  framework: 'karma',
  hints: ['Executed '],
  summary:
    /Executed (?<ran>\d+) of (?<total>\d+)(?: \((?<failed>\d+) FAILED\))?(?: \(skipped (?<skipped>\d+)\))?(?: SUCCESS| (?<verdict>ERROR|DISCONNECTED))? \(\d.*\)\s*$/,
  settle: (part, { counts, verdict }) => ({
    ...part,
    passed: Math.max(0, counts.ran! - part.failed),
    broken: verdict && `A browser ended with ${verdict} (karma).`,
  }),
  finish: (parts, lines) => [
    ...new Map(parts.map((part) => [/^(.*?): Executed /.exec(lines[part.to]!)?.[1]?.trim(), part])).values(),
  ],
}

const formats = [vitest, jest, mocha, nodeTest, playwright, bun, deno, ava, uvu, jasmine, karma]
export const javascript: readonly TextReader[] = formats.map(reader)
