import { emptyPart, type Format, reader } from '../format.ts'
import type { Part, TestState, TextReader } from '../types.ts'
import { byState, numbersIn } from '../words.ts'

/** JUnit's own console programs and TestNG: old ones end with one line, the newest with a table. */
const junitConsole: Format = {
  framework: 'junit',
  hints: ['OK (', 'Tests run:', 'Total tests run:', ' tests successful '],
  summary: [
    /^OK \((?<all>\d+) tests?\)\s*$/,
    /^Tests run: (?<all>\d+),\s+Failures: (?<failures>\d+)\s*$/,
    /^\s*Total tests run: (?<all>\d+)(?:, Passes: \d+)?, Failures: (?<failures>\d+), Skips: (?<skips>\d+)\s*$/,
    /^\[ +(?<number>\d+) (?<word>tests failed) +\]\s*$/,
  ],
  more: {
    line: /^\[ +(?<number>\d+) (?<word>(?:tests|containers) (?:found|skipped|started|aborted|successful|failed)) +\]\s*$/,
    above: 12,
  },
  words: {
    ...{ 'tests found': 'total', 'tests successful': 'passed', 'tests skipped': 'skipped', 'tests aborted': 'skipped' },
    'containers failed': 'outside',
  },
}

/** ScalaTest and munit under sbt. */
const scalatest: Format = {
  framework: 'scalatest',
  hints: ['Tests: succeeded ', 'Passed: Total ', 'Failed: Total ', 'Error: Total '],
  summary: [
    /^(?:\[\w+\] )?Tests: succeeded (?<passed>\d+), failed (?<failed>\d+), canceled (?<canceled>\d+), ignored (?<ignored>\d+), pending (?<pending>\d+)\s*$/,
    /^(?:\[\w+\] )?(?<verdict>Passed|Failed|Error): Total \d+, Failed (?<failed>\d+), Errors (?<errors>\d+), Passed (?<passed>\d+)(?:, (?:Skipped|Ignored) (?<skipped>\d+))?.*$/,
  ],
}

/** Some plugins and loggers state their counts: what they found by word, or how many ran and which of them did not pass. */
const GRADLE_COUNTS: readonly RegExp[] = [
  /^(?<all>\d+) tests? completed(?<counts>(?:, \d+ (?:failed|skipped))*)\s*$/,
  /^\s*(?:\|\s*)?Results: (?:SUCCESS|FAILURE|SKIPPED) \((?<counts>.*)\)/,
  /^\s*(?:SUCCESS|FAILURE): Executed (?<all>\d+) tests? in .*?(?: \((?<counts>.*)\))?\s*$/,
]
/** Repeated as progress; the last one counts. */
const GRADLE_DEVICE = /^Tests (?<all>\d+)\/\d+ completed\. \((?<skipped>\d+) skipped\) \((?<failed>\d+) failed\)/

/** The counts that a line of a build states. */
function countsOfGradle(line: string, patterns: readonly RegExp[]): readonly Record<TestState, number>[] {
  const groups = patterns.map((pattern) => pattern.exec(line)?.groups).find(Boolean)
  if (groups === undefined) return []
  const counts = { ...numbersIn(groups.counts ?? ''), ...groups } as Record<string, number | undefined>
  const [failed, skipped] = [Number(counts.failed ?? counts.failures ?? 0), Number(counts.skipped ?? 0)]
  const passed =
    counts.all === undefined ? (counts.passed ?? counts.successes ?? 0) : Number(counts.all) - failed - skipped
  return [{ passed, failed, skipped }]
}

/** Gradle prints BUILD SUCCESSFUL even without tests: only counted tests prove something. */
const gradle: Format = {
  framework: 'gradle',
  hints: ['BUILD SUCCESSFUL', 'BUILD FAILED', '> Task :', 'tests completed'],
  first:
    /^\d+ tests? completed|^\S.*? > .*? (?:PASSED|FAILED|SKIPPED)(?: \([^)]*\))?\s*$|^> Task \S+?(?: \S+)?\s*$|^:\S+?(?: (?:UP-TO-DATE|NO-SOURCE|FAILED))?\s*$/,
  summary: /^BUILD (?<verdict>SUCCESSFUL|FAILED)(?: in |\s*$)/,
  tests: [{ line: /^(?<name>\S.*? > .*?) (?<sign>PASSED|FAILED|SKIPPED)(?: \([^)]*\))?\s*$/ }],
  unfinished: 'unproven',
  settle: (part, { lines, from, at, tests }) => {
    const within = lines.slice(from, at)
    const device = within.findLast((line) => GRADLE_DEVICE.test(line)) ?? ''
    const stated = [
      ...within.flatMap((line) => countsOfGradle(line, GRADLE_COUNTS)),
      ...countsOfGradle(device, [GRADLE_DEVICE]),
    ]
    const sum = (state: TestState) => stated.reduce((all, counts) => all + counts[state], 0)
    const listed = byState(tests.list())
    const isStated = sum('passed') + sum('failed') >= listed.passed + listed.failed && stated.length > 0
    const counts = isStated ? { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') } : listed
    const none = counts.passed + counts.failed + counts.skipped === 0
    return {
      ...{ ...part, ...counts },
      broken: counts.failed === 0 ? part.broken : undefined,
      unproven: none ? 'The build lists no tests (gradle).' : undefined,
    }
  },
  finish: (parts, lines) => {
    const after = parts.at(-1)?.to ?? -1
    const open = lines.findIndex((line, at) => at > after && (/^> Task :/.test(line) || GRADLE_COUNTS[0]!.test(line)))
    const cut = {
      ...emptyPart('gradle', open, lines.length - 1),
      unproven: 'The end of the build is missing (gradle).',
    }
    return (open < 0 ? parts : [...parts, cut]).map((part) => ({ ...part, wrapper: true as const }))
  },
}

const LEVEL = '(?:\\[(?:INFO|WARNING|ERROR|DEBUG)\\] |\\s*\\[junit\\] )?'
const SUREFIRE = new RegExp(
  `^${LEVEL}\\s*(Tests run: *\\d+, *Failures: *\\d+, *Errors: *\\d+(?:, *Skipped: *\\d+)?(?:, *Flakes: *\\d+)?)(, *Time elapsed: .*|\\s*)$`,
)

const MAVEN_CRASHED =
  /The forked VM terminated without (?:saying )?properly|There was a timeout or other error in the fork|COMPILATION ERROR/

/** The total of a module covers its classes; without one (ant, a broken end) the classes are added. `to` is the last of them. */
function mavenPart(part: Part, lines: readonly string[], from: number): Part & { readonly last: number } {
  let modules: Record<string, number>[] = []
  let classes: Record<string, number>[] = []
  let crashed: string | undefined
  let last = -1
  for (let at = from; at <= part.to; at += 1) {
    if (MAVEN_CRASHED.test(lines[at]!)) crashed ??= `${lines[at]!.trim().slice(0, 150)} (maven)`
    const [, counts, time = ''] = SUREFIRE.exec(lines[at]!) ?? []
    if (counts === undefined) continue
    last = at
    if (time.trim() !== '') classes.push(numbersIn(counts))
    else [modules, classes] = [[...modules, numbersIn(counts)], []]
  }
  const sum = (name: string) => [...modules, ...classes].reduce((all, counts) => all + (counts[name] ?? 0), 0)
  const [failed, skipped] = [sum('failures') + sum('errors'), sum('skipped')]
  const broken = (failed === 0 ? part.broken : undefined) ?? crashed
  const passed = Math.max(0, sum('tests run') - failed - skipped)
  return { ...part, passed, failed, skipped, broken, wrapper: true, last }
}

/** Surefire and failsafe under Maven, and the same lines from ant. */
const maven: Format = {
  framework: 'surefire',
  hints: ['Tests run:', 'BUILD SUCCESS', 'BUILD FAILURE'],
  first: new RegExp(`^${LEVEL}\\s*(?:T E S T S\\s*$|Running \\S+\\s*$)|${SUREFIRE.source}`),
  summary: /^\[(?:INFO|ERROR)\] BUILD (?<verdict>SUCCESS|FAILURE)\s*$/,
  tests: [
    {
      line: new RegExp(
        `^${LEVEL}\\s*(?<name>(?!Tests )\\S+)(?: +-- | {2,}| )Time elapsed: .*<<< (?:FAILURE|ERROR)!\\s*$`,
      ),
      state: 'failed',
    },
  ],
  settle: (part, { lines, from }) => mavenPart(part, lines, from),
  finish: (parts, lines) => {
    const after = (parts.at(-1)?.to ?? -1) + 1
    const part = mavenPart(emptyPart('surefire', after, lines.length - 1), lines, after)
    if (part.last < 0) return parts
    const cut = lines.slice(after).some((line) => /^\[INFO\] (?:Scanning for projects|Building \S)/.test(line))
    const unproven = cut ? 'The end of the build is missing (maven).' : undefined
    const from = lines.findIndex((line, at) => at >= after && maven.first!.test(line))
    // What follows the last count of an open build is not part of it.
    return [...parts, { ...part, from, to: part.last, unproven }]
  },
}

/** These codes are the same in every language. A project that does not compile is not tested. */
const BUILD_ERROR = /(?:^|[\s:])error (?:CS|FS|BC|MSB|NU|NETSDK|CA|VSTEST|TESTERROR|TESTRUNABORT)\d*\s?:/
const ABORTED =
  /^\s*(?:Build FAILED\.|The active test run was aborted|Test Run Aborted|Test host process crashed|Testhost process .* exited with error|Unhandled exception\. )/

/**
 * `Passed! - Failed: 0, Passed: 23, Skipped: 0, Total: 23, Duration: 2 s - X.dll (net10.0)`: the words are in the language of the
 * machine, the order of the numbers is fixed. Or `Total tests: 5`, or the block of the newer test platform.
 */
const dotnet: Format = {
  framework: 'dotnet test',
  hints: ['.dll', 'Total tests: ', 'Test run summary: '],
  first: /^\s*Test run for .*\.(?:dll|exe)\b/,
  summary: [
    /^\s*\S[^!！]{0,40}[!！].*?(?<failed>\d+)\D+?(?<passed>\d+)\D+?(?<skipped>\d+)\D+?(?<total>\d+)\s*[,，、;].*\.(?:dll|exe)\b/,
    /^\s*Total tests: (?<total>\d+)(?:\. (?<counts>.*))?\s*$/,
    /^\s*Test run summary: (?<verdict>\S+?)!?(?: .*)?$/,
  ],
  more: {
    line: /^\s+(?<word>total|failed|succeeded|skipped|Passed|Failed|Skipped|Total time)\s*: *(?<number>\d+)/,
    below: 7,
  },
  needs: ['total'],
  tests: [{ line: /^\s{2,}(?<sign>Passed|Failed|Skipped) (?<name>\S.*?) \[[^\]]*\]\s*$/ }],
  settle: (part, { lines, at }) => {
    const { passed, failed, skipped, total } = part
    const isAssembly = !/^\s*(?:Total tests|Test run summary): /.test(lines[at]!)
    return isAssembly && passed + failed + skipped !== total ? undefined : part
  },
  finish: (parts, lines) => {
    const begun =
      lines.filter((line) => /^\s*Test run for .*\.(?:dll|exe)\b/.test(line)).length -
      lines.filter((line) => /^\s*No test (?:is available in|matches the given testcase filter)/.test(line)).length
    const error = lines.findIndex((line) => BUILD_ERROR.test(line) || ABORTED.test(line))
    const isDotnet = parts.length > 0 || begun > 0 || /error (?:CS|FS|BC|MSB|NETSDK)\d/.test(lines[error] ?? '')
    if (error >= 0 && isDotnet) {
      const broken = `A project did not build or run: ${lines[error]!.trim().slice(0, 200)}`
      return [...parts, { ...emptyPart('dotnet test', error, error), suitesFailed: 1, broken }]
    }
    if (begun <= parts.length || parts.length === 0) return parts
    const unproven = `${begun} assemblies started, ${parts.length} gave a result (dotnet test).`
    return [...parts, { ...emptyPart('dotnet test', lines.length - 1, lines.length - 1), unproven }]
  },
}

export const managed: readonly TextReader[] = [dotnet, gradle, maven, junitConsole, scalatest].map(reader)
