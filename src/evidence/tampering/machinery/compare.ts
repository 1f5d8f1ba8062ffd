import { count, listOf } from '../../../../packages/core/src/count.ts'
import type { TestCase, TestRun } from '../../../../packages/test-output/src/types.ts'
import type { TamperFinding } from '../finding.ts'
import type { Machinery } from './find.ts'

/** Runs the tests in a copy in which some files have other texts, or don't exist. */
export type RunReverted = (
  revert: readonly { readonly path: string; readonly text?: string }[],
) => Promise<TestRun | undefined>

export interface ComparedTests {
  readonly before: TestRun | undefined
  readonly now: TestRun | undefined
  /** Test files that were added or changed: their tests may need what came with them. */
  readonly changedTestFiles: readonly string[]
  /** Names of tests that the user accepts. */
  readonly accept: readonly string[]
}

const NAMED = 3

/**
 * Do tests that the agent did not write or change need the new machinery to pass? Then the machinery makes them pass, and not the
 * source. What new tests need came with them.
 */
export async function machineryFindings(
  machinery: readonly Machinery[],
  tests: ComparedTests,
  run: RunReverted,
): Promise<readonly TamperFinding[]> {
  if (machinery.length === 0) return []
  const warnings = (why: string) => machinery.map((each) => finding(each, 'warn', why, 'Review it.'))
  const compared = testsToCompare(machinery, tests)
  if (compared.length === 0) return warnings('No earlier test shows what it changes.')
  const revert = machinery.map(({ path, original }) => ({ path, ...(original !== undefined && { text: original }) }))
  let real: readonly string[]
  try {
    const without = passing(await run(revert))
    const lost = compared.filter((name) => !without.has(name))
    if (lost.length === 0) return warnings('The tests pass without it too.')
    // A test that fails in any copy says nothing.
    const control = passing(await run([]))
    real = lost.filter((name) => control.has(name))
  } catch {
    // The project could not be copied.
    real = []
  }
  if (real.length === 0) return warnings('The tests could not be run without it.')
  const names = listOf(
    real.map((name) => `"${name}"`),
    NAMED,
  )
  const why = `${count(real.length, 'test')} that did not change ${real.length === 1 ? 'passes' : 'pass'} only with it: ${names}.`
  return machinery.map((each) => ({
    ...finding(each, 'block', why, 'Fix the source instead, or accept this finding.'),
  }))
}

const finding = (
  { path, line, isNew, effect }: Machinery,
  severity: 'block' | 'warn',
  why: string,
  what: string,
): TamperFinding => ({
  kind: 'test-setup-changed',
  severity,
  file: path,
  line,
  detail: `This ${isNew ? 'new' : 'changed'} file ${effect}. ${why} ${what}`,
})

/**
 * Tests that could be loaded before and pass now. If existing machinery changed, only those that failed before: the others may have
 * changed together with the behaviour they test.
 */
function testsToCompare(machinery: readonly Machinery[], tests: ComparedTests): readonly string[] {
  const { before, now, accept } = tests
  if (before === undefined || now === undefined) return []
  const onlyFixed = machinery.some(({ isNew }) => !isNew)
  const passes = passing(now)
  const wanted = (before.tests ?? []).filter(
    (test) =>
      passes.has(test.name) &&
      !accept.includes(test.name) &&
      (test.state === 'failed' || (test.state === 'passed' && !onlyFixed)) &&
      !isIn(test, tests.changedTestFiles),
  )
  return [...new Set(wanted.map(({ name }) => name))]
}

/** Names of tests that passed, unless another of the same name failed. */
function passing(run: TestRun | undefined): ReadonlySet<string> {
  const named = (state: TestCase['state']) => (run?.tests ?? []).filter((test) => test.state === state)
  const failed = new Set(named('failed').map(({ name }) => name))
  return new Set(named('passed').flatMap(({ name }) => (failed.has(name) ? [] : [name])))
}

/** Some runners report the file of a test, others its module. */
function isIn({ name, file }: TestCase, files: readonly string[]): boolean {
  return files.some((path) => {
    if (file !== undefined && /\.\w+$/.test(file))
      return file.endsWith(path) || path.endsWith(file.replace(/^\.\//, ''))
    const stem = path.replace(/\.\w+$/, '')
    return `${file ?? ''} ${name}`.replaceAll('/', '.').includes(stem.slice(stem.lastIndexOf('/') + 1))
  })
}
