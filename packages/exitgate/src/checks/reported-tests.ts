import type { TestCase, TestRun, TestState } from '../../../test-output/src/types.ts'
import { nameOf, partsOf, stemOf, wordsOf } from './test-names.ts'

/** A test as its file has it. An empty name means all tests of the file. */
export interface SourceTest {
  readonly file: string
  /** Names of the groups around it, outermost first. */
  readonly groups: readonly string[]
  readonly name: string
}

const line = (text: string) => ` ${wordsOf(text).join(' ')} `

/** `%i`, `$name`, `${name}`, `#{name}`, `{0}`: placeholders for the values of a row. */
const PLACEHOLDERS = /%[sdifjopc#$%]|\$\{[^}]*\}|#\{[^}]*\}|\$\w+(?:\.\w+)*|\{\w*\}/

/** The forms a test's title can have in a report: the last of several names, without parameters, without a subtest. */
function titlesOf(name: string): readonly string[] {
  const last = partsOf(name).at(-1) ?? name
  const bare = last.replace(/\s*[([].*$/s, '')
  const dotted = /^[\w$.]+$/.test(bare) ? bare.slice(bare.lastIndexOf('.') + 1) : bare
  return [last, bare, dotted, dotted.split('/')[0]!]
}

/** Whether a reported name is that of a test, or of a row of it. */
export function hasTitle(name: string, test: Pick<SourceTest, 'name'>): boolean {
  const wanted = line(test.name)
  if (titlesOf(name).some((title) => title === test.name || (wanted.trim() !== '' && line(title) === wanted)))
    return true
  if (!PLACEHOLDERS.test(test.name)) return false
  const parts = test.name
    .split(new RegExp(PLACEHOLDERS.source, 'g'))
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(?:^| > )${parts.join('.*')}$`, 's').test(name)
}

/** Filters, unless nothing would be left. */
const narrowed = <T>(all: readonly T[], matches: (one: T) => boolean): readonly T[] => {
  const some = all.filter(matches)
  return some.length > 0 ? some : all
}

/** Cargo names this file for the tests of all modules. */
export const isCrateRoot = (file: string): boolean => /(?:^|\/)src\/(?:lib|main|bin\/[^/]+)\.rs$/.test(file)

/** The reported cases of a test: several if it has rows. */
export function casesOf(run: TestRun, test: SourceTest): readonly TestCase[] {
  const isPath = (file: string | undefined): file is string =>
    file !== undefined && /\.[A-Za-z]\w{0,4}$/.test(file) && !isCrateRoot(file)
  // A report may name a file that is not there.
  const isHere = (file: string | undefined) => test.file === '' || !isPath(file) || nameOf(file) === nameOf(test.file)
  const inFile = (run.tests ?? []).filter(({ file }) => isHere(file))
  if (test.name === '') return inFile.filter(({ file }) => isPath(file))
  const titled = inFile.filter(({ name }) => hasTitle(name, test))
  const group = test.groups.length > 0 ? line(test.groups.join(' ')) : undefined
  const grouped = group === undefined ? titled : narrowed(titled, ({ name }) => line(name).includes(group))
  const stem = ` ${stemOf(test.file).join(' ')} `
  return narrowed(grouped, ({ name, file }) => isPath(file) || line(name).includes(stem))
}

/** A test's state in a run; `absent` if the run doesn't show it. */
export function stateIn(run: TestRun, test: SourceTest, atLeast = 0): TestState | 'absent' {
  const states = casesOf(run, test).map(({ state }) => state)
  if (states.length > 0) {
    return states.includes('failed') ? 'failed' : states.includes('passed') ? 'passed' : 'skipped'
  }
  // Some reports list only failures. If they list all of them, an unlisted test passed.
  const named = run.tests ?? []
  const namesAll = named.length >= run.total
  const nothingElseFailed = (run.suitesFailed ?? 0) === 0 && (run.problems ?? []).length === 0 && run.skipped === 0
  const failures = named.filter(({ state }) => state === 'failed').length
  const onlyFailures = !namesAll && nothingElseFailed && failures >= run.failed && run.total >= Math.max(atLeast, 1)
  return onlyFailures ? 'passed' : 'absent'
}

/** The cases of a file, or one with the file as its name: a file that ended before its first test. */
export function casesOfFile(run: TestRun, path: string): readonly TestCase[] {
  const own = casesOf(run, { file: path, groups: [], name: '' })
  return own.length > 0 ? own : (run.tests ?? []).filter(({ name }) => name === path || name.endsWith(`/${path}`))
}
