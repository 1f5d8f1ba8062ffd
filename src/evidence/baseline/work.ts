import { join } from 'node:path'
import type { Work } from '../../core/types.ts'
import type { Baseline, Workspace } from '../types.ts'
import { changedSince } from './changed.ts'
import { algorithmOf, contentId } from './content-id.ts'

/** More files than this are not kept: nobody can tell of a rewrite that it was taken back. */
const MOST_FILES = 200

/** What the run has done to its files, so that a later look can tell whether that was taken back. */
export async function workSince(
  baseline: Baseline,
  workspace: Workspace,
  head: string | undefined,
): Promise<Work | undefined> {
  const changed = await changedSince(baseline, workspace)
  if (changed.length === 0 || changed.length > MOST_FILES) return undefined
  const algorithm = algorithmOf(baseline.head ?? '')
  const files = changed.map((path) => {
    const before = Object.hasOwn(baseline.files, path) ? (baseline.files[path] ?? '') : ''
    return [path, [before, contentId(join(workspace.dir, path), algorithm) ?? '']] as const
  })
  return {
    ...(baseline.head === undefined ? {} : { since: baseline.head }),
    ...(head === undefined ? {} : { head }),
    files: Object.fromEntries(files),
  }
}
