import { isCiFile, isRunnerConfig, isSnapshot, isTestFile, isTestSupport, languageOf } from './test-files.ts'

/** How much of a project a baseline keeps. */
export interface KeepLimits {
  readonly totalBytes: number
  readonly fileBytes: number
  /** All code is kept if it is no more files than this. */
  readonly code?: number
}
const KEEP_LIMITS: KeepLimits = { totalBytes: 64 * 1024 * 1024, fileBytes: 2 * 1024 * 1024, code: 1_000 }

/** What a `Buffer` can do. */
interface Content {
  readonly length: number
  includes(word: string): boolean
}

export interface KeptTexts<Bytes> {
  readonly texts: ReadonlyMap<string, Bytes>
  /** Needed, but too large or beyond the total. */
  readonly notKept: readonly string[]
}

/** Plans and task lists, by the names that common agent loops use. */
const PLANS =
  /(?:^|\/)(?:@?fix_plan|(?:implementation_)?plan|roadmap|todo|tasks?|prd|state|progress|spec|specification)\.(?:md|json|ya?ml)$|(?:^|\/)(?:\.planning|\.ralph|\.doyaken|\.prp|tasks|plans)\/.+\.(?:md|json|ya?ml)$/i
/** What starts or stops an agent, a hook or a gate. */
const GATES =
  /(?:^|\/)(?:exitgate\.config\.(?:json|ya?ml)|\.claude\/.+|\.codex\/.+|\.gemini\/.+|\.opencode\/.+|\.cursor\/.+|opencode\.jsonc?|\.mcp\.json|\.husky\/.+|\.githooks\/.+|lefthook\.ya?ml|\.pre-commit-config\.yaml|\.lintstagedrc(?:\.\w+)?|\.gitattributes|\.gitignore)$/
/** What decides how the tests are started. */
const RUNS =
  /(?:^|\/)(?:GNU)?[Mm]akefile$|(?:^|\/)(?:\.?justfile|Taskfile\.ya?ml|tsconfig[\w.-]*\.json|build\.sbt|mix\.exs|CMakeLists\.txt|go\.mod|Gemfile|\.npmrc|\.env(?:\.\w+)?|\.babelrc|babel\.config\.\w+)$|(?:^|\/)(?:scripts?|bin|tools)\/[^/]*tests?[^/]*$/i
const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|gradle\.lockfile)$/

/** Lower is kept first; undefined if git or the workspace is enough. */
function rankOf(path: string, dirty: boolean): number | undefined {
  if (isRunnerConfig(path) || isCiFile(path) || GATES.test(path) || PLANS.test(path) || RUNS.test(path)) return 0
  if (isTestFile(path)) return 1
  if (dirty) return 2
  if (isSnapshot(path)) return 3
  if (isTestSupport(path)) return 4
  return LOCKS.test(path) ? 5 : undefined
}

/** Tests, plans and what starts the tests: a run that did not complete must not make its version of them the reference. */
export const isWatched = (path: string): boolean => !LOCKS.test(path) && rankOf(path, false) !== undefined

/** Copies of what later checks compare with. They survive even if the agent removes or rewrites the repository. */
export function keepTexts<Bytes extends Content>(
  read: (path: string, most: number) => Bytes | undefined,
  decode: (bytes: Bytes) => string | undefined,
  all: readonly string[],
  dirty: ReadonlySet<string>,
  wanted: ReadonlySet<string> = new Set(),
  limits: KeepLimits = KEEP_LIMITS,
): KeptTexts<Bytes> {
  const ranked = all.flatMap((path) => {
    const rank = wanted.has(path) ? 0 : rankOf(path, dirty.has(path))
    return rank === undefined ? [] : [{ path, rank }]
  })
  const texts = new Map<string, Bytes>()
  const notKept: string[] = []
  let bytes = 0
  const keep = (path: string, isWanted: (text: string) => boolean) => {
    const content = read(path, limits.fileBytes)
    if (content === undefined) return false
    const text = decode(content)
    if (text === undefined || !isWanted(text)) return true
    if (bytes + content.length > limits.totalBytes) return false
    bytes += content.length
    texts.set(path, content)
    return true
  }
  for (const { path } of ranked.sort((a, b) => a.rank - b.rank)) if (!keep(path, () => true)) notKept.push(path)
  // Tests inside source files can only be found by reading the files. What doesn't fit is left to git.
  const [sources, little] = [sourcesWithTests(all, texts), new Set(littleCode(all, limits))]
  for (const path of [...sources, ...little])
    if (!texts.has(path)) keep(path, (text) => little.has(path) || isTestFile(path, text))
  return { texts, notKept }
}

/** What to keep, as far as the paths show it. */
export const mayBeKept = (paths: readonly string[]): readonly string[] => [
  ...paths.filter((path) => rankOf(path, false) !== undefined),
  ...littleCode(paths, KEEP_LIMITS),
]

/** The code of a small project. If the agent deletes the repository, this is the only copy. */
function littleCode(paths: readonly string[], { code: most = 0 }: KeepLimits): readonly string[] {
  const code = paths.filter((path) => languageOf(path) !== undefined)
  return code.length <= most ? code : []
}

/** Source files that may contain tests: Rust files always, JavaScript files if the runner is configured for it. */
function sourcesWithTests(paths: readonly string[], texts: ReadonlyMap<string, Content>): string[] {
  const inSource = [...texts].some(([path, text]) => isRunnerConfig(path) && text.includes('includeSource'))
  return paths.filter((path) => {
    const language = texts.has(path) ? undefined : languageOf(path)
    return language === 'rust' || (inSource && language === 'javascript')
  })
}
