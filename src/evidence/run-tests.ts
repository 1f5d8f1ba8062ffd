import type { Answer, Evidence } from '../core/types.ts'
import { type CommandOptions, type CommandResult, runCommand } from '../system/run-command.ts'
import { readTestOutput, type TestRun } from '../test-output/index.ts'
import { scrubbed } from './scrub-environment.ts'

export interface RunTestsOptions extends Omit<CommandOptions, 'env'> {
  /** Identity of the tree the tests run on. */
  readonly tree?: string
}

const NAMED = 5

function summary(run: TestRun): string {
  const failing = (run.tests ?? []).filter((test) => test.state === 'failed').map((test) => test.name)
  const more = failing.length > NAMED ? ` and ${failing.length - NAMED} more` : ''
  const named = failing.length === 0 ? '' : ` Failing: ${failing.slice(0, NAMED).join('; ')}${more}.`
  const skipped = run.skipped > 0 ? `, ${run.skipped} skipped` : ''
  return `${run.passed} of ${run.total} tests passed, ${run.failed} failed${skipped} (${run.framework}).${named}`
}

/** Why the command's own end stands in the way of an answer, if it does. */
function ending(result: CommandResult, options: RunTestsOptions): string | undefined {
  if (result.ended === 'not-started') return `The test command could not be started: ${result.problem}.`
  if (result.ended === 'aborted') return 'The test command was stopped because the run was interrupted.'
  if (result.ended === 'deadline') {
    return `The test command did not finish within ${Math.round(options.deadlineMs / 1000)} s and was stopped.`
  }
  if (result.code === null) return 'The test command was killed by a signal.'
  if (result.code === 126 || result.code === 127) return 'The test command could not be found or run.'
  return undefined
}

/** Green needs both: a report of passed tests, and a command that agrees by its exit code. */
function judge(result: CommandResult, run: TestRun | undefined, options: RunTestsOptions): [Answer, string] {
  const stopped = ending(result, options)
  if (stopped !== undefined) return [run !== undefined && run.failed > 0 ? 'no' : 'unknown', stopped]
  const exited = `The test command exited with ${result.code}`
  if (run === undefined) return ['unknown', `${exited}, and its output names no test results.`]
  if (run.ok === false && run.failed === 0 && result.cut > 0) {
    return ['unknown', `${exited}; its output was too long to be kept whole.`]
  }
  if (run.ok === false) return ['no', `${exited}.`]
  if (run.ok === null) return ['unknown', `${exited}, but the output does not show that tests passed.`]
  if (result.code !== 0) return ['no', `${exited} although its output shows no failed test.`]
  return ['yes', `${exited}.`]
}

/** The `tests` check: runs the project's own test command and reads what it printed. */
export async function runTests(dir: string, commandLine: string, options: RunTestsOptions): Promise<Evidence> {
  const result = await runCommand(dir, commandLine, { ...options, env: scrubbed(process.env) })
  const run = readTestOutput(result.output)
  const [answer, why] = judge(result, run, options)
  const tree = options.tree ?? ''
  if (run === undefined) return { check: 'tests', answer, detail: why, ms: result.ms, tree }
  const { passed, failed, skipped, aside = 0 } = run
  const total = run.total - aside
  const detail = `${why} ${summary(run)}`
  return { check: 'tests', answer, detail, counts: { total, passed, failed, skipped }, ms: result.ms, tree }
}
