import { type Language, languageOf } from '../../evidence/test-files.ts'

const WHY = 'exitgate doctor broke this file on purpose'
/** Nowhere the end of a sound file. */
const NONSENSE = `\n)]} ${WHY}\n`

/** What makes a file of tests fail when it is run, where that can be said in one line that stands at its end. */
const FAILS: Readonly<Partial<Record<Language, string>>> = {
  javascript: `\nthrow new Error('${WHY}')\n`,
  python: `\nraise RuntimeError('${WHY}')\n`,
  ruby: `\nraise '${WHY}'\n`,
  go: `\nfunc init() { panic("${WHY}") }\n`,
  rust: `\n#[test]\nfn broken_by_exitgate_doctor() { panic!("${WHY}") }\n`,
}

/** A file of tests with one that fails; undefined where the language is not known. */
export function failingTests(path: string, text: string): string | undefined {
  const language = languageOf(path)
  if (/\.bats$/.test(path)) return `${text}\n@test "${WHY}" { false; }\n`
  return language === undefined ? undefined : text + (FAILS[language] ?? NONSENSE)
}

/** A source file that cannot be read by its language any more. */
export function brokenSource(path: string, text: string): string | undefined {
  return languageOf(path) === undefined || /\.d\.[cm]?ts$/.test(path) ? undefined : text + NONSENSE
}
