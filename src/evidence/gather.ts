import { join, relative } from 'node:path'
import type { Config } from '../core/config.ts'
import type { EvidenceSet, OpenFinding } from '../core/types.ts'
import { linkFindings, tamperFinding, withoutAccepted } from './accepted-findings.ts'
import { withEarlierFailures } from './baseline/carried.ts'
import { fileStates } from './baseline/file-states.ts'
import { rowOf } from './baseline/file-table.ts'
import { openBaseline, sinceCommit } from './baseline/open.ts'
import { baselineFromRevision, commitOf } from './baseline/revision.ts'
import type { FullBaseline } from './baseline/stored-baseline.ts'
import { takeBaseline } from './baseline/take.ts'
import { outputFiles } from './callers-files.ts'
import { tamperingSince } from './checks/tampering.ts'
import { gatherForClaim } from './clean-room/gather-for-claim.ts'
import { removeRooms, sweep } from './clean-room/room-places.ts'
import { tryRoom } from './clean-room/try-room.ts'
import { longestMs } from './deadlines.ts'
import { detect, leftOut } from './detect/index.ts'
import { type GatherOptions, gatherOnce, runsCommands, type Setting } from './gather-once.ts'
import { takeGitSnapshot } from './git.ts'
import { indexOf } from './git-index.ts'
import { ownEditsIn } from './own-edits.ts'
import { planFiles, planNow, planPath } from './plan/view.ts'
import type { Baseline, Detected, OnCommand, Workspace } from './types.ts'
import { openWorkspace, withCachedList } from './workspace.ts'

export type { GatherOptions } from './gather-once.ts'

export interface Gathered {
  readonly evidence: EvidenceSet
  readonly baselineId?: string
  readonly problems: readonly string[]
  /** Changes that were refused before the baseline was taken and still are. */
  readonly refused?: readonly OpenFinding[]
}

/** `look` comes first, so that one look at files and git serves everything up to the first command. */
function workspaceOf({ dir, config, sandbox, claim, ...options }: GatherOptions): Workspace {
  const onCommand = options.onCommand && numbered(options.onCommand)
  return withCachedList(openWorkspace(dir, { allow: config.evidence.passEnv, sandbox, onCommand, reuseIndex: !claim }))
}

/** Collects all evidence about the workspace, compared with the state before the first iteration. */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const workspace = workspaceOf(options)
  const looking = workspace.look?.() ?? workspace.list()
  const [baseline] = await Promise.all([baselineFor(workspace, options), looking])
  return gatherIn(workspace, baseline, options).finally(() => clearRooms(options))
}

async function clearRooms({ keepRooms, stateDir }: GatherOptions): Promise<void> {
  if (!keepRooms) await removeRooms(stateDir)
}

/** The stored baseline, a revision if the caller names one, or the last commit, so that uncommitted work is compared with something. */
async function baselineFor(workspace: Workspace, options: GatherOptions): Promise<FullBaseline | undefined> {
  const { stateDir, baselineId, base, reference } = options
  if (base !== undefined) return baselineFromRevision(workspace, base)
  const remembered = baselineId === undefined ? undefined : openBaseline(stateDir, { expect: baselineId })
  if (remembered !== undefined) return remembered
  const earlier = reference && openBaseline(reference.dir, { expect: reference.id })
  // Changes count from the last commit, because a second look at verified work must not find none.
  if (earlier !== undefined) return sinceCommit(earlier, await commitOf(workspace, 'HEAD'))
  return baselineFromRevision(workspace, 'HEAD')
}

async function gatherIn(
  workspace: Workspace,
  baseline: FullBaseline | undefined,
  options: GatherOptions,
): Promise<Gathered> {
  const commands =
    commandsOfStart(baseline, options.config) ?? (await detect(workspace, { commands: options.config.commands }))
  // Nothing waits for their removal.
  if (options.claim) void sweep(options.stateDir)
  const setting = { ...(await settingOf(workspace, commands, options)), baseline }
  // Before the checks, which may write files themselves.
  if (baseline !== undefined) await options.changes?.(workspace, baseline)
  const collected = options.claim ? await gatherForClaim(setting, options) : await gatherOnce(setting, options)
  collected.record()
  return {
    evidence: linkFindings(collected.evidence),
    problems: [...(baseline?.problems ?? []), ...collected.problems],
  }
}

/** Before the first iteration: runs the same checks and stores the results out of the agent's reach. */
export async function gatherBaseline(options: GatherOptions): Promise<Gathered> {
  const workspace = workspaceOf(options)
  await (workspace.look?.() ?? workspace.list())
  return gatherBaselineIn(workspace, options).finally(() => clearRooms(options))
}

/** Numbers the runs of the tests. How many there will be depends on their results. */
function numbered(onCommand: OnCommand): OnCommand {
  let run = 0
  return (event) => {
    const counts = event.type === 'command' && event.why !== undefined
    onCommand(counts ? { ...event, run: ++run } : event)
  }
}

async function gatherBaselineIn(workspace: Workspace, options: GatherOptions): Promise<Gathered> {
  const { config, at, carried = [] } = options
  // A refused change may be a change of the test command.
  const commands =
    carried.map(({ from }) => commandsOfStart(from, config)).find((each) => each !== undefined) ??
    (await detect(workspace, { commands: config.commands }))
  const isAborted = () => options.signal?.aborted === true
  if (isAborted()) return { evidence: {}, problems: [] }
  const setting = await settingOf(workspace, commands, options)
  const { collected, room, included } = await tryRoom(setting, { ...options, claim: false, isBaseline: true })
  const { evidence, tests, unsteady } = collected
  const problems = [...collected.problems, ...slowSentence(evidence, config)]
  // After an interrupt, don't make the user wait until all of it is stored.
  if (isAborted()) return { evidence, problems }
  collected.record()
  const { status, tree } = setting.snapshot
  const { head } = typeof status === 'string' ? {} : status
  const keep = config.plan === undefined ? [] : planFiles(planNow(workspace), planPath(workspace.dir, config.plan))
  const baseline = await takeBaseline(
    {
      ...{ workspace, commands, evidence, tree, at, keep, carried, included },
      ...(room && { room }),
      ...(unsteady && { unsteady }),
      ...(tests && { tests: withEarlierFailures(tests, carried) }),
      ...(head !== undefined && { head }),
      ...(setting.seen && !Object.keys(evidence).some(runsCommands) && { seen: setting.seen }),
    },
    options.stateDir,
  )
  const isOwn = ownEditsIn(options.stateDir)
  const found =
    carried.length === 0 ? [] : await tamperingSince(baseline, workspace, config.evidence.allow, true, isOwn)
  const blocking = found.filter(({ severity }) => severity === 'block')
  const refused = withoutAccepted(blocking, options.accepted ?? [], (each) =>
    tamperFinding(each, workspace.dir),
  ).findings
  const notRun = leftOut(commands).map(
    ({ command, cwd, missing }) =>
      `"${command}"${cwd === '' ? '' : ` in ${cwd}`} is not run: ${missing} is not installed.`,
  )
  return { evidence, problems: [...problems, ...notRun], baselineId: baseline.id, refused }
}

/** The tests may take longer than the configured maximum. The user should know how long later runs may take. */
function slowSentence(evidence: EvidenceSet, config: Config): readonly string[] {
  const { answer = 'unknown', ms = 0 } = evidence.tests ?? {}
  const minutes = (value: number) => Math.round(value / 60_000)
  if (answer === 'unknown' || minutes(ms) <= config.evidence.maximumMinutes) return []
  const longest = longestMs({ evidence }, { config })
  return [
    `The tests took ${minutes(ms)} minutes, longer than evidence.maximumMinutes (${config.evidence.maximumMinutes}). Later runs may take ${minutes(longest)} minutes.`,
  ]
}

/** One look at files and git, for the tree's identity, its copy, and the watch on files while the tests run. */
async function settingOf(
  workspace: Workspace,
  commands: readonly Detected[],
  options: GatherOptions,
): Promise<Setting> {
  const seen = await fileStates(workspace)
  const { gitOutput: output, files } = seen
  const snapshot = await takeGitSnapshot(workspace, { ...options, output, files })
  const { dir } = workspace
  const tracked = indexOf(output.index ?? '').paths
  const outputs = outputFiles(
    options,
    [...snapshot.ours].map((path) => join(dir, path)),
    (path) => rowOf(tracked, relative(dir, path)) >= 0,
  )
  return { workspace, commands, seen, snapshot, outputs }
}

/**
 * The commands detected at the start, so that the agent cannot choose others; detected again if the user has set another test
 * command since.
 */
function commandsOfStart(baseline: Baseline | undefined, { commands }: Config): readonly Detected[] | undefined {
  const known = baseline?.commands ?? []
  const { test } = commands
  const renamed = test !== undefined && !known.some(({ kind, command }) => kind === 'test' && command === test)
  return known.length === 0 || renamed ? undefined : known
}
