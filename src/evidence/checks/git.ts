import { join } from 'node:path'
import type { Evidence, Work } from '../../core/types.ts'
import { changedSince } from '../baseline/changed.ts'
import { algorithmOf, contentId, statOf } from '../baseline/content-id.ts'
import { idInBaseline, isFull } from '../baseline/stored-baseline.ts'
import { type Found, type GitSnapshot, gitEvidence, kinds, nothingChanged, some } from '../git.ts'
import type { Baseline, Check, Workspace } from '../types.ts'
import { modesSince } from '../work-diff.ts'
import type { CheckDefinition } from './definition.ts'

/** A larger change is not recorded, so a later revert of it can't be detected. */
const MOST_FILES = 200

/** What the run did to its files, so that a later check can tell whether it was reverted. */
function workSince(baseline: Baseline, { dir }: Workspace, head: string | undefined, changed: readonly string[]): Work {
  const algorithm = algorithmOf(baseline.head ?? '')
  const files = changed.map((path) => {
    const before = idInBaseline(baseline, path) ?? ''
    return [path, [before, contentId(join(dir, path), algorithm) ?? '']] as const
  })
  return {
    ...(baseline.head === undefined ? {} : { since: baseline.head }),
    ...(head === undefined ? {} : { head }),
    files: Object.fromEntries(files),
  }
}

export const git: CheckDefinition = { name: 'git', checksFor: ({ snapshot }) => [gitCheck(snapshot)] }

/** `changed`: was any work done since the start of the run? `clean`: is everything committed? */
export function gitCheck(snapshot: GitSnapshot): Check {
  return {
    name: 'git',
    async collect({ workspace, baseline, claim }): Promise<readonly Evidence[]> {
      const { changed: seen, clean, head } = await gitEvidence(snapshot, baseline?.tree || baseline?.head)
      if (baseline === undefined) return [typeof snapshot.status === 'string' ? nothingToCompare(seen) : seen, clean]
      if (typeof snapshot.status === 'string' && baseline.head !== undefined) return [withoutRepository(seen), clean]
      const isStored = isStoredTree(baseline)
      // Only a claim can end the run, and the record is only needed for finished work.
      if (!isStored && (!claim || seen.answer !== 'yes')) return [seen, clean]
      const { paths, ours } = await changedFiles(baseline, workspace, snapshot)
      const changed = isStored ? { ...seen, ...(await comparedFiles(baseline, snapshot, paths, ours)) } : seen
      if (!claim || paths.length === 0 || paths.length > MOST_FILES) return [changed, clean]
      const work = workSince(baseline, workspace, head, paths)
      return [{ ...changed, detail: `Changed: ${some(paths)}.`, work }, clean]
    },
  }
}

/** The files of the run's start are stored. Otherwise the work is counted from a commit. */
const isStoredTree = (baseline: Baseline): boolean => isFull(baseline) && !/^[0-9a-f]{40,64}$/.test(baseline.tree)

/** Files that differ from the start, without those of the caller. */
async function changedFiles(baseline: Baseline, workspace: Workspace, { callers }: GitSnapshot) {
  const all = await changedSince(baseline, workspace)
  const ours = callers(all.map((path) => ({ path, isNew: idInBaseline(baseline, path) === undefined })))
  return { paths: all.filter((path) => !ours.has(path)), ours }
}

/** The files themselves are compared: a commit, `git add` or `git init` is not work, and without git there is nothing else. */
async function comparedFiles(
  baseline: Baseline,
  { workspace, status, tree }: GitSnapshot,
  paths: readonly string[],
  ours: ReadonlySet<string>,
): Promise<Pick<Evidence, 'answer' | 'detail' | 'counts'>> {
  const evidence = ([answer, detail, counts = {}]: Found) => ({ answer, detail, counts })
  if (paths.length > 0) {
    const letters = paths.map((path) => {
      if (statOf(join(workspace.dir, path)) === undefined) return 'D'
      return idInBaseline(baseline, path) === undefined ? 'A' : 'M'
    })
    return evidence(['yes', `Changed: ${some(paths)}.`, kinds(letters)])
  }
  const isSame = typeof status === 'string' || tree === baseline.tree || baseline.head === undefined
  const modes = isSame ? [] : [...(await modesSince(workspace.dir, baseline.head)).keys()]
  return evidence(modes.length > 0 ? ['yes', `Changed the mode of ${some(modes)}.`] : nothingChanged(ours))
}

const nothingToCompare = (changed: Evidence): Evidence => {
  const why = "There is no earlier state of the files either, so exitgate can't tell what changed."
  return { ...changed, detail: `${changed.detail} ${why}` }
}

/** If the repository is gone, its history is lost, and this must not look like success. */
const withoutRepository = (changed: Evidence): Evidence => {
  return {
    ...changed,
    answer: 'no',
    detail: `The git repository is gone or unreadable since the start: ${changed.detail}`,
  }
}
