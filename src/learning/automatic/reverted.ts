import type { Work } from '../../core/types.ts'
import type { FinishedRun, Found } from './finished.ts'

/** A commit with the git object ids of the run's files in it; empty for missing files. */
export interface Snapshot {
  readonly commit: string
  readonly files: Readonly<Record<string, string>>
}

/** A commit after the run, with its message. */
export interface Later {
  readonly commit: string
  readonly message: string
}

/** Whether a commit contains all of the run's work. */
export const contains = (work: Work, { files }: Snapshot): boolean =>
  Object.entries(work.files).every(([path, [, after]]) => (files[path] ?? '') === after)

/** Whether every file of the run is as it was before the run. */
const isUndoneIn = (work: Work, { files }: Snapshot): boolean =>
  Object.entries(work.files).every(([path, [before]]) => (files[path] ?? '') === before)

/** Detects by content that the run's work was committed and later undone completely. Expects the oldest commit first. */
export function undone(run: FinishedRun, snapshots: readonly Snapshot[]): Found | undefined {
  const { work } = run
  if (work === undefined || Object.keys(work.files).length === 0) return undefined
  let wasCommitted = false
  let by: string | undefined
  for (const snapshot of snapshots) {
    if (contains(work, snapshot)) {
      wasCommitted = true
      by = undefined
    } else if (wasCommitted && isUndoneIn(work, snapshot)) by ??= snapshot.commit
    // Work that was changed further was not reverted.
    else if (wasCommitted) by = undefined
  }
  if (by === undefined) return undefined
  const many = Object.keys(work.files).length
  const files = many === 1 ? 'its file is' : `all its ${many} files are`
  return { run: run.run, source: 'revert', reason: `since commit ${short(by)} ${files} as before the run` }
}

const REVERTS = /\bThis reverts commit ([0-9a-f]{7,64})\b/gi

/** A later commit names one of the run's commits as reverted, and was not reverted itself. */
export function revertedByName(run: FinishedRun, own: readonly string[], later: readonly Later[]): Found | undefined {
  const named = later.map(({ commit, message }) => ({
    commit,
    reverts: [...message.matchAll(REVERTS)].map(([, id = '']) => id.toLowerCase()),
  }))
  const revertOf = (commit: string) => named.find(({ reverts }) => reverts.some((id) => commit.startsWith(id)))
  for (const commit of own) {
    const revert = revertOf(commit)
    if (revert === undefined || revertOf(revert.commit) !== undefined) continue
    const reason = `commit ${short(revert.commit)} reverts ${short(commit)} of this run`
    return { run: run.run, source: 'revert', reason }
  }
  return undefined
}

export const short = (commit: string): string => commit.slice(0, 10)
