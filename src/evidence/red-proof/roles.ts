import { isCiFile, isRunnerConfig, isSnapshot, isTestFile, isTestSupport, languageOf } from '../test-files.ts'

/** A path whose content differs from the baseline's. */
export interface ChangedFile {
  readonly path: string
  readonly wasThere: boolean
  /** Undefined if the file doesn't exist on that side, isn't text, or its text was not kept. */
  readonly before?: string
  readonly after?: string
}

/**
 * `test`: what is expected. `source`: the code under test. `both`: source with tests in the same file. `other`: documents, runner
 * settings, lock files and the like.
 */
export type Role = 'test' | 'source' | 'both' | 'other'

/** Folders next to the source that only tests use. */
const SERVES_TESTS =
  /(?:^|\/)(?:__mocks__|__fixtures__|__snapshots__|fixtures?|testdata|test[-_]?(?:utils?|helpers?|support|data)|cassettes|goldens?)\//i
const DOCUMENTS =
  /\.(?:md|mdx|markdown|rst|adoc|txt|pdf|drawio|puml|mmd)$|(?:^|\/)(?:LICEN[CS]E|NOTICE|AUTHORS|CHANGELOG|CODEOWNERS|README)[^/]*$|(?:^|\/)docs?\/[^/]+\.(?:png|jpe?g|gif|svg|webp)$/i
const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[^/]*\.txt|Gemfile(?:\.lock)?|composer\.lock|go\.(?:mod|sum|work(?:\.sum)?)|gradle\.lockfile|mix\.lock)$/
/** Files of editors, agents, git and exitgate, and task lists. */
const TOOL_FILES =
  /(?:^|\/)(?:\.[^/]+\/.*|\.[^/]+|exitgate\.config\.\w+|(?:prd|plan|tasks?|state|progress)\.(?:json|ya?ml)|tsconfig[\w.-]*\.json|biome\.jsonc?|eslint\.config\.\w+)$/i

export function roleOf({ path, before, after }: ChangedFile): Role {
  if (isRunnerConfig(path) || isCiFile(path)) return 'other'
  const holdsTests = isTestFile(path, after) || isTestFile(path, before)
  if (holdsTests && !isTestFile(path) && !isTestSupport(path) && !isSnapshot(path)) return 'both'
  if (holdsTests || isSnapshot(path) || isTestSupport(path) || SERVES_TESTS.test(path)) return 'test'
  return DOCUMENTS.test(path) || LOCKS.test(path) || TOOL_FILES.test(path) ? 'other' : 'source'
}

/** Where the tests at the end of a source file begin. */
const INLINE_TESTS: readonly RegExp[] = [
  /^[ \t]*#\[cfg\(test\)\]\s*\n(?:[ \t]*#\[[^\n]*\]\s*\n)*[ \t]*(?:pub\s+)?mod\s+\w+\s*\{/m,
  /^if\s*\(\s*import\.meta\.vitest\s*\)\s*\{/m,
]

/** The source of one text with the tests of another; undefined if they can't be separated. */
export function sourceWithTests(source: string, tests: string): string | undefined {
  const split = (text: string) => {
    const at = INLINE_TESTS.map((pattern) => pattern.exec(text)?.index).find((found) => found !== undefined)
    if (at === undefined) return [text, ''] as const
    const rest = text.slice(at)
    // Anything after the last brace of the tests would be source.
    const end = /^\}[ \t]*;?\s*/m.exec(rest)
    return end !== null && end.index + end[0].length === rest.length ? ([text.slice(0, at), rest] as const) : undefined
  }
  const [left, right] = [split(source), split(tests)]
  return left === undefined || right === undefined || right[1] === '' ? undefined : `${left[0]}${right[1]}`
}

/** Of a longer suite, only the files in question run in a copy. */
export const LONG_MS = 15_000

const REMOVABLE = new Set(['javascript', 'python', 'ruby', 'php'])

/** In these languages, a test file can be left out without breaking the others. */
export const canBeLeftOut = (path: string): boolean => REMOVABLE.has(languageOf(path) ?? '')

/** The test files that a copy can do without. */
export const otherTests = (list: readonly string[], kept: ReadonlySet<string>): readonly string[] =>
  list.filter((path) => !kept.has(path) && isTestFile(path) && canBeLeftOut(path))
