import { isTestSupport, type Language, languageOf } from '../frameworks/test-files.ts'

/** A comment or an attribute that tells a checker to keep quiet about code. */
export interface Suppression {
  /** What it silences. */
  readonly tool: string
  readonly line: number
  /** From its beginning to the end of the line. */
  readonly text: string
}

/** The mark for each tool, after the beginning of a comment where it is one. */
const JAVASCRIPT: readonly (readonly [tool: string, mark: RegExp])[] = [
  ['TypeScript', /(?:\/\/|\/\*|\{\/\*)[\s*]*@ts-(?:ignore|nocheck|expect-error)\b/],
  ['ESLint', /(?:\/\/|\/\*)[\s*]*eslint-disable\b|\/\*[\s*]*eslint [\w@/-]+\s*:\s*(?:0|["']?off)\b/],
  ['Biome', /(?:\/\/|\/\*)[\s*]*(?:biome|rome)-ignore\b/],
  ['oxlint', /(?:\/\/|\/\*)[\s*]*oxlint-disable\b/],
  ['Deno', /\/\/[\s*]*deno-lint-ignore\b/],
  ['TSLint', /(?:\/\/|\/\*)[\s*]*tslint:disable\b/],
  ['Flow', /(?:\/\/|\/\*)[\s*]*(?:\$Flow(?:FixMe|Ignore|ExpectedError|Issue)|@noflow)\b/],
]
const JVM: typeof JAVASCRIPT = [
  ['the compiler', /@(?:file:)?Suppress(?:Warnings)?\s*\(/],
  ['SpotBugs', /@SuppressF(?:B|indBugs)Warnings\b/],
  ['Checkstyle', /(?:\/\/|\/\*)\s*CHECKSTYLE[:. ]\s*(?:OFF|SUPPRESS)/i],
  ['PMD', /\/\/.*\bNOPMD\b/],
  ['SonarQube', /\/\/.*\bNOSONAR\b/],
  ['the IDE', /\/\/\s*noinspection\b/],
  ['ktlint', /(?:\/\/|\/\*)\s*ktlint-disable\b/],
]
const MARKS: Readonly<Record<Language, typeof JAVASCRIPT>> = {
  javascript: JAVASCRIPT,
  python: [
    ['flake8', /#\s*(?:flake8[:=]\s*)?noqa\b/i],
    ['ruff', /#\s*ruff:\s*(?:noqa|isort:\s*skip|ignore)\b/i],
    ['mypy', /#\s*type:\s*ignore\b|#\s*mypy:\s*(?:ignore[-_]errors|disable[-_]error[-_]code|allow[-_])/],
    ['pyright', /#\s*pyright:\s*(?:ignore\b|basic\b|report\w+\s*=\s*(?:false|none))/],
    ['pylint', /#\s*pylint:\s*(?:disable|skip-file)\b/],
    ['bandit', /#\s*nosec\b/],
    ['ty', /#\s*ty:\s*ignore\b/],
  ],
  go: [
    ['golangci-lint', /\/\/\s*nolint\b/],
    ['staticcheck', /\/\/lint:(?:file-)?ignore\b/],
    ['gosec', /(?:\/\/|\/\*)\s*#nosec\b/],
  ],
  rust: [['Clippy', /#!?\[\s*(?:cfg_attr\s*\([^\]]*,\s*)?(?:allow|expect)\s*\(/]],
  java: JVM,
  kotlin: JVM,
  csharp: [
    ['the compiler', /^\s*#(?:pragma\s+warning\s+disable|nullable\s+disable)\b/],
    ['the analyzers', /\[(?:assembly:\s*)?(?:\w+\.)*SuppressMessage\b/],
  ],
  ruby: [
    ['RuboCop', /#\s*rubocop\s*:\s*(?:disable|todo)\b/],
    ['Sorbet', /#\s*typed:\s*(?:ignore|false)\b/],
    ['Steep', /#\s*steep:ignore\b/],
    ['Reek', /#\s*:reek:/],
  ],
  php: [
    ['PHPStan', /@phpstan-ignore\b/],
    ['Psalm', /@psalm-suppress\b/],
    ['PHP_CodeSniffer', /(?:\/\/|#|\/\*|\*)\s*(?:phpcs:(?:ignore|disable)|@codingStandardsIgnore)/],
    ['Phan', /@phan-(?:file-)?suppress\b/],
  ],
}
const OTHERS: readonly (readonly [path: RegExp, marks: typeof JAVASCRIPT])[] = [
  [
    /\.(?:c|cc|cpp|cxx|h|hpp|m|mm)$/,
    [
      ['clang-tidy', /(?:\/\/|\/\*)\s*NOLINT/],
      ['the compiler', /#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored\b|#\s*pragma\s+warning\s*\(\s*disable/],
    ],
  ],
  [/\.(?:sh|bash|bats)$/, [['ShellCheck', /#\s*shellcheck\s+disable=/]]],
  [/\.(?:css|scss|less)$/, [['Stylelint', /\/[*/]\s*stylelint-disable\b/]]],
  [
    /\.(?:vue|svelte|astro)$/,
    [...JAVASCRIPT, ['Svelte', /<!--\s*svelte-ignore\b/], ['ESLint', /<!--\s*eslint-disable\b/]],
  ],
  [/\.swift$/, [['SwiftLint', /\/\/\s*swiftlint:disable\b/]]],
  [/\.exs?$/, [['Credo', /#\s*credo:disable\b/]]],
  [/\.lua$/, [['luacheck', /--\s*luacheck:\s*(?:ignore|no |push)/]]],
  [/\.p[lm]$/, [['Perl::Critic', /##\s*no critic\b/]]],
]

/** Every suppression in a source file. One that a test of types needs in order to fail is none. */
export function suppressionsIn(path: string, text: string): readonly Suppression[] {
  const language = languageOf(path)
  const marks = language === undefined ? OTHERS.find(([files]) => files.test(path))?.[1] : MARKS[language]
  if (marks === undefined || !HINT.test(text)) return []
  const isTest = isTestSupport(path, text)
  return text.split('\n').flatMap((line, at) =>
    marks.flatMap(([tool, mark]): readonly Suppression[] => {
      const found = mark.exec(line)
      if (found === null || (isTest && found[0].endsWith('ts-expect-error'))) return []
      return [{ tool, line: at + 1, text: line.slice(found.index).trim() }]
    }),
  )
}

/** Every suppression contains one of these. */
const HINT =
  /nocheck|expect-error|disable|ignore|noqa|nolint|NOLINT|nosec|allow|expect\s*\(|Suppress|suppress|NOPMD|NOSONAR|noinspection|CHECKSTYLE|skip-file|rubocop|typed:|reek|codingStandards|no critic|\$Flow|@noflow|mypy|pyright|eslint|credo|luacheck/i

/** Those that the new text has and the old one had not, wherever they were. */
export function newSuppressions(path: string, before: string | undefined, after: string): readonly Suppression[] {
  const left = new Map<string, number>()
  const keyOf = ({ tool, text }: Suppression) => `${tool} ${text.replace(/\s+/g, ' ')}`
  for (const each of before === undefined ? [] : suppressionsIn(path, before))
    left.set(keyOf(each), (left.get(keyOf(each)) ?? 0) + 1)
  return suppressionsIn(path, after).filter((each) => {
    const known = left.get(keyOf(each)) ?? 0
    if (known > 0) left.set(keyOf(each), known - 1)
    return known === 0
  })
}

/** How each tool is started. The others have the name of their program. */
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  TypeScript:
    /\b(?:tsc|vue-tsc|tsgo|svelte-check|tsd|ts-jest|tsup|tsdown|astro check|(?:ng|next|nuxt) build|typecheck)\b/,
  ESLint: /\b(?:eslint|xo|standard|semistandard|neostandard|(?:next|ng|vue-cli-service) lint)\b/,
  Biome: /\b(?:biome|rome)\b/,
  Deno: /\bdeno lint\b/,
  flake8: /\b(?:flake8|ruff|pycodestyle|pyflakes|pylama|pre-commit)\b/,
  ruff: /\b(?:ruff|pre-commit)\b/,
  mypy: /\b(?:mypy|pyright|basedpyright|pyre|ty check|dmypy|pre-commit)\b/,
  pyright: /\b(?:based)?pyright\b/,
  'golangci-lint': /\bgolangci-lint\b/,
  staticcheck: /\b(?:staticcheck|golangci-lint)\b/,
  gosec: /\b(?:gosec|golangci-lint)\b/,
  Clippy: /\bclippy\b|-D\s*warnings/,
  'the compiler': /-Werror\b|-warnaserror|TreatWarningsAsErrors|\/WX\b|allWarningsAsErrors/i,
  'the analyzers': /\bdotnet (?:build|test|format|publish)\b|\bmsbuild\b/,
  SpotBugs: /\bspotbugs\w*\b|\b(?:mvnw?|gradlew?)\b.*\b(?:check|verify)\b/i,
  Checkstyle: /\bcheckstyle\w*\b|\b(?:mvnw?|gradlew?)\b.*\b(?:check|verify)\b/i,
  PMD: /\bpmd\w*\b/i,
  SonarQube: /\bsonar/i,
  Sorbet: /\bsrb\b/,
  PHP_CodeSniffer: /\bphpcs\b/,
  'Perl::Critic': /\bperlcritic\b/,
}

/** Whether one of these commands runs the tool. */
export function runsTool(tool: string, commands: readonly string[]): boolean {
  const program = PROGRAMS[tool] ?? new RegExp(`\\b${tool.toLowerCase()}\\b`)
  return commands.some((command) => program.test(command))
}
