import { isTestFile, type Language, languageOf } from './test-files.ts'

export type Texts = readonly { readonly path: string; readonly text: string }[]

const WHY = 'exitgate doctor broke this file on purpose'
/** Not a valid line in any language. */
const NONSENSE = `\n)]} ${WHY}\n`

/** A line that makes a test file fail when appended to it. */
const FAILS: Readonly<Partial<Record<Language, string>>> = {
  javascript: `\nthrow new Error('${WHY}')\n`,
  python: `\nraise RuntimeError('${WHY}')\n`,
  ruby: `\nraise '${WHY}'\n`,
  go: `\nfunc init() { panic("${WHY}") }\n`,
  rust: `\n#[test]\nfn broken_by_exitgate_doctor() { panic!("${WHY}") }\n`,
}

/** Languages that nothing here reads. Such a text may end with data, so it is broken at its start. */
const OTHERS =
  /\.(?:c|cc|cpp|cxx|m|mm|swift|scala|groovy|lua|moon|p[lm]|t|exs?|erl|hs|dart|zig|cljs?|nim|cr|jl|ml|fs|vb|sh|bash)$/
/** Frameworks and other foreign code that a project keeps a copy of. */
const FOREIGN =
  /(?:^|\/)(?:vendor|vendored|third[-_]?party|external|extern|deps|node_modules|submodules|unity|cmock|googletest|gtest|gmock|catch2?|doctest|bats(?:-core|-assert|-support|-file)?|test_helper\/bats-[\w-]+)\//i

/** A test file with a failing test; undefined if the language is unknown. */
function failingTests(path: string, text: string): string | undefined {
  const language = languageOf(path)
  if (path.endsWith('.bats')) return `${text}\n@test "${WHY}" { false; }\n`
  if (language === undefined) return OTHERS.test(path) ? NONSENSE + text : undefined
  return text + (FAILS[language] ?? NONSENSE)
}

/** A source file that no longer parses. */
function brokenSource(path: string, text: string): string | undefined {
  if (languageOf(path) === undefined) return OTHERS.test(path) ? NONSENSE + text : undefined
  return /\.d\.[cm]?ts$/.test(path) ? undefined : text + NONSENSE
}

const changed = (files: Texts, by: (path: string, text: string) => string | undefined): Texts =>
  files.flatMap(({ path, text }) => {
    const next = by(path, text)
    return next === undefined ? [] : [{ path, text: next }]
  })

/**
 * Files to break, in the order in which to try them: the project's tests, its source, and all there is. Which files a command runs is
 * not known, so only a command that passes with each of them can't fail. A script that the command itself names proves nothing.
 */
export function brokenFiles(files: Texts, isTests: boolean, command: string): readonly Texts[] {
  const own = files.filter(({ path }) => !FOREIGN.test(path))
  const tests = isTests ? own.filter(({ path, text }) => isTestFile(path, text)) : []
  const isNamed = ({ path }: Texts[number]) =>
    tests.length > 0 && command.includes(path.slice(path.lastIndexOf('/') + 1))
  const source = own.filter((file) => !tests.includes(file) && !isNamed(file))
  const others = files.filter((file) => !own.includes(file))
  return [changed(tests, failingTests), changed(source, brokenSource), changed(others, brokenSource)].filter(
    (group) => group.length > 0,
  )
}
