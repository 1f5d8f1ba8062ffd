import type { Setting } from '../finding.ts'

/** How a setting affects what is tested. */
export type Meaning =
  /** Added values leave tests out. */
  | 'excludes'
  /** Removed or narrowed values leave tests out. */
  | 'includes'
  /** A lower number requires less. */
  | 'threshold'
  /** Options as on a command line. */
  | 'options'
  /** True lets a failing or empty run pass. */
  | 'lets-pass'
  /** Must stay true if it was true before. */
  | 'strict'
  | 'retries'
  /** A program that processes tests or their results. */
  | 'program'

export interface Rule {
  readonly key: RegExp
  readonly meaning: Meaning
  /** Only in matching files. */
  readonly file?: RegExp
  readonly severity?: 'block' | 'warn'
}

/** The values of one key, before and after. */
export interface SettingChange {
  readonly file: string
  readonly key: string
  readonly rule: Rule
  readonly was: readonly Setting[]
  readonly now: readonly Setting[]
  /** Whether another project in the same file runs what this setting leaves out. */
  readonly otherProjects?: (excluded: Setting, matches: (pattern: string) => boolean) => boolean
}

const JS = /\.(?:[cm]?[jt]s|jsonc?|ya?ml|json5)$|rc$/
const PYTHON = /(?:py(?:project|test)\.toml|\.ini|setup\.cfg|\.coveragerc)$/
const CARGO = /Cargo\.toml$/
const POM = /pom\.xml$/
const PHPUNIT = /phpunit[\w.]*\.(?:xml|dist)$|phpunit\.xml\.dist$/

/** The first matching rule decides. Keys are dotted, without list indexes. */
export const RULES: readonly Rule[] = [
  {
    key: /(?:^|\.)(?:coverage|collectCoverageFrom|nyc|c8|coverageProvider)(?:\.|$).*(?:exclude|include|ignore)|(?:^|\.)(?:collectCoverageFrom|coveragePathIgnorePatterns)$|^(?:tool\.coverage\.|run\.|report\.).*(?:omit|source|exclude\w*)$/i,
    meaning: 'excludes',
    severity: 'warn',
  },
  {
    key: /(?:^|\.)(?:coverageThreshold|thresholds?|check-coverage|watermarks)(?:\.|$)|(?:^|\.)(?:branches|functions|lines|statements|perFile)$/i,
    meaning: 'threshold',
    file: JS,
  },
  { key: /(?:^|\.)(?:fail_under|cov_fail_under)$/i, meaning: 'threshold', file: PYTHON },
  {
    key: /\.(?:rules?\.)?limits?\.limit\.minimum$|\.(?:minimum|coverage\.threshold|lineRate|branchRate)$/i,
    meaning: 'threshold',
    file: /pom\.xml$/,
  },
  {
    key: /(?:^|\.)(?:codecov|coverage\.status\..*\.(?:target|threshold))$/i,
    meaning: 'threshold',
    file: /codecov\.ya?ml$/,
  },
  { key: /Threshold$/, meaning: 'threshold', file: /\.(?:csproj|props|runsettings)$/ },
  {
    key: /(?:^|\.)(?:passWithNoTests|allowOnly|dangerouslyIgnoreUnhandledErrors|allowUncaught|allow-empty-coverage|allow-incomplete-coverage|disable-coverage)$/i,
    meaning: 'lets-pass',
    file: JS,
  },
  { key: /(?:^|\.)(?:forceExit|bail)$/, meaning: 'lets-pass', file: JS, severity: 'warn' },
  {
    key: /(?:^|\.)(?:forbidOnly|forbid-only|forbid-pending|failOnFlakyTests|failZero|fail-zero|injectGlobals|errorOnDeprecated)$/,
    meaning: 'strict',
    file: JS,
  },
  {
    key: /(?:^|\.)(?:updateSnapshots?|update)$/,
    meaning: 'lets-pass',
    file: /(?:^|\/)(?:vitest|jest|playwright)\.config[\w.-]*$/,
  },
  { key: /(?:^|\.)(?:retries|retry|retryTimes|reruns)(?:\.\w+)?$/i, meaning: 'retries' },
  { key: /(?:^|\.)(?:testRunner|runner|testSequencer|resolver|testResultsProcessor)$/, meaning: 'program', file: JS },
  {
    key: /(?:^|\.)(?:testPathIgnorePatterns|modulePathIgnorePatterns|excludeSpecPattern|testIgnore|ignoreTestFiles|watchIgnore|grepInvert)$/,
    meaning: 'excludes',
    file: JS,
  },
  {
    key: /(?:^|\.)(?:test\.)?(?:exclude|ignore|ignores)$/,
    meaning: 'excludes',
    file: /(?:^|\/)\.?(?:vitest|vite|jest|playwright|cypress|karma|ava|tap|wdio|mocha|deno|bunfig|web-test-runner|jasmine|taprc)[\w.-]*$/,
  },
  {
    key: /(?:^|\.)(?:testMatch|testRegex|roots|testDir|specPattern|spec_files|specs?|testFiles|projects|testNamePattern|grep|testNameMatch)$/,
    meaning: 'includes',
    file: JS,
  },
  {
    key: /(?:^|\.)(?:test\.)?(?:include|includeSource|files|dir)$/,
    meaning: 'includes',
    file: /(?:^|\/)\.?(?:vitest|vite|ava|tap|deno|karma|wdio|web-test-runner|bunfig|taprc)[\w.-]*$/,
  },
  {
    key: /^(?:jest|ava|mocha|tap|c8|nyc|vitest)\..*(?:ignore|exclude)\w*$/i,
    meaning: 'excludes',
    file: /package\.json$/,
  },
  { key: /^(?:ava|mocha|tap)\.(?:files|spec)$/, meaning: 'includes', file: /package\.json$/ },
  { key: /(?:^|\.)addopts$/, meaning: 'options', file: PYTHON },
  { key: /(?:^|\.)(?:testpaths|python_files|python_classes|python_functions)$/, meaning: 'includes', file: PYTHON },
  { key: /(?:^|\.)(?:norecursedirs|collect_ignore|collect_ignore_glob)$/, meaning: 'excludes', file: PYTHON },
  {
    key: /(?:^|\.)(?:xfail_strict|strict|strict_markers|strict_config)$/,
    meaning: 'strict',
    file: PYTHON,
    severity: 'warn',
  },
  {
    key: /^(?:lib|bin|test)(?:\.\d+)?\.(?:test|harness|doctest)$|^package\.autotests$/,
    meaning: 'strict',
    file: CARGO,
  },
  {
    key: /(?:skipTests|maven\.test\.skip|skipITs|testFailureIgnore|skipSurefire)$|plugin\([^)]*(?:surefire|failsafe|test|jacoco|invoker|cucumber|karma|pitest)[^)]*\).*configuration\.skip$/,
    meaning: 'lets-pass',
    file: POM,
  },
  {
    key: /(?:maven\.test\.failure\.ignore|skipTests|maven\.test\.skip)$/,
    meaning: 'lets-pass',
    file: /\.properties$|maven\.config$/,
  },
  {
    key: /plugin\((?:maven-)?(?:surefire|failsafe|tycho-surefire)[^)]*\).*configuration\.excludes\.exclude$|\.excludedGroups$|\.excludesFile$/,
    meaning: 'excludes',
    file: POM,
  },
  {
    key: /plugin\((?:maven-)?(?:surefire|failsafe)[^)]*\).*configuration\.includes\.include$|plugin\((?:maven-)?(?:surefire|failsafe)[^)]*\).*configuration\.(?:groups|test|testSourceDirectory|suiteXmlFiles\.suiteXmlFile)$|build\.testSourceDirectory$|modules\.module$/,
    meaning: 'includes',
    file: POM,
  },
  { key: /rerunFailingTestsCount$/, meaning: 'retries', file: POM },
  { key: /testsuites?\.(?:testsuite\.)?exclude$|groups\.exclude\.group$/, meaning: 'excludes', file: PHPUNIT },
  { key: /testsuite\.(?:directory|file)$|groups\.include\.group$/, meaning: 'includes', file: PHPUNIT },
  {
    key: /@(?:failOnWarning|failOnRisky|failOnEmptyTestSuite|failOnSkipped|failOnIncomplete|beStrictAbout\w+)$/,
    meaning: 'strict',
    file: PHPUNIT,
  },
  { key: /(?:IsTestProject|RunAnalyzers|TreatWarningsAsErrors)$/, meaning: 'strict', file: /\.(?:csproj|props)$/ },
  { key: /TestCaseFilter$/, meaning: 'includes', file: /\.runsettings$/ },
  { key: /Compile@Remove$/, meaning: 'excludes', file: /\.csproj$/ },
  {
    key: /^junit\.jupiter\.conditions\.deactivate$|^junit\.jupiter\.extensions\.autodetection\.enabled$/,
    meaning: 'lets-pass',
    severity: 'warn',
  },
]
