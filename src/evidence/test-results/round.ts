import { count } from '../../../packages/core/src/count.ts'
import { isByExitCode } from '../../../packages/exitgate/src/checks/exit-code.ts'
import type { TestCase, TestRun } from '../../../packages/test-output/src/types.ts'
import { redact } from '../../system/redact.ts'
import { lastLines } from '../last-lines.ts'
import type { Detected, RunOptions, TestResult, Workspace } from '../types.ts'

/** Runs one test command and reads its report. */
export type RunTests = (detected: Detected, options: RunOptions, workspace: Workspace) => Promise<TestResult>

/** A problem, other than a failing test, that prevents a clear answer. */
export interface Trouble {
  readonly answer: 'no' | 'unknown'
  readonly why: string
  /** The command, and the end of what it printed. */
  readonly ended?: string
}

/** All test commands of the project, run once each. Their output is not kept, because it may be large. */
export interface TestRound {
  /** Their combined reports; absent if none reported anything. */
  readonly run?: TestRun
  readonly troubles: readonly Trouble[]
  /** The end of what a command printed that fails without saying which test. */
  readonly ends?: readonly string[]
}

export async function runRound(
  commands: readonly Detected[],
  run: RunTests,
  options: RunOptions,
  workspace: Workspace,
): Promise<TestRound> {
  const runs: TestRun[] = []
  const troubles: Trouble[] = []
  const ends: string[] = []
  for (const detected of commands) {
    const result = await run(detected, options, workspace)
    if (result.run !== undefined) runs.push(inFolder(result.run, detected.cwd))
    const trouble = troubleOf(result, options.deadlineMs)
    if (isByExitCode(result.run) && result.run?.ok === false) ends.push(endOf(detected, result).ended ?? '')
    if (trouble === undefined) continue
    const why = commands.length === 1 ? trouble.why : `${detected.command}: ${trouble.why}`
    troubles.push({ ...trouble, why, ...endOf(detected, result) })
  }
  return { ...(runs.length > 0 && { run: mergeRuns(runs) }), troubles, ends }
}

const MOST_LINES = 10

/** `lint && test` that fails without a failing test: only what it printed shows which part failed, and why. */
function endOf({ command, behind }: Detected, { ran }: TestResult): Pick<Trouble, 'ended'> {
  const last = lastLines(ran.output, MOST_LINES)
  if (last === '') return {}
  const line = behind === undefined ? `"${command}"` : `"${command}" (${behind})`
  return { ended: redact(`The last lines of ${line}:\n${last}`) }
}

/** File paths relative to the workspace, not to the folder the command ran in. */
function inFolder(run: TestRun, cwd: string): TestRun {
  if (cwd === '' || cwd === '.' || run.tests === undefined) return run
  const place = (test: TestCase): TestCase =>
    test.file === undefined || /^(?:[/\\]|[A-Za-z]:|file:)/.test(test.file) || test.file.startsWith(`${cwd}/`)
      ? test
      : { ...test, file: `${cwd}/${test.file.replace(/^\.\//, '')}` }
  return { ...run, tests: run.tests.map(place) }
}

/** Combines several runs; all must be good. */
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

/** What prevents a clear answer: how the command ended, or what it reported apart from its tests. */
function troubleOf({ ran, run, source }: TestResult, deadlineMs: number): Trouble | undefined {
  if (ran.ended === 'not-started')
    return unknown(`The test command could not be started: ${ran.problem ?? 'no reason given'}.`)
  if (ran.ended === 'aborted') return unknown('The test command was stopped before it finished.')
  if (ran.ended === 'deadline') {
    return unknown(
      `The test command did not finish within ${Math.max(1, Math.round(deadlineMs / 1000))} s and was stopped.`,
    )
  }
  if (ran.code === null) return unknown('The test command was killed by a signal.')
  if (ran.code === 126 || ran.code === 127) return unknown('The test command could not be found or run.')
  const exited = `The test command exited with ${ran.code}`
  if (run === undefined) return unknown(`${exited}, but its output shows no test results.`)
  const reported = (run.problems ?? []).join(' ')
  const { suitesFailed = 0 } = run
  if (suitesFailed > 0)
    return no(reported || `${count(suitesFailed, 'test file')} could not be loaded or did not finish.`)
  if (run.failed > 0) {
    if (reported !== '') return unknown(reported)
    // A masked exit code: the report has failures, but the command reports success.
    return ran.code === 0 ? unknown(`${exited}, but tests failed.`) : undefined
  }
  if (run.ok === false) {
    return ran.cut > 0 && source === 'output'
      ? unknown(`${exited}. Its output was too long to keep in full.`)
      : no(reported || `${exited}.`)
  }
  if (run.total === 0 || run.passed === 0) return unknown(`${exited}, but no test passed.`)
  if (run.ok === null) return unknown(reported || `${exited}, but its output does not show that the tests passed.`)
  return ran.code === 0 ? undefined : no(`${exited}, but no test is reported as failed.`)
}
