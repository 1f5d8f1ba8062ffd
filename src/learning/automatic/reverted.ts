import type { Work } from '../../core/types.ts'
import type { FinishedRun, Found } from './finished.ts'

/** A commit with the contents that the files of a run have in it: git's names, empty where there is none. */
export interface Snapshot {
  readonly commit: string
  readonly files: Readonly<Record<string, string>>
}

/** A commit after the run, with its message. */
export interface Later {
  readonly commit: string
  readonly message: string
}

/** Whether a commit holds all that the run did. */
export const holds = (work: Work, { files }: Snapshot): boolean =>
  Object.entries(work.files).every(([path, [, after]]) => (files[path] ?? '') === after)

/** Whether a commit has every file of the run as it was before it. */
const hasNone = (work: Work, { files }: Snapshot): boolean =>
  Object.entries(work.files).every(([path, [before]]) => (files[path] ?? '') === before)

/** The run's work was committed, and later every file was as before: told by contents, the oldest commit first. */
export function undone(run: FinishedRun, snapshots: readonly Snapshot[]): Found | undefined {
  const { work } = run
  if (work === undefined || Object.keys(work.files).length === 0) return undefined
  let kept = false
  let by: string | undefined
  for (const snapshot of snapshots) {
    if (holds(work, snapshot)) {
      kept = true
      by = undefined
    } else if (kept && hasNone(work, snapshot)) by ??= snapshot.commit
    // Work that was gone on with is not work that was taken back.
    else if (kept) by = undefined
  }
  if (by === undefined) return undefined
  const many = Object.keys(work.files).length
  const files = many === 1 ? 'its file is' : `all its ${many} files are`
  return { run: run.run, source: 'revert', reason: `since commit ${short(by)} ${files} as before the run` }
}

const REVERTS = /\bThis reverts commit ([0-9a-f]{7,64})\b/gi

/** A later commit says that it reverts one of the run's own, and was not reverted itself. */
export function revertedByName(run: FinishedRun, own: readonly string[], later: readonly Later[]): Found | undefined {
  const named = later.map(({ commit, message }) => ({
    commit,
    reverts: [...message.matchAll(REVERTS)].map(([, id = '']) => id.toLowerCase()),
  }))
  const takenBack = (commit: string) => named.find(({ reverts }) => reverts.some((id) => commit.startsWith(id)))
  for (const commit of own) {
    const revert = takenBack(commit)
    if (revert === undefined || takenBack(revert.commit) !== undefined) continue
    const reason = `commit ${short(revert.commit)} reverts ${short(commit)}, which is of this run`
    return { run: run.run, source: 'revert', reason }
  }
  return undefined
}

export const short = (commit: string): string => commit.slice(0, 10)
