import { join } from 'node:path'
import { isWatched } from '../../packages/exitgate/src/frameworks/kept-files.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { Decision, EvidenceSet, OpenFinding } from '../core/types.ts'
import type { Carried } from '../evidence/baseline/carried.ts'
import { changedSince } from '../evidence/baseline/changed.ts'
import { algorithmOf, contentId } from '../evidence/baseline/content-id.ts'
import { fileStates } from '../evidence/baseline/file-states.ts'
import { openBaseline } from '../evidence/baseline/open.ts'
import { baselineFromRevision } from '../evidence/baseline/revision.ts'
import { BaselineError } from '../evidence/baseline/store.ts'
import { storeRevision, takeBaseline } from '../evidence/baseline/take.ts'
import type { CallersFiles } from '../evidence/callers-files.ts'
import { type Gathered, type GatherOptions, gatherBaseline } from '../evidence/gather.ts'
import type { Reference } from '../evidence/gather-once.ts'
import { type GitSnapshot, takeGitSnapshot } from '../evidence/git.ts'
import { planFiles, planNow, planPath } from '../evidence/plan/view.ts'
import type { Workspace } from '../evidence/types.ts'
import { openWorkspace, withCachedList } from '../evidence/workspace.ts'
import { readJournal } from '../journal/read.ts'
import { sessionsOf } from '../journal/sessions.ts'
import { ownPaths } from './gather-options.ts'

export interface Place extends Pick<CallersFiles, 'loopFiles' | 'said' | 'run'> {
  readonly workspace: string
  /** The folder of the workspace's journal. */
  readonly stateDir: string
  readonly config: Config
}

/** What the files of the journal's current run are compared with; undefined if that was the last commit. */
export function referenceIn(dir: string, { baselineId, verified }: State): Reference | undefined {
  if (baselineId !== undefined) return { dir, id: baselineId }
  return verified === undefined ? undefined : { dir: join(dir, verified.folder), id: verified.baselineId }
}

/**
 * Tests and settings that an earlier run or session changed and that were not verified, as far as they still have that content. A new
 * run keeps comparing them with what they were before, so that a commit or a new start doesn't make them the new normal.
 */
async function unverifiedBefore({ workspace, stateDir }: Pick<Place, 'workspace' | 'stateDir'>) {
  const handle = openWorkspace(workspace)
  const journals = [stateDir, ...sessionsOf(stateDir).map(({ dir }) => dir)].map((dir) => ({
    dir,
    state: readJournal(dir).state,
  }))
  const verifiedAt = Math.max(0, ...journals.map(({ state }) => state.verified?.at ?? 0))
  const found = await Promise.all(
    journals.map(async ({ dir, state }): Promise<readonly Carried[]> => {
      const { unverified } = state
      const known = unverified === undefined || unverified.at <= verifiedAt ? {} : unverified.files
      if (Object.keys(known).length === 0 && !isUndecided(state)) return []
      const reference = referenceIn(dir, state)
      const from = reference && openBaseline(reference.dir, { expect: reference.id })
      if (from === undefined) return []
      // The user may have edited the settings of exitgate since, to start again with them.
      const unseen = isUndecided(state) ? (await changedSince(from, handle)).filter(isWatched) : []
      const paths = [...unchangedSince(handle, known), ...unseen.filter((path) => !/exitgate\.config/.test(path))]
      return paths.length === 0 ? [] : [{ from, paths: [...new Set(paths)] }]
    }),
  )
  return found.flat()
}

/** The agent worked in an iteration without a decision: the run was killed or interrupted. */
const isUndecided = ({ attempt, iterations, ended }: State): boolean =>
  ended?.outcome !== 'completed' && attempt !== undefined && attempt.iteration > iterations

const unchangedSince = ({ dir }: Workspace, files: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(files).flatMap(([path, id]) =>
    (contentId(join(dir, path), algorithmOf(id)) ?? '') === id ? [path] : [],
  )

/** Takes the baseline of a new run. Its problems include the changes that were refused before and are still there. */
export async function takeStart(options: GatherOptions): Promise<Gathered> {
  const { dir: workspace, stateDir } = options
  const carried = await unverifiedBefore({ workspace, stateDir })
  const taken = await gatherBaseline({ ...options, claim: false, carried })
  return { ...taken, problems: [...taken.problems, ...refusedText(taken.refused ?? [])] }
}

const NAMED = 3

/** What the user sees when a run starts with changes that were refused before. */
function refusedText(findings: readonly OpenFinding[]): readonly string[] {
  if (findings.length === 0) return []
  const shown = findings
    .slice(0, NAMED)
    .map(({ file, line, detail, id }) => `${file}${line === undefined ? '' : `:${line}`}: ${detail} (${id})`)
  const more = findings.length > NAMED ? ` And ${findings.length - NAMED} more.` : ''
  return [
    `An earlier run ended with changes that were refused, and they are still there. ${shown.join(' ')}${more} This run can't complete until they are restored. If one is right, accept it with: exitgate accept ${findings[0]?.id} --reason "..."`,
  ]
}

/**
 * What a new run of `check` compares with: the last verified tree. Before there is one, it is the first commit that was checked.
 * It is stored, so that later commits don't move it. `pinned` is the id to record with the run.
 */
export async function referenceOfCheck(
  place: Place,
  { state, fresh }: { readonly state: State; readonly fresh: boolean },
): Promise<{ readonly reference?: Reference; readonly pinned?: string }> {
  const { workspace, stateDir } = place
  const { verified, startedAt = 0, baselineId } = state
  // A run that began with a stored tree keeps it.
  if (!fresh && (baselineId !== undefined || verified === undefined)) return {}
  // If an unverified run began after the verified tree, that run's tree is the newer one.
  if (verified !== undefined && (baselineId === undefined || startedAt <= verified.at))
    return { reference: { dir: join(stateDir, verified.folder), id: verified.baselineId } }
  if (baselineId !== undefined) return { reference: { dir: stateDir, id: baselineId }, pinned: baselineId }
  const handle = openWorkspace(workspace)
  const revision = await baselineFromRevision(handle, 'HEAD')
  // Without git, the first check has nothing to compare with, but later ones have.
  const first =
    revision === undefined &&
    (await storeFiles(place, stateDir, Date.now(), ({ status }) => typeof status === 'string'))
  if (revision === undefined) return first ? { pinned: first } : {}
  const { id } = await storeRevision(handle, revision, stateDir)
  return { reference: { dir: stateDir, id }, pinned: id }
}

/** For findings of `check`: whose changes they may be, and how the user starts from the current commit. */
export async function olderReference({ workspace, stateDir }: Place, state: State): Promise<readonly string[]> {
  const reference = referenceIn(stateDir, state)
  const then = reference && openBaseline(reference.dir, { expect: reference.id })
  const head = (await openWorkspace(workspace).git(['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim()
  if (then === undefined || then.head === head) return []
  const day = new Date(then.at).toISOString().slice(0, 10)
  const what = reference?.dir === stateDir ? `of ${day}` : `that was verified on ${day}`
  return [
    `The files were compared with the tree ${what}, not with the last commit. If these changes are yours, start from the current commit with: exitgate reset --reason "..."`,
  ]
}

const FOLDERS = ['verified-1', 'verified-2'] as const

/** What was decided, and on which evidence. */
interface Judged {
  readonly verdict: Decision
  readonly evidence: EvidenceSet
}

/**
 * Later checks compare with the tree of a verified or forced decision. If it can't be stored, they compare with an earlier one. Returns
 * problems as sentences.
 */
export async function keepVerified(
  place: Place,
  journal: { readonly state: State; append(events: readonly EventInput[], at: number): unknown },
  judged: Judged,
  at: number,
): Promise<readonly string[]> {
  try {
    const event = await storeVerified(place, journal.state, judged, at)
    if (event !== undefined) journal.append([event], at)
    return []
  } catch (error) {
    if (error instanceof BaselineError) return [error.message]
    throw error
  }
}

/** Two folders take turns, so that a crash in between leaves the earlier tree. Undefined if the files have changed since. */
async function storeVerified(
  place: Place,
  state: State,
  { verdict, evidence }: Judged,
  at: number,
): Promise<EventInput | undefined> {
  const ending = verdict.action === 'stop' ? verdict.ending : undefined
  // Evidence that a caller passed in has no tree.
  const isVerified = (ending === 'verified' || ending === 'passed') && evidence.tampering?.answer === 'yes'
  if (!isVerified && ending !== 'forced') return undefined
  const folder = state.verified?.folder === FOLDERS[0] ? FOLDERS[1] : FOLDERS[0]
  const isSame = ({ tree }: GitSnapshot) => !isVerified || evidence.tampering?.tree === tree
  const baselineId = await storeFiles(place, join(place.stateDir, folder), at, isSame)
  return baselineId === undefined ? undefined : { type: 'tree.verified', baselineId, folder }
}

/** One look at the files, so that the tree that is compared is the one that is stored. Undefined if it is not the wanted one. */
async function storeFiles(place: Place, dir: string, at: number, isWanted: (now: GitSnapshot) => boolean) {
  const { config } = place
  const workspace = withCachedList(openWorkspace(place.workspace))
  const seen = await fileStates(workspace)
  const { gitOutput: output, files } = seen
  const now = await takeGitSnapshot(workspace, { ...place, ignore: ownPaths(config), output, files })
  if (!isWanted(now)) return undefined
  const { tree, status } = now
  const { head } = typeof status === 'string' ? {} : status
  const keep = config.plan === undefined ? [] : planFiles(planNow(workspace), planPath(workspace.dir, config.plan))
  const about = { workspace, seen, commands: [], evidence: {}, tree, at, keep, withoutDependencies: true } as const
  return (await takeBaseline({ ...about, ...(head !== undefined && { head }) }, dir)).id
}
