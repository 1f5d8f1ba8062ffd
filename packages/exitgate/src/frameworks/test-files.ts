import { callsBoundTest } from '../code/bound-test-functions.ts'

/** The languages whose tests are parsed, not only counted as files. TypeScript is parsed as JavaScript. */
export type Language = 'javascript' | 'python' | 'go' | 'rust' | 'java' | 'kotlin' | 'csharp' | 'ruby' | 'php'

const LANGUAGES: readonly [Language, RegExp][] = [
  ['javascript', /\.(?:[cm]?[jt]sx?)$/i],
  ['python', /\.pyi?$/i],
  ['go', /\.go$/i],
  ['rust', /\.rs$/i],
  ['java', /\.java$/i],
  ['kotlin', /\.kts?$/i],
  ['csharp', /\.cs$/i],
  ['ruby', /(?:\.(?:rb|rake|ru)|(?:^|\/)Rakefile)$/i],
  ['php', /\.(?:php|phpt|inc)$/i],
]

/** Language of a source file, by its name. */
export function languageOf(path: string): Language | undefined {
  return LANGUAGES.find(([, pattern]) => pattern.test(path))?.[0]
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Not the project's own source: generated, downloaded or built. */
const FOREIGN = /(?:^|\/)(?:node_modules|bower_components|vendor|dist|build|target|\.venv|venv|site-packages|\.git)\//
/** Folders with tests and what tests need. */
const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress|integration[-_]?tests?|[\w.-]*\.(?:tests?|specs?))\//i
/** Next to the tests, but data or shared code without tests of its own. */
const SUPPORT =
  /(?:^|\/)(?:fixtures?|__fixtures__|__mocks__|__snapshots__|snapshots?|testdata|data|support|helpers?|factories|golden|goldens|cassettes|resources|stubs?)\//i

/** File names that runners collect by default, one pattern per language. */
const TEST_NAMES: Readonly<Record<Language, RegExp>> = {
  javascript:
    /(?:[._-](?:test|tests|spec|specs|cy|e2e|it)(?:-d)?|^tests?|^specs?)\.[cm]?[jt]sx?$|^test[._-].*\.[cm]?[jt]sx?$/i,
  python: /^(?:test.*|.*_tests?)\.py$/,
  go: /_test\.go$/,
  rust: /^(?:tests?|.*_tests?|test_.*)\.rs$/,
  java: /(?:^Test.*|.*(?:Test|Tests|TestCase|IT|Spec|Specs))\.java$/,
  kotlin: /(?:^Test.*|.*(?:Test|Tests|TestCase|IT|Spec|Specs))\.kt$/,
  csharp: /(?:Tests?|Specs?|Fixture|Should|Facts)\.cs$/,
  ruby: /(?:_spec|_test)\.rb$|^test_.*\.rb$/,
  php: /(?:Test|Cest|TestCase)\.php$|\.phpt$/,
}

/** Tests of runners whose files we do not parse: deleting one still counts. */
const OTHER_TESTS =
  /\.bats$|_test\.exs$|_test\.dart$|Tests?\.swift$|Spec\.scala$|Test\.scala$|Spec\.groovy$|_test\.(?:cc|cpp|c)$|_spec\.lua$|\.feature$|\.t$|\.Tests\.ps1$|_test\.clj[cs]?$|_(?:SUITE|tests)\.erl$|Spec\.hs$|_spec\.cr$|(?:^|\/)(?:tests?_[^/]*\.(?:cc|cpp|c)|test[-_][^/]*\.[rR]|runtests\.jl)$|_unittest\.(?:cc|cpp)$/

/** Marks of a test inside a file whose name gives no clue. */
const TEST_MARKS: Readonly<Partial<Record<Language, RegExp>>> = {
  javascript:
    /(?:^|\n)\s*(?:describe|it|test|suite|context|specify|QUnit\.test|Deno\.test)(?:\.\w+)*\s*\(\s*['"`]|import\.meta\.vitest|\b(?:from|require\()\s*['"](?:tap|tape|libtap|@tapjs\/\w+|zora|brittle|supertape|tsd|tstyche)['"]/,
  python: /(?:^|\n)\s*(?:async\s+)?def\s+test_\w+|\(unittest\.TestCase\)/,
  rust: /#\[(?:[\w:]+::)?(?:test|rstest|test_case|quickcheck)\b|#\[cfg\(test\)\]|(?:^|\n)\w*test\w*!\s*[({]/,
  java: /@(?:Test|ParameterizedTest|RepeatedTest)\b/,
  kotlin:
    /@(?:Test|ParameterizedTest)\b|:\s*(?:FunSpec|StringSpec|DescribeSpec|BehaviorSpec|ShouldSpec|WordSpec|FreeSpec)\b/,
  csharp: /\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/,
  ruby: /(?:^|\n)\s*(?:RSpec\.)?(?:describe|context|it|specify|feature|scenario)\s*\(?\s*['"A-Z]|<\s*(?:Minitest::Test|Test::Unit::TestCase|ActiveSupport::TestCase)/,
  php: /extends\s+\w*TestCase\b|function\s+test\w*\s*\(|(?:^|\n)\s*(?:it|test)\(\s*['"]/,
}

/**
 * Whether a runner would collect tests from this file. Without the text, only the name decides. With it, a file in a test folder
 * counts if it contains tests, and so does a Rust source file.
 */
export function isTestFile(path: string, text?: string): boolean {
  const language = languageOf(path)
  if (FOREIGN.test(path) || isRunnerConfig(path)) return false
  if (language === undefined) return OTHER_TESTS.test(path)
  const name = nameOf(path)
  if (SUPPORT.test(path) && !TEST_NAMES[language].test(name)) return text !== undefined && marked(language, text)
  if (language === 'python' && name === 'testing.py') return text !== undefined && marked(language, text)
  if (TEST_NAMES[language].test(name)) return !(name === '__init__.py' || name === 'conftest.py')
  if (text === undefined) return inTestFolder(path) && language === 'rust' && /(?:^|\/)tests\/[^/]+\.rs$/.test(path)
  if (language === 'rust' || inTestFolder(path)) return marked(language, text)
  return language === 'javascript' && text.includes('import.meta.vitest')
}

const marked = (language: Language, text: string) =>
  TEST_MARKS[language]?.test(text) === true || (language === 'javascript' && callsBoundTest(text))
/** Whether this text contains tests, by the marks of its language; always true for other languages. */
export function holdsTests(path: string, text: string): boolean {
  const language = languageOf(path)
  if (language === 'python' && !/\bassert|TestCase|pytest|unittest/.test(text)) return false
  return language === undefined
    ? isTestFile(path)
    : language === 'go'
      ? /\bfunc (?:\([^)]*\) )?Test/.test(text)
      : marked(language, text)
}

/** `UnitTests/`, `jvmTest/`: .NET and Kotlin name their folders so. */
const CAPITAL_FOLDER = /(?:^|\/)[\w.-]*(?:Tests?|Specs?)\/.*\.(?:cs|kts?|java)$/
const inTestFolder = (path: string) => TEST_FOLDER.test(path) || CAPITAL_FOLDER.test(path)

/** Whether the language's runners would find the file by its name; always true if they don't go by name. */
export function hasTestName(path: string): boolean {
  const language = languageOf(path)
  const byName = language === 'python' || language === 'ruby' || language === 'php' || language === 'go'
  return !byName || TEST_NAMES[language].test(nameOf(path))
}

/** Test code in the wider sense: the tests, and the files next to them that support them. */
export function isTestSupport(path: string, text?: string): boolean {
  return (
    isTestFile(path, text) ||
    inTestFolder(path) ||
    /^(?:conftest\.py|spec_helper\.rb|rails_helper\.rb|test_helper\.rb)$/.test(nameOf(path))
  )
}

const RUNNER_CONFIGS = [
  /^(?:vitest|vite|jest|playwright|cypress|karma|wdio|ava|tap|jasmine|testcafe|nightwatch|web-test-runner)\.(?:[\w-]+\.)?(?:config|conf|workspace)\.[\w]+$/,
  /^(?:vitest\.workspace\.[\w]+|\.mocharc(?:\.[\w]+)?|\.taprc|\.c8rc(?:\.json)?|\.nycrc(?:\.[\w]+)?|jasmine\.json|bunfig\.toml|deno\.jsonc?|cypress\.json|mocha\.opts|karma\.conf\.js)$/,
  /^(?:pytest\.ini|\.pytest\.ini|\.?pytest\.toml|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|\.coveragerc|conftest\.py)$/,
  /^(?:Cargo\.toml|nextest\.toml|pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties|testng\.xml|junit-platform\.properties)$/,
  /\.(?:runsettings|csproj)$|^(?:Directory\.Build\.props|xunit\.runner\.json|phpunit\.xml(?:\.dist)?|phpunit\.dist\.xml|\.rspec|Rakefile|package\.json|composer\.json)$/,
]
/** One combined pattern, because every file of the repository is matched against it. */
const RUNNER_CONFIG = new RegExp(RUNNER_CONFIGS.map(({ source }) => source).join('|'))

/** A file that configures which tests run and what passes. */
export function isRunnerConfig(path: string): boolean {
  return RUNNER_CONFIG.test(nameOf(path)) && !/(?:^|\/)node_modules\//.test(path)
}

const CI_FILES =
  /(?:^|\/)(?:\.github\/workflows\/[^/]+\.ya?ml|\.github\/actions\/.+\.ya?ml|\.gitlab-ci\.ya?ml|\.gitlab\/.+\.ya?ml|\.circleci\/config\.ya?ml|azure-pipelines[\w.-]*\.ya?ml|\.travis\.ya?ml|appveyor\.ya?ml|\.appveyor\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.woodpecker(?:\/.+)?\.ya?ml|\.buildkite\/.+\.ya?ml|cloudbuild\.ya?ml|\.cirrus\.ya?ml|Jenkinsfile[\w.-]*|\.ci\/[^/]+|\.forgejo\/workflows\/[^/]+|\.gitea\/workflows\/[^/]+)$/

/** A file that configures what a CI service runs. */
export function isCiFile(path: string): boolean {
  return CI_FILES.test(path)
}

const SNAPSHOTS =
  /(?:\.snap|\.ambr|\.snap\.new|\.pending-snap|\.approved\.\w+|\.verified\.\w+|\.golden)$|(?:^|\/)(?:__snapshots__|__image_snapshots__)\/|-snapshots\/[^/]+$/

/** A recorded expectation that a runner rewrites on request. */
export function isSnapshot(path: string): boolean {
  return SNAPSHOTS.test(path)
}
