import type { TestCase, TestRun } from '../../test-output/types.ts'
import type { Detected, RunOptions, TestResult, Workspace } from '../types.ts'

/** Runs one test command with its report read. */
export type RunTests = (detected: Detected, options: RunOptions, workspace: Workspace) => Promise<TestResult>

/** Something that stands in the way of an answer and is no failing test. */
export interface Trouble {
  readonly answer: 'no' | 'unknown'
  readonly why: string
}

/** All test commands of the project, run once each. What they printed is not kept: it may be large. */
export interface TestRound {
  /** What they reported, taken together; absent when none reported anything. */
  readonly run?: TestRun
  readonly troubles: readonly Trouble[]
}

export async function runRound(
  commands: readonly Detected[],
  run: RunTests,
  options: RunOptions,
  workspace: Workspace,
): Promise<TestRound> {
  const runs: TestRun[] = []
  const troubles: Trouble[] = []
  for (const detected of commands) {
    const result = await run(detected, options, workspace)
    if (result.run !== undefined) runs.push(inFolder(result.run, detected.cwd))
    const trouble = troubleOf(result, options.deadlineMs)
    if (trouble === undefined) continue
    troubles.push(commands.length === 1 ? trouble : { ...trouble, why: `${detected.command}: ${trouble.why}` })
  }
  return { ...(runs.length > 0 && { run: mergeRuns(runs) }), troubles }
}

/** Files as they are called from the workspace, not from the folder the command ran in. */
function inFolder(run: TestRun, cwd: string): TestRun {
  if (cwd === '' || cwd === '.' || run.tests === undefined) return run
  const place = (test: TestCase): TestCase =>
    test.file === undefined || /^(?:[/\\]|[A-Za-z]:|file:)/.test(test.file) || test.file.startsWith(`${cwd}/`)
      ? test
      : { ...test, file: `${cwd}/${test.file.replace(/^\.\//, '')}` }
  return { ...run, tests: run.tests.map(place) }
}

/** Several runs as one: all must be good. */
export function mergeRuns(runs: readonly TestRun[]): TestRun {
  if (runs.length === 1) return runs[0]!
  const sum = (pick: (run: TestRun) => number | undefined) => runs.reduce((all, run) => all + (pick(run) ?? 0), 0)
  const tests = runs.flatMap((run) => run.tests ?? [])
  const suitesFailed = sum((run) => run.suitesFailed)
  const aside = sum((run) => run.aside)
  const problems = runs.flatMap((run) => run.problems ?? [])
  return {
    passed: sum((run) => run.passed),
    failed: sum((run) => run.failed),
    skipped: sum((run) => run.skipped),
    total: sum((run) => run.total),
    ok: runs.some((run) => run.ok === false) ? false : runs.every((run) => run.ok === true) ? true : null,
    framework: [...new Set(runs.map((run) => run.framework))].join('+'),
    ...(tests.length > 0 && { tests }),
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(aside > 0 && { aside }),
    ...(problems.length > 0 && { problems }),
  }
}

const unknown = (why: string): Trouble => ({ answer: 'unknown', why })
const no = (why: string): Trouble => ({ answer: 'no', why })

/** Why the command's own end, or what it reported besides its tests, stands in the way of an answer. */
function troubleOf({ ran, run, source }: TestResult, deadlineMs: number): Trouble | undefined {
  if (ran.ended === 'not-started')
    return unknown(`The test command could not be started: ${ran.problem ?? 'no reason given'}.`)
  if (ran.ended === 'aborted') return unknown('The test command was stopped before its end.')
  if (ran.ended === 'deadline') {
    return unknown(
      `The test command did not finish within ${Math.max(1, Math.round(deadlineMs / 1000))} s and was stopped.`,
    )
  }
  if (ran.code === null) return unknown('The test command was killed by a signal.')
  if (ran.code === 126 || ran.code === 127) return unknown('The test command could not be found or run.')
  const exited = `The test command exited with ${ran.code}`
  if (run === undefined) return unknown(`${exited}, and nothing in its output names test results.`)
  const said = (run.problems ?? []).join(' ')
  if ((run.suitesFailed ?? 0) > 0) return no(said || `${run.suitesFailed} test files could not be loaded or finished.`)
  if (run.failed > 0) {
    if (said !== '') return unknown(said)
    // A masked exit code: the report says red, the command says fine.
    return ran.code === 0 ? unknown(`${exited} although tests failed.`) : undefined
  }
  if (run.ok === false) {
    return ran.cut > 0 && source === 'output'
      ? unknown(`${exited}; its output was too long to be kept whole.`)
      : no(said || `${exited}.`)
  }
  if (run.total === 0 || run.passed === 0) return unknown(`${exited}, and no test passed.`)
  if (run.ok === null) return unknown(said || `${exited}, but its output does not show that the tests passed.`)
  return ran.code === 0 ? undefined : no(`${exited} although it reports no failed test.`)
}
