import type { Config } from '../../core/config.ts'
import { type RunTestCommand, runInCopy } from '../../evidence/red-proof/run-copy.ts'
import { runTestCommand } from '../../evidence/runners/run.ts'
import { isTestFile, type Language, languageOf } from '../../evidence/test-files.ts'
import type { Detected, TestResult, Workspace } from '../../evidence/types.ts'
import type { Proof } from '../../reports/doctor-text.ts'

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
function failingTests(path: string, text: string): string | undefined {
  const language = languageOf(path)
  if (/\.bats$/.test(path)) return `${text}\n@test "${WHY}" { false; }\n`
  return language === undefined ? undefined : text + (FAILS[language] ?? NONSENSE)
}

/** A source file that cannot be read by its language any more. */
function brokenSource(path: string, text: string): string | undefined {
  return languageOf(path) === undefined || /\.d\.[cm]?ts$/.test(path) ? undefined : text + NONSENSE
}

export interface RedOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: Config | undefined
  readonly signal: AbortSignal
}

type Broken = readonly { readonly path: string; readonly text: string }[]

const MOST_FILES = 5_000
const MINUTES = 15
const LONGEST = 200

/**
 * Shows that a command can say no: it runs in a copy of the tree as it is, and in one in which every test, or every source file, is
 * broken. One that stays green there would wave anything through.
 */
export async function proveRed(workspace: Workspace, detected: Detected, options: RedOptions): Promise<Proof> {
  try {
    const asItIs = await runOnce(workspace, detected, [], options)
    const stopped = cannotTell(asItIs)
    if (stopped !== undefined) return { state: 'note', text: `could not be shown to go red: ${stopped}` }
    if (!isGreen(detected, asItIs)) return redAsItIs(asItIs)
    const broken = await breakFiles(workspace, detected)
    if (broken.length === 0)
      return { state: 'note', text: 'could not be shown to go red: no file of a known language was found to break' }
    const red = await runOnce(workspace, detected, broken, options)
    const late = cannotTell(red)
    const what = `${broken.length} broken ${broken.length === 1 ? 'file' : 'files'}`
    if (late !== undefined) return { state: 'note', text: `could not be shown to go red: with ${what}, ${late}` }
    if (!isGreen(detected, red))
      return { state: 'good', text: `it goes red: with ${what} it ended with ${red.ran.code}` }
    if (detected.kind === 'test' && red.run === undefined)
      return {
        state: 'note',
        text: 'could not be shown to go red: what it prints names no results, so it proves nothing',
      }
    const remedy = 'Name a command that fails when something is wrong; this one would let every claim pass.'
    return { state: 'bad', text: `it stays green with ${what}`, remedy }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { state: 'note', text: `could not be shown to go red: ${why.slice(0, LONGEST)}` }
  }
}

/** Failed tests by name are a proof; any other failure may have a reason that has nothing to do with the tree. */
function redAsItIs({ ran, run }: TestResult): Proof {
  if (run !== undefined && run.failed + (run.suitesFailed ?? 0) > 0)
    return { state: 'good', text: `it is red as it is (${run.failed} failed), so it can go red` }
  return { state: 'note', text: `could not be shown to go red: it ends with ${ran.code} as it is` }
}

async function runOnce(
  workspace: Workspace,
  detected: Detected,
  broken: Broken,
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
  if (result === undefined) throw new Error('it was not run')
  return result
}

const runPlainly: RunTestCommand = async (copy, { command, cwd }, how) => ({
  ran: await copy.run(command, { ...how, cwd }),
  source: 'none',
})

/** Why the end of a command says nothing about what it looked at. */
function cannotTell({ ran }: TestResult): string | undefined {
  if (ran.ended === 'not-started') return `it could not be started (${ran.problem ?? 'for no known reason'})`
  if (ran.ended === 'deadline') return 'it did not finish in time'
  if (ran.ended === 'aborted') return 'it was interrupted'
  if (ran.code === null) return 'it was killed'
  return ran.code === 126 || ran.code === 127 ? 'its program could not be found in a copy' : undefined
}

/** A test command that ends well although its results do not is not green. */
const isGreen = ({ kind }: Detected, { ran, run }: TestResult): boolean =>
  ran.code === 0 && (kind !== 'test' || run?.ok !== false)

async function breakFiles(workspace: Workspace, { kind, cwd }: Detected): Promise<Broken> {
  const inside = (await workspace.list()).filter((path) => cwd === '' || cwd === '.' || path.startsWith(`${cwd}/`))
  const texts = inside.slice(0, MOST_FILES).flatMap((path) => {
    const text = workspace.read(path)
    return text === undefined ? [] : [{ path, text }]
  })
  const tests = kind === 'test' ? texts.filter(({ path, text }) => isTestFile(path, text)) : []
  return tests.length > 0 ? changed(tests, failingTests) : changed(texts, brokenSource)
}

const changed = (files: Broken, by: (path: string, text: string) => string | undefined): Broken =>
  files.flatMap(({ path, text }) => {
    const next = by(path, text)
    return next === undefined ? [] : [{ path, text: next }]
  })
