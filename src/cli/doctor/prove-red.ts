import { count } from '../../../packages/core/src/count.ts'
import { brokenFiles, type Texts } from '../../../packages/exitgate/src/frameworks/broken-files.ts'
import type { Config } from '../../core/config.ts'
import { lastLines } from '../../evidence/last-lines.ts'
import { type RunTestCommand, runInCopy } from '../../evidence/red-proof/run-copy.ts'
import { runTestCommand } from '../../evidence/runners/run.ts'
import type { Detected, TestResult, Workspace } from '../../evidence/types.ts'
import type { Proof } from '../../reports/doctor-text.ts'
import { redact } from '../../system/redact.ts'

export interface RedOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: Config | undefined
  readonly signal: AbortSignal
}

const UNPROVEN = 'could not test whether it detects failures'
const MOST_FILES = 5_000
const MINUTES = 15
const LONGEST = 200

/**
 * Tests that a command can fail: it runs in a copy of the project as it is, and in copies where tests, then other files, are broken. A
 * command that still passes there would accept anything.
 */
export async function proveRed(workspace: Workspace, detected: Detected, options: RedOptions): Promise<Proof> {
  try {
    const asItIs = await runOnce(workspace, detected, [], options)
    const problem = inconclusive(asItIs)
    if (detected.kind === 'test' && isMissing(asItIs)) return cannotRun(detected, asItIs, problem!)
    if (problem !== undefined) return { state: 'note', text: `${UNPROVEN}: ${problem}` }
    if (!passes(detected, asItIs)) return alreadyFails(detected, asItIs)
    const line = `${detected.command} ${detected.behind ?? ''}`
    const groups = brokenFiles(await textsIn(workspace, detected), detected.kind === 'test', line)
    if (groups.length === 0)
      return { state: 'note', text: `${UNPROVEN}: there is no file of a known language to break` }
    for (const broken of groups) {
      const broke = await runOnce(workspace, detected, broken, options)
      const late = inconclusive(broke)
      const what = count(broken.length, 'broken file')
      if (late !== undefined) return { state: 'note', text: `${UNPROVEN}: with ${what}, ${late}` }
      if (!passes(detected, broke))
        return { state: 'good', text: `detects failures: with ${what} it exited with ${broke.ran.code}` }
      if (detected.kind === 'test' && broke.run === undefined && detected.runner !== undefined)
        return { state: 'note', text: `${UNPROVEN}: its output has no test results, so it proves nothing` }
    }
    const remedy = 'Set a command that fails when something is wrong. This one would accept every claim.'
    return { state: 'bad', text: `it passes even with ${count(groups.flat().length, 'broken file')}`, remedy }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { state: 'note', text: `${UNPROVEN}: ${why.slice(0, LONGEST)}` }
  }
}

/** Failed tests are a proof. A test command that fails for another reason (options, packages, no tests) gives no evidence. */
function alreadyFails(detected: Detected, result: TestResult): Proof {
  const { ran, run } = result
  // Files that don't load count only next to tests that ran: a missing module keeps every test from running.
  const suites = run?.suitesFailed ?? 0
  if (run !== undefined && (run.failed > suites || (run.passed > 0 && run.failed + suites > 0)))
    return {
      state: 'good',
      text: `${count(run.failed, 'test')} ${run.failed === 1 ? 'fails' : 'fail'} right now, so this command does detect failures`,
    }
  const why = `it already exits with ${ran.code}`
  return detected.kind === 'test'
    ? cannotRun(detected, result, `${why}, without a failing test`)
    : { state: 'note', text: `${UNPROVEN}: ${why}` }
}

const LAST_LINES = 3

function cannotRun({ command, cwd }: Detected, { ran }: TestResult, why: string): Proof {
  const last = redact(lastLines(ran.output, LAST_LINES)).replaceAll('\n', ' / ')
  const place = cwd === '' ? '' : ` in ${cwd}`
  const text = `${UNPROVEN}: ${why}${last === '' ? '' : `. It ends with: ${last}`}`
  return {
    state: 'bad',
    text,
    remedy: `Run ${command}${place} yourself, and install what it needs, or set commands.test.`,
  }
}

async function runOnce(
  workspace: Workspace,
  detected: Detected,
  broken: Texts,
  { env, config, signal }: RedOptions,
): Promise<TestResult> {
  let result: TestResult | undefined
  const run: RunTestCommand = async (copy, command, how) => {
    result = detected.kind === 'test' ? await runTestCommand(copy, command, how) : await runPlainly(copy, command, how)
    return result
  }
  const deadlineMs = Math.min(config?.evidence.maximumMinutes ?? MINUTES, MINUTES) * 60_000
  const allow = config?.evidence.passEnv ?? []
  await runInCopy(workspace, { commands: [detected], run, revert: broken, deadlineMs, signal, env, allow })
  if (result === undefined) throw new Error('it did not run')
  return result
}

const runPlainly: RunTestCommand = async (copy, { command, cwd }, how) => ({
  ran: await copy.run(command, { ...how, cwd }),
  source: 'none',
})

/** Why the result of a command says nothing about the project. */
function inconclusive({ ran }: Pick<TestResult, 'ran'>): string | undefined {
  if (ran.ended === 'not-started') return `it could not be started (${ran.problem ?? 'unknown reason'})`
  if (ran.ended === 'deadline') return 'it did not finish in time'
  if (ran.ended === 'aborted') return 'it was interrupted'
  if (ran.code === null) return 'it was killed'
  return isMissing({ ran }) ? 'its program is missing in a copy of the project' : undefined
}

const isMissing = ({ ran }: Pick<TestResult, 'ran'>) => ran.ended === 'exit' && (ran.code === 126 || ran.code === 127)

/** A test command that exits with 0 although tests failed does not pass. */
const passes = ({ kind }: Detected, { ran, run }: TestResult): boolean =>
  ran.code === 0 && (kind !== 'test' || run?.ok !== false)

async function textsIn(workspace: Workspace, { cwd }: Detected): Promise<Texts> {
  const inside = (await workspace.list()).filter((path) => cwd === '' || cwd === '.' || path.startsWith(`${cwd}/`))
  return inside.slice(0, MOST_FILES).flatMap((path) => {
    const text = workspace.read(path)
    return text === undefined ? [] : [{ path, text }]
  })
}
