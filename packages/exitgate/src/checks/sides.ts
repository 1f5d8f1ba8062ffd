import {
  holdsTests,
  isCiFile,
  isRunnerConfig,
  isSnapshot,
  isTestFile,
  isTestSupport,
  languageOf,
} from '../frameworks/test-files.ts'
import { LEADS_TO_TESTS, SHARED_SETTINGS, withRunnerPart } from './settings-parts.ts'

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

/** Prose and data that tests may read, although it is no code. */
export const isDocument = (path: string): boolean => DOCUMENTS.test(path) && !LOCKS.test(path) && !TOOL_FILES.test(path)

/** Go code that takes a test as its argument: only tests use it. */
const helpsGoTests = (path: string, text: string | undefined): boolean =>
  path.endsWith('.go') && /^\s*(?:import\s+)?(?:\w+\s+)?"testing"\s*$/m.test(text ?? '')

export function roleOf({ path, before, after }: ChangedFile): Role {
  if (isRunnerConfig(path) || isCiFile(path)) return 'other'
  const isTests = isTestFile(path, after) || isTestFile(path, before)
  if (isTests && !isTestFile(path) && !isTestSupport(path) && !isSnapshot(path)) return 'both'
  const helps = helpsGoTests(path, before) || helpsGoTests(path, after)
  if (isTests || helps || isSnapshot(path) || isTestSupport(path) || SERVES_TESTS.test(path)) return 'test'
  return DOCUMENTS.test(path) || LOCKS.test(path) || TOOL_FILES.test(path) ? 'other' : 'source'
}

export const isShell = ({ path, before = '' }: ChangedFile): boolean =>
  /\.(?:sh|bash|zsh|ksh)$/.test(path) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(before)

/** Where the tests at the end of a source file begin. */
const INLINE_TESTS: readonly RegExp[] = [
  /^[ \t]*#\[cfg\(test\)\]\s*\n(?:[ \t]*#\[[^\n]*\]\s*\n)*[ \t]*(?:pub\s+)?mod\s+\w+\s*\{/m,
  /^if\s*\(\s*import\.meta\.vitest\s*\)\s*\{/m,
]

/** A text before its block of tests, the block, and what follows; undefined if there are several blocks, or one without an end. */
function aroundTests(text: string): readonly [head: string, block: string, tail: string] | undefined {
  const startIn = (part: string) =>
    INLINE_TESTS.map((pattern) => pattern.exec(part)?.index).find((found) => found !== undefined)
  const at = startIn(text)
  if (at === undefined) return [text, '', '']
  const end = /^\}[ \t]*;?[ \t]*(?:\n|$)/m.exec(text.slice(at))
  if (end === null) return undefined
  const to = at + end.index + end[0].length
  const tail = text.slice(to)
  return startIn(tail) === undefined ? [text.slice(0, at), text.slice(at, to), tail] : undefined
}

/** The source of one text with the tests of another; undefined if they can't be separated. */
export function sourceWithTests(source: string, tests: string): string | undefined {
  const [of, by] = [aroundTests(source), aroundTests(tests)]
  if (of === undefined || by === undefined || by[1] === '') return undefined
  return `${of[0]}${by[1]}${of[2]}`
}

const REMOVABLE = new Set(['javascript', 'python', 'ruby', 'php'])

/** In these languages, a test file can be left out without breaking the others. */
export const canBeLeftOut = (path: string): boolean => REMOVABLE.has(languageOf(path) ?? '')

/** The test files that a copy can do without. */
export const otherTests = (list: readonly string[], kept: ReadonlySet<string>): readonly string[] =>
  list.filter((path) => !kept.has(path) && isTestFile(path) && canBeLeftOut(path))

/** A changed file that B has as it was at the start. */
export interface OriginalFile {
  readonly path: string
  /** Undefined if it did not exist. */
  readonly original?: string
  /** The old tests with the imports of the new version, if those differ. */
  readonly renewed?: string
  /** It holds no tests: a helper, a fixture, settings, a script. */
  readonly isHelper: boolean
  /** The test commands or the tests use it, so it belongs to the tests (`test`), or it may be the product itself (`unclear`). */
  readonly started?: 'test' | 'unclear'
  /** Of unclear role, but a program that a test script starts is rather the product. */
  readonly isRatherProduct?: true
  /** It decides how the tests run. */
  readonly runsTests?: boolean
}

/** Everything that says what is expected, and everything that runs it. */
export interface OriginalSide {
  readonly files: readonly OriginalFile[]
  /** Files that belong to it, but whose original content is not known. */
  readonly notRestored: readonly string[]
}

/** Files that decide how commands and tests run, wherever they are. */
const MACHINERY =
  /(?:^|\/)(?:\.(?:npm|yarn|pnpm)rc(?:\.ya?ml)?|\.pnpmfile\.cjs|\.env(?:\.[\w-]+)*|\.(?:babel|swc)rc(?:\.\w+)?|babel\.config\.\w+|(?:GNU)?[Mm]akefile|[\w.-]+\.mk|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|noxfile\.py|(?:site|user)customize\.py|[\w.-]+\.pth|\.rspec(?:-local)?|META-INF\/services\/org\.(?:junit|testng)[^/]*|minitest\/\w+_plugin\.rb|\.cargo\/config(?:\.toml)?|gradlew|mvnw|\.mvn\/[\w.-]+)$/
/** What would be loaded or started instead of a test runner, an assertion library, or what these are made of. */
const REPLACES_RUNNER =
  /^(?:(?:src|tests?)\/)?(?:pytest|unittest|_pytest|pluggy|iniconfig|nose2?|doctest|traceback|inspect|importlib|site|ast|contextlib|functools|warnings|atexit)(?:\.pyc?|\/__init__\.pyc?|\.[\w-]+\.so)$|\.(?:dist|egg)-info\/entry_points\.txt$|(?:^|\/)(?:lib|tests?|spec)\/(?:minitest|rspec|test-unit|test\/unit)(?:\.rb|\/.*(?<!_spec|_test)\.rb)$|(?:^|\/)org\/(?:junit|testng|hamcrest|assertj)\/.*\.(?:java|kt)$/
/** Settings that say where modules are. */
const REDIRECTS = /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|deno\.jsonc?|import_?map\.json)$/
/** What a build script has no reason to name. */
const WRITES_TESTS = /CARGO_MANIFEST_DIR|\btests\//
/** Code that a runner loads before the tests, if it holds none itself. */
const SETUP =
  /(?:^|\/)(?:[\w.-]*(?:jest|vitest|mocha|test|spec|karma|jasmine)[\w.-]*(?:setup|bootstrap|environment|runner|preload|register|hooks?|reporter|transform)[\w.-]*|(?:setup|bootstrap|global-?setup|preload|register|setupTests?|(?:test|spec|rails)[-_]?(?:setup|helper|preload))[\w.-]*)\.(?:[cm]?[jt]sx?|rb|php|py)$/i

/** A script that tests something, by its name. Others that a test command starts may be what it tests. */
const TEST_SCRIPT =
  /(?:^|[\W_])(?:tests?|checks?|specs?|verify|ci|suite|e2e|smoke|unit|qa|validate|selftest|compare|diff|expect|assert|golden|runner|harness)(?:[\W_]|$)/i

/**
 * The changed files of the test side, as run B needs them. `startedBy` knows the scripts that the test commands start: themselves, or
 * through another script. It also knows what else the tests use that may be product.
 */
export function originalSide(
  changes: readonly ChangedFile[],
  startedBy: (path: string) => 'command' | 'script' | 'test' | undefined,
): OriginalSide {
  const files: OriginalFile[] = []
  const notRestored: string[] = []
  for (const change of changes) {
    const { path, before, after, wasThere } = change
    const role = roleOf(change)
    const by = startedBy(path)
    const isSetup = SETUP.test(path) && !holdsTests(path, before ?? after ?? '')
    const isKnown =
      MACHINERY.test(path) ||
      (!wasThere && REPLACES_RUNNER.test(path)) ||
      (REDIRECTS.test(path) && LEADS_TO_TESTS.test(after ?? '')) ||
      (path.endsWith('build.rs') && WRITES_TESTS.test(after ?? '')) ||
      isSetup ||
      isRunnerConfig(path)
    const isMachinery = isKnown || by !== undefined
    const isTestScript =
      isKnown ||
      role !== 'source' ||
      by === 'command' ||
      (by === 'script' && (isTestSupport(path) || TEST_SCRIPT.test(path)))
    if (role !== 'test' && role !== 'both' && !isMachinery) continue
    const text = role === 'both' && !isMachinery ? newSourceWithOldTests(change) : restored(change)
    if (text === after) continue
    if (wasThere && before === undefined) notRestored.push(path)
    else {
      const isTests = !isMachinery && (isTestFile(path, before) || isTestFile(path, after))
      const renewed = isTests ? withNewImports(change) : undefined
      files.push({
        path,
        isHelper: !isTests,
        ...(by !== undefined && { started: isTestScript ? ('test' as const) : ('unclear' as const) }),
        ...(by === 'script' && !isShell(change) && { isRatherProduct: true as const }),
        ...((isKnown || (by !== undefined && isTestScript)) && { runsTests: true }),
        ...(text !== undefined && { original: text }),
        ...(renewed !== undefined && role === 'test' && { renewed }),
      })
    }
  }
  return { files, notRestored }
}

/** Of a file that others use too, only the runner's part is restored. */
const restored = ({ path, before, after }: ChangedFile): string | undefined =>
  after !== undefined && SHARED_SETTINGS.test(path) ? withRunnerPart(path, after, before) : before

const newSourceWithOldTests = ({ before, after }: ChangedFile): string | undefined =>
  after === undefined || before === undefined ? after : (sourceWithTests(after, before) ?? after)

/** Lines that import something, by language. */
const IMPORTS: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:import\b[^'"`;]*['"][^'"\n]+['"][^\n;]*;?|(?:const|let|var)\s[^=;]*=\s*(?:await\s+import|require)\(\s*['"][^'"\n]+['"]\s*\)[^\n;]*;?)$/gm,
  python: /^(?:from\s+\S+\s+import\s+(?:\([^)]*\)|[^\n(]*)|import\s+[^\n]*)$/gm,
  go: /^import\s+(?:\([^)]*\)|(?:\w+\s+)?"[^"\n]*")/gm,
  rust: /^[ \t]*use\s[^;]*;/gm,
  java: /^import\s+[^\n]*$/gm,
  kotlin: /^import\s+[^\n]*$/gm,
  csharp: /^using\s+[^;()]*;/gm,
  ruby: /^require(?:_relative)?\s[^\n]*$/gm,
  php: /^(?:use\s+[^;]*|require(?:_once)?\s[^;]*);/gm,
}

/** The old text with the imports of the new one; undefined if they are the same, or one version does not exist. */
function withNewImports({ path, before, after }: ChangedFile): string | undefined {
  const pattern = IMPORTS[languageOf(path) ?? '']
  if (pattern === undefined || before === undefined || after === undefined) return undefined
  const importsOf = (text: string): readonly string[] => text.match(pattern) ?? []
  const [was, now] = [importsOf(before), importsOf(after)]
  if (was.join('\n') === now.join('\n') || now.length === 0) return undefined
  const known = new Set<string>(now.join('\n').match(WORDS) ?? [])
  // An import that the new version does not need any more may be needed by the old bodies.
  const missing = was.filter(
    (line) => !now.includes(line) && (line.match(WORDS) ?? []).some((word) => !known.has(word)),
  )
  const declared = new Set<string>(
    now
      .join('\n')
      .replace(/'[^'\n]*'|"[^"\n]*"/g, '')
      .match(WORDS),
  )
  const kept = languageOf(path) === 'javascript' ? missing.map((line, i) => undeclared(line, declared, i)) : missing
  const lines = [...now, ...kept].join('\n')
  if (was.length === 0) return `${lines}\n${before}`
  let isFirst = true
  return before.replace(pattern, () => {
    const text = isFirst ? lines : ''
    isFirst = false
    return text
  })
}

const IMPORT = /^import\s+(?!type\s)(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*(['"][^'"\n]+['"])/
const REQUIRE = /^(?:const|let|var)\s*\{([^}]*)\}\s*=\s*(.*)$/s

/** JavaScript declares a name only once, and a static import fails if the module has no such name: what else the old line declared. */
function undeclared(line: string, declared: ReadonlySet<string>, index: number): string {
  const left = (names: string) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type ') && !declared.has(/[\w$]+$/.exec(name)?.[0] ?? name))
      .map((name) => name.replace(/\s+as\s+/, ': '))
  const [, required, from = ''] = REQUIRE.exec(line) ?? []
  if (required !== undefined)
    return left(required).length === 0 ? '' : `const { ${left(required).join(', ')} } = ${from}`
  const [, whole = '', named = '', module] = IMPORT.exec(line) ?? []
  if (module === undefined) return line
  const names = [...(whole === '' || declared.has(whole) ? [] : [`default: ${whole}`]), ...left(named)]
  if (names.length === 0) return ''
  return `import * as before${index} from ${module}\nconst { ${names.join(', ')} } = before${index}`
}

const WORDS = /[\p{L}_$][\p{L}\p{N}_$]*/gu
