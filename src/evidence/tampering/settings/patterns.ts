import { globMatcher } from '../../../system/glob.ts'
import type { TamperFinding } from '../finding.ts'
import type { SettingChange } from './rules.ts'

/** Whether a path fits a pattern as runners write them: `**`, `*`, `?`, `{a,b}`, `@(a|b)`, `[jt]`. Folders stand for what is in them. */
function fitsGlob(pattern: string, path: string): boolean {
  const clean = pattern
    .replace(/^\.\//, '')
    .replace(/<rootDir>\/?/, '')
    .replace(/^\//, '')
  if (clean === '' || clean === '.') return true
  return compiled(clean)(path)
}

type Fits = (path: string) => boolean
const cache = new Map<string, Fits>()

function compiled(pattern: string): Fits {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  if (cache.size > 500) cache.clear()
  const made = attempt(pattern)
  cache.set(pattern, made)
  return made
}

function attempt(pattern: string): Fits {
  try {
    if (looksLikeRegex(pattern)) {
      const regex = new RegExp(pattern.replace(/^\/|\/[a-z]*$/g, ''))
      return (path) => regex.test(path)
    }
    const folder = pattern.replace(/\/$/, '')
    const all = [`**/${folder}`, `**/${folder}/**`].map((each) => globMatcher(each, { extended: true }))
    return (path) => all.some((fits) => fits(path))
  } catch {
    return (path) => path.includes(pattern)
  }
}

/** jest's testPathIgnorePatterns and testRegex hold regular expressions. A long one is not run. */
const looksLikeRegex = (pattern: string) =>
  pattern.length < 200 &&
  /\\[./dw]|\.\*|\(\?|\.\+|\$$|^\^|^\/.*\/[a-z]*$|\([^)]*\|[^)]*\)(?!\()/.test(pattern) &&
  !/@\(|\+\(|\?\(|\*\*/.test(pattern) &&
  !/(?:\+|\*)\)?(?:\+|\*)/.test(pattern)

/** Paths that a pattern was surely meant for: one for each of its alternatives. */
function samples(pattern: string): string[] {
  const clean = pattern.replace(/^\.\//, '').replace(/<rootDir>\/?/, '')
  if (looksLikeRegex(clean)) return []
  const brace = /\{([^{}]*)\}|[@?+*]\(([^()]*)\)/.exec(clean)
  if (brace) {
    const options = (brace[1] ?? brace[2])!.split(/[,|]/)
    return options
      .flatMap((option) => samples(clean.slice(0, brace.index) + option + clean.slice(brace.index + brace[0].length)))
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

/** Folders that hold no tests of the project's own, or those of another runner. */
const HARMLESS =
  /(?:^|[/*"'\s(|\\])(?:node_modules|dist|build|out|coverage|\.git|\.next|\.nuxt|\.cache|\.turbo|\.output|vendor|target|bin|obj|tmp|temp|\.venv|venv|__pycache__|\.tox|\.nox|\.eggs|fixtures?|__fixtures__|__mocks__|snapshots|testdata|storybook\S*|\.stories\.\S*|\.d\.ts|templates?|examples?|docs?|e2e|playwright|cypress|benchmarks?|\.claude|\.worktrees?|generated|migrations|helpers?|types?)(?:[/*"'\s)|\\$.]|$)/i

type Say = (severity: 'block' | 'warn', detail: string) => TamperFinding

export function patternFindings(change: SettingChange, known: readonly string[], say: Say): TamperFinding[] {
  return change.rule.meaning === 'excludes' ? excluded(change, known, say) : included(change, known, say)
}

/** Patterns that were added, and the tests of before that they take out. */
function excluded({ key, was, now, rule }: SettingChange, known: readonly string[], say: Say): TamperFinding[] {
  const had = new Set(was.map(({ value }) => value))
  return now.flatMap(({ value }): TamperFinding[] => {
    if (value === '' || had.has(value) || /\.\.\.\s/.test(value)) return []
    if (rule.severity === 'warn') return [say('warn', `${key} leaves out ${value} now.`)]
    const patterns = value.split(/[,\s]+/).filter((each) => each !== '' && !/^(?:true|false)$/.test(each))
    const hidden = known.filter((path) => patterns.some((pattern) => fitsGlob(pattern, path)))
    if (hidden.length > 0)
      return [
        say(
          'block',
          `${key} leaves out ${value} now: ${hidden.length === 1 ? hidden[0] : `${hidden.length} test files, ${hidden[0]} among them`}.`,
        ),
      ]
    // What hides nothing that was there before is fine when its name says so.
    return HARMLESS.test(value) ? [] : [say('block', `${key} leaves out ${value} now.`)]
  })
}

/** Patterns that were taken away or made narrower, and the tests of before that they no longer reach. */
function included({ key, was, now }: SettingChange, known: readonly string[], say: Say): TamperFinding[] {
  const [old, next] = [was, now].map((settings) => settings.map(({ value }) => value).filter((value) => value !== ''))
  if (next!.length === 0) return now.length > 0 ? [say('block', `${key} is empty now.`)] : []
  if (next!.some((value) => /\.\.\.|[(]|\bprocess\b/.test(value) && !/[*?]/.test(value))) return []
  const selector = /grep|NamePattern|TestCaseFilter|groups?$|configuration\.test$/i.test(key)
  if (selector) return old!.join() === next!.join() ? [] : [say('block', `${key} lets only ${next!.join(', ')} run.`)]
  const reaches = (patterns: readonly string[], path: string) =>
    patterns.some((pattern) => pattern.split(/\s+/).some((each) => fitsGlob(each, path)))
  const lost = known.filter((path) => (old!.length === 0 || reaches(old!, path)) && !reaches(next!, path))
  if (/^python_(?:files|classes|functions)$|\.python_(?:files|classes|functions)$/.test(key))
    return widerNames(old!, next!) ? [] : [say('block', `${key} lets only ${next!.join(', ')} be collected.`)]
  if (lost.length > 0)
    return [
      say(
        'block',
        `${key} reaches ${lost.length === 1 ? lost[0] : `${lost.length} test files, ${lost[0]} among them,`} no longer.`,
      ),
    ]
  if (known.length > 0 && old!.length === 0) return []
  // No tests are known: ask the old patterns what they were meant for.
  const meant = old!.flatMap((value) => value.split(/\s+/).flatMap(samples))
  const missed = meant.filter((path) => !reaches(next!, path))
  if (
    missed.length > 0 &&
    missed.length === meant.length &&
    next!.every((value) => !value.includes('*')) &&
    old!.length <= next!.length &&
    known.length > 0
  )
    return []
  if (missed.length > 0) return [say('block', `${key} does not reach what it reached before: ${missed[0]}.`)]
  // A first pattern of a kind must reach some place where tests usually are.
  const reachesNone = old!.length === 0 && known.length === 0 && !USUAL.some((path) => reaches(next!, path))
  return reachesNone && !/(?:^|\.)(?:testDir|dir|roots|projects)$/.test(key)
    ? [say('block', `${key} lets only ${next!.join(', ')} run.`)]
    : []
}

/** Places where tests usually are, in a project of which no test is known. */
const USUAL = [
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

/** pytest's names of files, classes and functions: every old one must still be there, or a wider one. */
function widerNames(old: readonly string[], next: readonly string[]): boolean {
  const words = (values: readonly string[]) => values.flatMap((value) => value.split(/\s+/))
  const was = old.length > 0 ? words(old) : ['test_*.py', '*_test.py', 'Test', 'Test*', 'test', 'test_*', 'test*']
  const now = words(next)
  if (old.length === 0) return now.some((value) => was.includes(value) || /^(?:\*|test\*)/i.test(value))
  return was.every((value) => now.some((other) => other === value || fitsGlob(other, value.replaceAll('*', 'x'))))
}
