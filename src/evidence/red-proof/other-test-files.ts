import { isTestFile, languageOf } from '../test-files.ts'

const LANGUAGES = new Set(['javascript', 'python', 'ruby', 'php'])

/** In these languages, a test file can be left out without breaking the others. */
export const canBeLeftOut = (path: string): boolean => LANGUAGES.has(languageOf(path) ?? '')

/** The other test files, as far as they can be left out. */
export const otherTestFiles = (list: readonly string[], kept: ReadonlySet<string>): readonly string[] =>
  list.filter((path) => !kept.has(path) && isTestFile(path) && canBeLeftOut(path))
