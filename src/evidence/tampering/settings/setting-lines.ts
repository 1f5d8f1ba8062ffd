import type { Change, Changes } from '../changes.ts'
import { addedLines, removedLines } from '../changes.ts'
import type { TamperFinding, TamperKind } from '../finding.ts'
import { short } from '../finding.ts'

interface LineRule {
  readonly file: RegExp
  readonly line: RegExp
  readonly severity: 'block' | 'warn'
  readonly effect: string
  readonly kind?: TamperKind
  /** It turns off the task whose block contains it. */
  readonly ofTask?: boolean
}

const GRADLE = /\.gradle(?:\.kts)?$/
const RSPEC = /(?:^|\/)(?:\.rspec|\.rspec-local|spec_helper\.rb|rails_helper\.rb)$/

/** Settings in code or as bare options: what an added line does. */
const ADDED: readonly LineRule[] = [
  {
    file: GRADLE,
    line: /\bignoreFailures\s*=?\s*\(?\s*true|ignoreFailures\.set\(\s*true/,
    severity: 'block',
    effect: 'failing tests no longer fail the build',
  },
  {
    file: GRADLE,
    line: /\b(?:excludeTestsMatching|excludeTest|excludeTags|excludeCategories|excludeGroups)\b/,
    severity: 'block',
    effect: 'tests are left out',
    ofTask: true,
  },
  {
    file: GRADLE,
    line: /\b(?:includeTestsMatching|includeTags|includeCategories|includeTest)\b/,
    severity: 'block',
    effect: 'only some tests run',
    ofTask: true,
  },
  {
    file: GRADLE,
    line: /(?:^|[\s.{(])exclude\s*\(?\s*['"][^'"]*(?:[Tt]est|[Ss]pec|\*)[^'"]*['"]/,
    severity: 'block',
    effect: 'files are left out of the tests',
    ofTask: true,
  },
  {
    file: GRADLE,
    line: /\b(?:test|check|integrationTest)\b.*\benabled\s*=\s*false|(?:^|[{;\s])(?:enabled|onlyIf)\s*(?:=|\{)\s*false/,
    severity: 'block',
    effect: 'the test task is turned off',
    ofTask: true,
  },
  {
    file: GRADLE,
    line: /\bfailOnNoDiscoveredTests\s*=\s*false|\bfailOnNoMatchingTests\s*=?\s*\(?false/,
    severity: 'warn',
    effect: 'a run without any tests passes',
  },
  { file: GRADLE, line: /\bmaxRetries\b/, severity: 'warn', effect: 'failing tests are retried' },
  {
    file: RSPEC,
    line: /^--(?:tag|example|pattern|exclude-pattern|only-failures|next-failure|dry-run|failure-exit-code\s+0)|^-[tePE]\b/,
    severity: 'block',
    effect: 'only some examples run',
  },
  {
    file: RSPEC,
    line: /\b(?:filter_run_excluding|exclusion_filter|filter_run_including|filter_run\b(?!_when_matching)|inclusion_filter)\b/,
    severity: 'block',
    effect: 'only some examples run',
  },
  {
    file: RSPEC,
    line: /\bfailure_exit_code\s*=\s*0|\bdry_run\s*=\s*true/,
    severity: 'block',
    effect: 'failures are ignored',
  },
  {
    file: /(?:^|\/)Rakefile$|\.rake$/,
    line: /\bfail_on_error\s*=\s*false|\brspec_opts\b.*--(?:tag|example|failure-exit-code 0)|\bexclude_pattern\b|\bRAKE_NO_FAIL\b/,
    severity: 'block',
    effect: 'tests are left out, or their failures are ignored',
  },
  {
    file: /(?:^|\/)(?:Rakefile|[\w-]+\.rake)$/,
    line: /^sh .*\|\| ?true|\brescue nil|system \(? ?["'].*(?:rspec|rake test|minitest)/,
    severity: 'block',
    effect: 'a test failure is ignored',
    kind: 'exit-masked',
  },
  {
    file: /(?:^|\/)mocha\.opts$/,
    line: /^(?:--grep|-g|--fgrep|-f|--invert|--ignore|--exclude)\b/,
    severity: 'block',
    effect: 'only some tests run',
  },
  {
    file: /(?:^|\/)conftest\.py$/,
    line: /^collect_ignore(?:_glob)? (?:=(?! \[ \])|\+=)|\bcollect_ignore(?:_glob)? \. (?:append|extend)/,
    severity: 'block',
    effect: 'test files are not collected',
  },
  {
    file: /(?:^|\/)\.mvn\/(?:maven\.config|jvm\.config)$/,
    line: /-D(?:skipTests|maven\.test\.skip|maven\.test\.failure\.ignore|skipITs|test=)/,
    severity: 'block',
    effect: 'tests are skipped, or their failures are ignored',
  },
  {
    file: /(?:^|\/)(?:Directory\.Build\.(?:props|targets)|[\w.-]+\.csproj)$/,
    line: /<VSTestTestCaseFilter>|<ContinueOnError>true|IgnoreExitCode="true"/,
    severity: 'block',
    effect: 'tests are skipped, or their failures are ignored',
  },
]

/** Lines that weaken the settings when they are removed. */
const REMOVED: readonly LineRule[] = [
  {
    file: GRADLE,
    line: /\buseJUnitPlatform\b|\buseTestNG\b|\bfinalizedBy\b.*jacoco|\bdependsOn\b.*(?:test|jacocoTestCoverageVerification)/,
    severity: 'warn',
    effect: 'tests may no longer be found',
  },
  {
    file: /(?:^|\/)Rakefile$/,
    line: /^(?:RSpec :: Core :: RakeTask|Rake :: TestTask|task (?:default|test|spec)\b.*(?:test|spec))/,
    severity: 'warn',
    effect: 'a test task changed',
  },
]

const MOVED: LineRule = {
  file: GRADLE,
  line: /./,
  severity: 'warn',
  effect: 'a new task runs some of the tests',
}

/** Gradle tasks that test nothing. */
const OTHER_TASK =
  /^\s*(?=tasks\b|project\.tasks\b|\w+\s*\{).*(?:lint|detekt|spotless|dokka|javadoc|kdoc|license|publish|sign|format|animalSniffer|japicmp|shadow|proguard|\bjar|jmh|benchmark|cpd|pmd|spotbugs|checkstyle|xml|html|csv)/i
const OWN_TEST_TASK = /\b(?:register|registering|create|creating|task)\b.*\bTest\b/

/** The first lines of the blocks around a line, the innermost first. A block of one line is its own. */
function headsAround(text: string, line: number): readonly string[] {
  const lines = text.split('\n').slice(0, line)
  const depth = (each = '') => each.length - each.trimStart().length
  const own = lines.pop() ?? ''
  let at = depth(own)
  const around = lines.reverse().filter((each) => {
    const isHead = /\{\s*$/.test(each) && depth(each) < at
    if (isHead) at = depth(each)
    return isHead
  })
  return [/^[^{]*\{(?=.*\})/.exec(own)?.[0] ?? '', ...around].filter((head) => head !== '')
}

/** Whether the line is in the block of a task that tests nothing. */
function isOtherTask(text: string, line: number): boolean {
  const head = headsAround(text, line).find((each) => !/^\s*(?:use\w+|options|filter|onlyIf)\b/.test(each)) ?? ''
  return OTHER_TASK.test(head) && !/test|check|verif/i.test(head)
}

/** A new test task chooses its tests. What another task leaves out may be what it runs. */
function isSplit({ before = '', after = '' }: Change, text: string, line: number): boolean {
  const isNewTask = (each: number) =>
    headsAround(after, each).some((head) => OWN_TEST_TASK.test(head) && !before.includes(head.trim()))
  if (/\binclude/.test(text)) return isNewTask(line)
  const [, ...values] = /\bexclude(.*)/.exec(text)?.[1]?.split(/["']/) ?? []
  const wanted = values.filter((_, at) => at % 2 === 0)
  const lines = after.split('\n')
  const isIncluded = (value: string) =>
    lines.some((each, at) => /\binclude/.test(each) && /["']/.test(each) && each.includes(value) && isNewTask(at + 1))
  return wanted.length > 0 && wanted.every((value) => value !== '' && isIncluded(value)) && !isNewTask(line)
}

export function settingLineFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change) => {
    if (change.before === undefined) return []
    const finding = (rule: LineRule, line: number, text: string, side: 'before' | 'after'): TamperFinding => ({
      kind: rule.kind ?? 'runner-narrowed',
      severity: rule.severity,
      file: change.path,
      line,
      [side]: short(text),
      detail: `Test runner settings: ${rule.effect}. Undo this.`,
    })
    // Gradle files are read as plain lines: their blocks are in several languages.
    const language = GRADLE.test(change.path) ? undefined : change.language
    const added = ADDED.filter(({ file }) => file.test(change.path))
    const removed = REMOVED.filter(({ file }) => file.test(change.path))
    if (added.length + removed.length === 0) return []
    const addedHere = change.after === undefined ? [] : addedLines(change, language)
    const removedHere = removed.length === 0 ? [] : removedLines(change, language)
    return [
      ...addedHere.flatMap(({ text, line }) =>
        added
          .filter((rule) => rule.line.test(text) && !(rule.ofTask === true && isOtherTask(change.after!, line)))
          .slice(0, 1)
          .map((rule) =>
            finding(rule.ofTask === true && isSplit(change, text, line) ? MOVED : rule, line, text, 'after'),
          ),
      ),
      ...removedHere.flatMap(({ text, line }) =>
        removed
          .filter((rule) => rule.line.test(text) && !addedHere.some((other) => rule.line.test(other.text)))
          .map((rule) => finding(rule, line, text, 'before')),
      ),
    ]
  })
}
