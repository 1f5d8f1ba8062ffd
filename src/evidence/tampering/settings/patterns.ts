import { globMatcher } from '../../../system/glob.ts'
import type { TamperFinding } from '../finding.ts'
import type { SettingChange } from './rules.ts'

/** Whether a path matches a runner's pattern: `**`, `*`, `?`, `{a,b}`, `@(a|b)`, `[jt]`. A folder matches everything in it. */
function matchesGlob(pattern: string, path: string): boolean {
  const clean = pattern
    .replace(/^\.\//, '')
    .replace(/<rootDir>\/?/, '')
    .replace(/^\//, '')
  if (clean === '' || clean === '.') return true
  return compiledOnce(clean)(path)
}

type PathMatcher = (path: string) => boolean
const cache = new Map<string, PathMatcher>()

function compiledOnce(pattern: string): PathMatcher {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  if (cache.size > 500) cache.clear()
  const made = compile(pattern)
  cache.set(pattern, made)
  return made
}

function compile(pattern: string): PathMatcher {
  try {
    if (looksLikeRegex(pattern)) {
      const regex = new RegExp(pattern.replace(/^\/|\/[a-z]*$/g, ''))
      return (path) => regex.test(path)
    }
    const folder = pattern.replace(/\/$/, '')
    const all = [`**/${folder}`, `**/${folder}/**`].map((each) => globMatcher(each, { extended: true }))
    return (path) => all.some((matches) => matches(path))
  } catch {
    return (path) => path.includes(pattern)
  }
}

/** jest's testPathIgnorePatterns and testRegex contain regular expressions. Long ones are not run. */
const looksLikeRegex = (pattern: string) =>
  pattern.length < 200 &&
  /\\[./dw]|\.\*|\(\?|\.\+|\$$|^\^|^\/.*\/[a-z]*$|\([^)]*\|[^)]*\)(?!\()/.test(pattern) &&
  !/@\(|\+\(|\?\(|\*\*/.test(pattern) &&
  !/(?:\+|\*)\)?(?:\+|\*)/.test(pattern)

/** Example paths for a pattern: one for each of its alternatives. */
function examplePaths(pattern: string): string[] {
  const clean = pattern.replace(/^\.\//, '').replace(/<rootDir>\/?/, '')
  if (looksLikeRegex(clean)) return []
  const brace = /\{([^{}]*)\}|[@?+*]\(([^()]*)\)/.exec(clean)
  if (brace) {
    const options = (brace[1] ?? brace[2])!.split(/[,|]/)
    return options
      .flatMap((option) =>
        examplePaths(clean.slice(0, brace.index) + option + clean.slice(brace.index + brace[0].length)),
      )
      .slice(0, 50)
  }
  const path = clean
    .replace(/\[!?([^\]])[^\]]*\]/g, '$1')
    .replaceAll('**/', 'some/deep/')
    .replaceAll('**', 'some/deep/file')
    .replaceAll('*', 'name')
    .replaceAll('?', 'x')
  return [path]
}

/** Folders without tests of the project, or with those of another runner. */
const HARMLESS =
  /(?:^|[/*"'\s(|\\])(?:node_modules|dist|build|out|coverage|\.git|\.next|\.nuxt|\.cache|\.turbo|\.output|vendor|target|bin|obj|tmp|temp|\.venv|venv|__pycache__|\.tox|\.nox|\.eggs|fixtures?|__fixtures__|__mocks__|snapshots|testdata|storybook\S*|\.stories\.\S*|\.d\.ts|templates?|examples?|docs?|e2e|playwright|cypress|benchmarks?|\.claude|\.worktrees?|generated|migrations|helpers?|types?)(?:[/*"'\s)|\\$.]|$)/i

type MakeFinding = (severity: 'block' | 'warn', detail: string) => TamperFinding

export function patternFindings(
  change: SettingChange,
  known: readonly string[],
  finding: MakeFinding,
): TamperFinding[] {
  return change.rule.meaning === 'excludes' ? excluded(change, known, finding) : included(change, known, finding)
}

/** Added patterns, and the existing tests that they exclude. */
function excluded(
  { key, was, now, rule, otherProjects }: SettingChange,
  known: readonly string[],
  finding: MakeFinding,
): TamperFinding[] {
  const had = new Set(was.map(({ value }) => value))
  return now.flatMap((setting): TamperFinding[] => {
    const { value } = setting
    if (value === '' || had.has(value) || /\.\.\.\s/.test(value)) return []
    if (rule.severity === 'warn') return [finding('warn', `${key} now leaves out ${value}. Undo this.`)]
    const patterns = value.split(/[,\s]+/).filter((each) => each !== '' && !/^(?:true|false)$/.test(each))
    const hidden = known.filter((path) => patterns.some((pattern) => matchesGlob(pattern, path)))
    const runs = (path: string) => otherProjects?.(setting, (pattern) => matchesGlob(pattern, path)) === true
    if ((hidden.length > 0 ? hidden : patterns).every(runs)) return []
    if (hidden.length > 0)
      return [finding('block', `${key} now leaves out ${value}, which matches ${filesIn(hidden)}. Undo this.`)]
    // A pattern that hides no existing test is fine if its name is harmless.
    return HARMLESS.test(value) ? [] : [finding('block', `${key} now leaves out ${value}. Undo this.`)]
  })
}

const filesIn = (paths: readonly string[]) =>
  paths.length === 1 ? paths[0] : `${paths.length} test files such as ${paths[0]}`

/** Removed or narrowed patterns, and the existing tests that they no longer match. */
function included({ key, was, now }: SettingChange, known: readonly string[], finding: MakeFinding): TamperFinding[] {
  const [old, next] = [was, now].map((settings) => settings.map(({ value }) => value).filter((value) => value !== ''))
  if (next!.length === 0) return now.length > 0 ? [finding('block', `${key} is empty now. Restore it.`)] : []
  if (next!.some((value) => /\.\.\.|[(]|\bprocess\b/.test(value) && !/[*?]/.test(value))) return []
  const selector = /grep|NamePattern|TestCaseFilter|groups?$|configuration\.test$/i.test(key)
  if (selector)
    return old!.join() === next!.join()
      ? []
      : [finding('block', `${key} now runs only ${next!.join(', ')}. Restore it.`)]
  const matchesAny = (patterns: readonly string[], path: string) =>
    patterns.some((pattern) => pattern.split(/\s+/).some((each) => matchesGlob(each, path)))
  const lost = known.filter((path) => (old!.length === 0 || matchesAny(old!, path)) && !matchesAny(next!, path))
  if (/^python_(?:files|classes|functions)$|\.python_(?:files|classes|functions)$/.test(key))
    return widerNames(old!, next!)
      ? []
      : [finding('block', `${key} now collects only ${next!.join(', ')}. Restore it.`)]
  if (lost.length > 0) return [finding('block', `${key} no longer matches ${filesIn(lost)}. Restore it.`)]
  if (known.length > 0 && old!.length === 0) return []
  // No tests are known, so example paths show what the old patterns matched.
  const meant = old!.flatMap((value) => value.split(/\s+/).flatMap(examplePaths))
  const missed = meant.filter((path) => !matchesAny(next!, path))
  if (
    missed.length > 0 &&
    missed.length === meant.length &&
    next!.every((value) => !value.includes('*')) &&
    old!.length <= next!.length &&
    known.length > 0
  )
    return []
  if (missed.length > 0) return [finding('block', `${key} no longer matches files such as ${missed[0]}. Restore it.`)]
  // A first pattern of its kind must match some usual place for tests.
  const matchesNoUsualPlace =
    old!.length === 0 && known.length === 0 && !USUAL_PLACES.some((path) => matchesAny(next!, path))
  return matchesNoUsualPlace && !/(?:^|\.)(?:testDir|dir|roots|projects)$/.test(key)
    ? [finding('block', `${key} now runs only ${next!.join(', ')}. Restore it.`)]
    : []
}

/** The usual places for tests, for projects without known tests. */
const USUAL_PLACES = [
  ...[
    'src/some/name',
    'test/name',
    'tests/name',
    'tests/unit/name',
    'test/unit/name',
    'packages/name/src/name',
    'name',
  ].flatMap((place) =>
    ['ts', 'tsx', 'js', 'mjs', 'jsx'].flatMap((ending) => [`${place}.test.${ending}`, `${place}.spec.${ending}`]),
  ),
  'src/__tests__/name.js',
  'test/name.js',
  'test/name.ts',
  'tests/name.js',
  'tests/test_name.py',
  'test/test_name.py',
  'e2e/name.spec.ts',
  'cypress/e2e/name.cy.ts',
  'cypress/e2e/name.cy.js',
  'src/test/java/NameTest.java',
  'NameTest.java',
  'tests/NameTest.php',
  'spec/name.spec.js',
  'spec/nameSpec.js',
]

/** pytest's name patterns for files, classes and functions: each old one must still be there, or a wider one. */
function widerNames(old: readonly string[], next: readonly string[]): boolean {
  const words = (values: readonly string[]) => values.flatMap((value) => value.split(/\s+/))
  const was = old.length > 0 ? words(old) : ['test_*.py', '*_test.py', 'Test', 'Test*', 'test', 'test_*', 'test*']
  const now = words(next)
  if (old.length === 0) return now.some((value) => was.includes(value) || /^(?:\*|test\*)/i.test(value))
  return was.every((value) => now.some((other) => other === value || matchesGlob(other, value.replaceAll('*', 'x'))))
}
