import { resolve } from 'node:path'
import { foldText } from '../../packages/core/src/fold.ts'
import { type Loaded, type LoadOptions, loadConfig } from '../config/load.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import { PRESETS, presetOf } from '../core/presets/index.ts'
import type { Observation } from '../core/types.ts'
import { memoryJournal } from '../journal/decide-and-record.ts'
import { writeCopies, writeReadableCopy } from '../journal/readable-copy.ts'
import { openSession, type Session } from '../loop/session.ts'
import { plain, verdictText } from '../reports/verdict-text.ts'
import type { DecideValues } from './decide-options.ts'
import { InputError } from './errors.ts'
import type { Where } from './gather-evidence.ts'
import { type Io, usesColor, warn } from './io.ts'
import { observe } from './observe.ts'
import { oneOf, wholeNumber } from './parse.ts'
import { assertTemporaryFolder, placeOf, workspaceOf } from './place.ts'
import { assertReadable, readText } from './read-text.ts'
import { promptOf } from './run/prompt-of.ts'

const MOST_PROMPT_MEGABYTES = 4

/** How `check` and `next` differ: in their exit codes, and in what they do on the first call. */
export interface DecideMode {
  code(step: DecidedIteration): number
  /** True if this call only starts the run. */
  onlyStarts(session: Session): boolean
  /** The calls are one loop, so the only plan in the folder counts as in `run`. */
  readonly isLoop?: true
  /** A configuration to use in place of the one in the workspace. */
  readonly instead?: LoadOptions['foundElsewhere']
  /** EXITGATE_SANDBOX doesn't count either. */
  readonly ignoreVariables?: true
  /** Called after a decision. */
  after?(step: DecidedIteration, session: Session, workspace: string): Promise<void>
}

/** One decision from arguments to exit code: open the run, observe, decide, record, print. */
export async function decideOnce(values: DecideValues, io: Io, mode: DecideMode): Promise<number> {
  const workspace = workspaceOf(io.cwd, values.dir)
  const flags = values as Readonly<Record<string, unknown>>
  const place = placeOf(workspace, values['state-dir'], io)
  assertTemporaryFolder()
  if (values.base !== undefined) await refuseUnknownBase(workspace, values.base)
  const chosen = await loadConfig({
    dir: workspace,
    file: values.config === undefined ? undefined : resolve(io.cwd, values.config),
    env: io.env,
    flags,
    presets: PRESETS,
    ...(mode.isLoop && { paths: { prompt: 'run.prompt' } }),
    allowCode: true,
    beforeCode: async (name, hash) => {
      const { refuseChangedCode } = await import('./changed-code.ts')
      await refuseChangedCode({ workspace, stateDir: place.dir, newRun: values['new-run'] === true, io }, name, hash)
    },
    ...(mode.instead === undefined ? {} : { foundElsewhere: mode.instead }),
  })
  // With evidence from the caller, the caller decides what counts. In CI, a plan is about more than one pull request.
  const isGathered = values.evidence === undefined && values.claimedBy !== 'ci'
  const { loaded, planLine } = isGathered
    ? await planHere(chosen, workspace, values, io, mode)
    : { loaded: chosen, planLine: undefined }
  const prompt = mode.isLoop ? promptOf(workspace, io.cwd, loaded, true) : undefined
  const waitSeconds = wholeNumber('--wait', values.wait, 0)
  const session = await openSession({
    dir: place.dir,
    loaded,
    now: () => io.now(),
    ...(waitSeconds === undefined ? {} : { waitMs: waitSeconds * 1000 }),
    onWait: (text) => io.stderr.write(`${text}\n`),
    ...(values['no-record'] ? { journal: memoryJournal() } : {}),
    newRun: values['new-run'] === true,
    begins: mode.isLoop,
    ...(values.task === undefined ? {} : { task: values.task }),
  })
  try {
    if (session.state.running !== undefined) {
      const { refuseOwnAgent } = await import('./refuse-agent.ts')
      refuseOwnAgent('check', place.dir, session.state, io)
    }
    const about = { workspace, stateDir: place.dir, config: session.config, loopFiles: loopFiles(values, io.cwd) }
    const where = {
      ...about,
      io,
      baselineId: session.fresh ? undefined : session.state.baselineId,
      skipped: session.fresh ? [] : (session.state.skipped ?? []),
      accepted: session.state.accepted,
      slowest: session.state.slowest,
      ...(mode.ignoreVariables && { variables: {} }),
    }
    const warnings = [...(place.warning === undefined ? [] : [place.warning]), ...session.warnings]
    if (session.fresh && planLine !== undefined) io.stderr.write(`${plain(planLine)}\n`)
    if (mode.onlyStarts(session)) {
      // Without a record, the stored baseline stays that of the recorded run.
      const problems = values['no-record'] ? [] : await begin(where, values, session)
      printWarnings([...warnings, ...problems, ...(await writePrompt(where, prompt, session))], io)
      return 0
    }
    // Evidence that the caller passes, or a commit to compare with, is the caller's choice.
    const isOwn = values.evidence === undefined && values.base === undefined && values['no-record'] !== true
    const references = isOwn ? await import('../loop/reference.ts') : undefined
    const { reference, pinned } = (await references?.referenceOfCheck(about, session)) ?? {}
    if (pinned !== undefined) session.pin(pinned)
    const compared = reference === undefined ? where : { ...where, reference }
    const seen = await observe(compared, values, session.config, session.policy, prompt)
    checkPhase(seen.observation, session)
    const step = session.decide(seen.observation)
    const { evidence } = seen.observation
    const judged = { verdict: step.verdict, evidence }
    const unkept = await references?.keepVerified({ ...about, said: seen.said }, session, judged, io.now())
    const older =
      evidence.tampering?.answer === 'no' ? await references?.olderReference(about, session.state) : undefined
    const written = values['no-record'] ? [] : await writeFiles(workspace, session, seen.observation, step, values)
    const given = mode.isLoop && step.verdict.action !== 'stop' ? await writePrompt(where, prompt, session) : []
    printWarnings([...warnings, ...seen.problems, ...written, ...given, ...(unkept ?? []), ...(older ?? [])], io)
    print(step, session, values, io, mode.code(step))
    await mode.after?.(step, session, workspace)
    return mode.code(step)
  } finally {
    session.close()
  }
}

async function refuseUnknownBase(workspace: string, base: string): Promise<void> {
  const { commitOf, missingBase } = await import('../evidence/baseline/revision.ts')
  const { openWorkspace } = await import('../evidence/workspace.ts')
  const handle = openWorkspace(workspace)
  if ((await commitOf(handle, base)) === undefined) throw new InputError(await missingBase(handle, base))
}

/** Written by the loop around this command, not by the agent. */
const loopFiles = ({ transcript, prompt }: DecideValues, cwd: string): readonly string[] =>
  [transcript, prompt].flatMap((path) => (path === undefined || path === '-' ? [] : [resolve(cwd, path)]))

/** The plan that exitgate finds here, and a line about it. */
async function planHere(
  loaded: Loaded,
  workspace: string,
  { prompt, task = '', json, quiet }: DecideValues,
  io: Io,
  { isLoop }: DecideMode,
) {
  const { searchText, withFoundPlan } = await import('../loop/found-plan.ts')
  const text = prompt === undefined ? '' : readText('--prompt', resolve(io.cwd, prompt), MOST_PROMPT_MEGABYTES)
  const found = withFoundPlan(loaded, workspace, [text, task], { onlyNamed: isLoop !== true })
  const { plan } = found.loaded.config
  if (plan !== undefined) assertReadable('The plan', resolve(workspace, plan))
  const line = searchText(found.search)
  return { loaded: found.loaded, planLine: json || quiet ? undefined : line }
}

/** Starts the run with a baseline, unless the caller passes its own evidence. */
async function begin(where: Where, values: DecideValues, session: Session): Promise<readonly string[]> {
  if (values.evidence !== undefined) {
    session.begin({})
    return []
  }
  const { gatherStart } = await import('./gather-evidence.ts')
  const { evidence, problems, baselineId } = await gatherStart(where, values, session.config)
  session.begin(evidence, baselineId)
  return problems
}

/** The prompt for the agent of the caller's loop: the user's own, what is missing, and how to report. */
async function writePrompt({ workspace, stateDir }: Where, prompt = '', { config, policy, state }: Session) {
  const { promptFor } = await import('../loop/prompt.ts')
  const { taskForIteration } = await import('../loop/tasks.ts')
  const next = taskForIteration({ workspace, dir: stateDir }, config, state)
  return writeCopies(workspace, { 'prompt.md': promptFor(prompt, policy, state, next) })
}

function checkPhase({ phase }: Observation, { policy }: Session): void {
  if (phase === undefined) return
  if (policy.phases === undefined)
    throw new InputError(`--phase is "${phase}", but the preset "${policy.preset}" has no phases.`)
  oneOf('--phase', phase, policy.phases)
}

/** Writes the readable copy and, for the older presets, their own files. A problem there is only a warning. */
async function writeFiles(
  workspace: string,
  session: Session,
  observation: Observation,
  step: DecidedIteration,
  values: DecideValues,
): Promise<readonly string[]> {
  const problems = writeReadableCopy(workspace, session.state)
  if (presetOf(session.config).stateFiles !== true || !session.config.files || values['no-files']) return problems
  const { writeCompat } = await import('../loop/write-compat.ts')
  const { config, state } = session
  const { verdict, transitions, facts } = step
  return [...problems, ...writeCompat(workspace, { config, state, observation, verdict, transitions, at: facts.at })]
}

function printWarnings(warnings: readonly string[], io: Io): void {
  for (const warning of new Set(warnings)) warn(io, plain(warning))
}

/** Text for people, one JSON document for programs. */
function print(step: DecidedIteration, session: Session, values: DecideValues, io: Io, exitCode: number): void {
  const { verdict, facts } = step
  const { policy, state } = session
  if (values.json) {
    // The phase of an `advance` is the next one, so the verdict has the last word.
    const where = { preset: policy.preset, run: state.run, iteration: facts.iteration, phase: facts.phase, exitCode }
    const { signals, evidence, charged: breaker, streaks } = { ...facts, charged: step.after.breaker }
    io.stdout.write(
      `${JSON.stringify({ ...where, ...verdict, weaker: policy.weaker, signals, evidence, breaker, streaks })}\n`,
    )
  } else if (!values.quiet) {
    const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
    io.stdout.write(foldText(verdictText(step, policy.preset, style, session.config.required), io.stdout.columns))
  }
}
