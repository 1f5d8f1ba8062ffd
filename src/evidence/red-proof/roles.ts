import { isCiFile, isRunnerConfig, isSnapshot, isTestFile, isTestSupport } from '../test-files.ts'

/** A path whose content differs from the baseline's. */
export interface ChangedFile {
  readonly path: string
  readonly wasThere: boolean
  /** Texts; undefined where it was or is not there, and where it is no text or was not kept. */
  readonly before?: string
  readonly after?: string
}

/**
 * `test`: says what is expected. `source`: the code that should fulfil it. `both`: source that carries tests of its own.
 * `other`: neither, such as documents, settings of the runner, lock files.
 */
export type Role = 'test' | 'source' | 'both' | 'other'

/** Beside the sources, but for the tests. */
const SERVES_TESTS =
  /(?:^|\/)(?:__mocks__|__fixtures__|__snapshots__|fixtures?|testdata|test[-_]?(?:utils?|helpers?|support|data)|cassettes|goldens?)\//i
const DOCUMENTS =
  /\.(?:md|mdx|markdown|rst|adoc|txt|pdf|drawio|puml|mmd)$|(?:^|\/)(?:LICEN[CS]E|NOTICE|AUTHORS|CHANGELOG|CODEOWNERS|README)[^/]*$|(?:^|\/)docs?\/[^/]+\.(?:png|jpe?g|gif|svg|webp)$/i
const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[^/]*\.txt|Gemfile(?:\.lock)?|composer\.lock|go\.(?:mod|sum|work(?:\.sum)?)|gradle\.lockfile|mix\.lock)$/
/** Of the editor, the agent, git and the gate; and lists of work to do. */
const AROUND =
  /(?:^|\/)(?:\.[^/]+\/.*|\.[^/]+|exitgate\.config\.\w+|(?:prd|plan|tasks?|state|progress)\.(?:json|ya?ml)|tsconfig[\w.-]*\.json|biome\.jsonc?|eslint\.config\.\w+)$/i

export function roleOf({ path, before, after }: ChangedFile): Role {
  if (isRunnerConfig(path) || isCiFile(path)) return 'other'
  const holdsTests = isTestFile(path, after) || isTestFile(path, before)
  if (holdsTests && !isTestFile(path) && !isTestSupport(path) && !isSnapshot(path)) return 'both'
  if (holdsTests || isSnapshot(path) || isTestSupport(path) || SERVES_TESTS.test(path)) return 'test'
  return DOCUMENTS.test(path) || LOCKS.test(path) || AROUND.test(path) ? 'other' : 'source'
}

/** Where the tests begin that a source file carries at its end, as is the custom. */
const INLINE_TESTS: readonly RegExp[] = [
  /^[ \t]*#\[cfg\(test\)\]\s*\n(?:[ \t]*#\[[^\n]*\]\s*\n)*[ \t]*(?:pub\s+)?mod\s+\w+\s*\{/m,
  /^if\s*\(\s*import\.meta\.vitest\s*\)\s*\{/m,
]

/** The source of one text with the tests of another; undefined when they cannot be told apart. */
export function sourceWithTests(source: string, tests: string): string | undefined {
  const cut = (text: string) => {
    const at = INLINE_TESTS.map((pattern) => pattern.exec(text)?.index).find((found) => found !== undefined)
    if (at === undefined) return [text, ''] as const
    const rest = text.slice(at)
    // After the tests' last brace nothing may follow: what follows would be source.
    const end = /^\}[ \t]*;?\s*/m.exec(rest)
    return end !== null && end.index + end[0].length === rest.length ? ([text.slice(0, at), rest] as const) : undefined
  }
  const [left, right] = [cut(source), cut(tests)]
  return left === undefined || right === undefined || right[1] === '' ? undefined : `${left[0]}${right[1]}`
}
