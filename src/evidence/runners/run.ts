import { join } from 'node:path'
import { runByExitCode } from '../../../packages/exitgate/src/checks/exit-code.ts'
import { goEventText } from '../../../packages/exitgate/src/frameworks/go-events.ts'
import { addRuns } from '../../../packages/test-output/src/make-run.ts'
import { readAnyOutput, readTestReport } from '../../../packages/test-output/src/report.ts'
import type { TestCase, TestRun } from '../../../packages/test-output/src/types.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { makeTemporaryFolder } from '../../system/temporary-folder.ts'
import type { CommandResult, Detected, RunOptions, TestResult, Workspace } from '../types.ts'
import { withOptions } from './call.ts'
import { injectReporter } from './index.ts'
import { collectReports, putFiles } from './reports.ts'
import type { Injection } from './types.ts'

/** A runner that does not know our options fails at once, before any test. */
const UNKNOWN_OPTION =
  /unknown (?:option|argument|flag|command[- ]line option)|unrecognized (?:argument|option)|invalid (?:option|argument)|unexpected argument|no such option|bad option|not a valid option|flag provided but not defined|could not (?:open|run|compile) init(?:ialization)? script|initialization script|ERR_(?:UNKNOWN|INVALID)|Cannot find (?:module|package) '(?:junit|spec)'/i

/** Events take more room than the lines they describe. */
const MOST_BYTES = 64 * 1024 * 1024
/** If an output has a gap, only both its ends are read: reading takes ten times the memory of the text. */
const CUT_TO = 4 * 1024 * 1024

const rejectedOptions = (ran: CommandResult, run: TestRun | undefined): boolean =>
  ran.ended === 'exit' && ran.code !== 0 && (run === undefined || run.total === 0) && UNKNOWN_OPTION.test(ran.output)

/** Runs a test command, with a machine-readable report if the runner has one, and reads the results. */
export async function runTestCommand(
  workspace: Workspace,
  detected: Detected,
  options: RunOptions,
): Promise<TestResult> {
  const folder = makeTemporaryFolder('report')
  const named = options.as && { as: { ...options.as, command: detected.command } }
  const shown = { ...options, ...named }
  try {
    const read = (path: string) => workspace.read(join(detected.cwd, path))
    const injection = injectReporter(detected, { folder, read, env: process.env })
    if (injection === undefined) return await runUnchanged(workspace, detected, shown)
    const injected = await runInjected(workspace, detected, shown, injection, folder)
    if (!rejectedOptions(injected.ran, injected.run)) return injected
    // No test ran, so the plain command is the first run and not a second one.
    const deadlineMs = Math.max(1, options.deadlineMs - injected.ran.ms)
    return await runUnchanged(workspace, detected, { ...shown, deadlineMs })
  } finally {
    removeFolderSync(folder)
  }
}

/**
 * The result of a command that reports no tests. If it did so before and reports tests now, its exit code counts too. Runners that we
 * know always report something.
 */
export function withExitCode(result: TestResult, { command, runner }: Detected, wasSo = false): TestResult {
  const { ran, run } = result
  if (ran.ended !== 'exit' || ran.code === null || ran.code === 126 || ran.code === 127) return result
  if (runner !== undefined && run === undefined) return result
  const own = runByExitCode(command, ran.code)
  return run === undefined ? { ...result, run: own } : wasSo ? { ...result, run: addRuns([run, own])! } : result
}

/** Cargo prints the name of a test program to one stream and its results to the other. */
async function runUnchanged(workspace: Workspace, detected: Detected, options: RunOptions): Promise<TestResult> {
  const command = detected.only === undefined ? undefined : withOptions(detected, [])
  const ran = await workspace.run(command ?? detected.command, {
    cutTo: CUT_TO,
    ...options,
    cwd: detected.cwd,
    oneStream: detected.runner === 'cargo',
  })
  return combine(ran, undefined, at(await readAnyOutput(ran.output), workspace))
}

async function runInjected(
  workspace: Workspace,
  detected: Detected,
  options: RunOptions,
  injection: Injection,
  folder: string,
): Promise<TestResult> {
  putFiles(folder, injection.files)
  const startedAt = Date.now()
  const env = { ...options.env, ...injection.env }
  const size = { cutTo: CUT_TO, ...(injection.reports.in === 'output' && { maxBytes: MOST_BYTES }) }
  const ran = await workspace.run(injection.command, {
    ...size,
    ...options,
    cwd: detected.cwd,
    env,
    writable: [folder],
  })
  const printed = at(await readAnyOutput(ran.output), workspace)
  // Converts a stream of events back to the usual printed lines.
  if (injection.reports.in === 'output') return combine({ ...ran, output: goEventText(ran.output) }, undefined, printed)
  const reports = collectReports(injection.reports, folder, workspace.copy?.dir ?? workspace.dir, startedAt)
  const runs = await Promise.all(reports.map(({ name, text }) => readTestReport(name, text)))
  const report = at(addRuns(runs.filter((run) => run !== undefined)), workspace)
  return combine(ran, report, printed)
}

const at = (run: TestRun | undefined, { dir, copy }: Workspace): TestRun | undefined =>
  run === undefined ? undefined : placed(run, copy?.seenAs ?? dir)

/** Names tests by their place in the workspace, so that two checkouts use the same names. */
function placed(run: TestRun, dir: string): TestRun {
  if (run.tests === undefined) return run
  const start = `${dir.replace(/[\\/]$/, '')}/`
  const inside = (text: string) =>
    text
      .replaceAll('\\', '/')
      .replace(/^file:\/\//, '')
      .replaceAll(start, '')
      .replace(/^\.\//, '')
  const place = (test: TestCase): TestCase => ({
    ...test,
    name: test.name.includes(start) ? test.name.replaceAll(start, '') : test.name,
    ...(test.file !== undefined && { file: inside(test.file) }),
  })
  return { ...run, tests: run.tests.map(place) }
}

const asFailed = (run: TestRun, why: string): TestRun => ({
  ...run,
  ok: false,
  problems: [...(run.problems ?? []), why],
})
const asUnclear = (run: TestRun, why: string): TestRun => ({
  ...run,
  ok: null,
  problems: [...(run.problems ?? []), why],
})

/** A report contains only files that could be loaded; the printed output may mention the others. */
function withPrinted(report: TestRun, printed: TestRun | undefined, code: number | null): TestRun {
  if (printed === undefined || /^(?:words|lines)$/.test(printed.framework) || code === 0 || report.ok !== true)
    return report
  if (printed.ok !== false) return report
  const suitesFailed = Math.max(report.suitesFailed ?? 0, printed.suitesFailed ?? 0)
  const why = printed.problems?.[0] ?? 'The printed output shows that the run failed.'
  return { ...asFailed(report, why), ...(suitesFailed > 0 && { suitesFailed }) }
}

/** Combines report, printed summary and exit code; if they contradict each other, the cautious one counts. */
function combine(ran: CommandResult, report: TestRun | undefined, printed: TestRun | undefined): TestResult {
  const source = report !== undefined ? 'report' : printed !== undefined ? 'output' : 'none'
  const combined = report === undefined ? printed : withPrinted(report, printed, ran.code)
  if (combined === undefined) return { ran, source }
  // A runner that is stopped may still report the test it was running as failed.
  if (ran.ended !== 'exit' || ran.code === null)
    return { ran, run: asUnclear(combined, 'The command did not finish by itself.'), source }
  if (combined.ok !== true) return { ran, run: combined, source }
  if (ran.code !== 0) {
    return {
      ran,
      run: asFailed(combined, `The command exited with ${ran.code}, but no test is reported as failed.`),
      source,
    }
  }
  return { ran, run: combined, source }
}
