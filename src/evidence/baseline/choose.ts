import type { Baseline, Workspace } from '../types.ts'
import { openBaseline, sinceCommit } from './open.ts'
import { baselineFromRevision, commitOf } from './revision.ts'

/** A baseline stored in this folder. */
export interface Reference {
  readonly dir: string
  readonly id: string
}

interface BaselineChoice {
  readonly stateDir: string
  readonly baselineId?: string
  readonly base?: string
  readonly reference?: Reference
}

/**
 * The stored baseline, a revision if the caller names one, or the last commit, so that uncommitted work is compared with something.
 */
export async function chooseBaseline(
  workspace: Workspace,
  options: BaselineChoice,
): Promise<{ baseline: Baseline | undefined; problems: readonly string[] }> {
  if (options.base === undefined && options.baselineId !== undefined) {
    const remembered = openBaseline(options.stateDir, { expect: options.baselineId })
    if (remembered !== undefined) return { baseline: remembered, problems: remembered.problems }
  }
  const { reference } = options
  const earlier =
    options.base !== undefined || reference === undefined
      ? undefined
      : openBaseline(reference.dir, { expect: reference.id })
  // Changes count from the last commit, because a second look at verified work must not find none.
  if (earlier !== undefined) return { baseline: sinceCommit(earlier, await commitOf(workspace, 'HEAD')), problems: [] }
  const baseline = await baselineFromRevision(workspace, options.base ?? 'HEAD')
  const missing =
    options.base !== undefined && baseline === undefined
      ? [`--base ${options.base} is not a commit of this repository`]
      : []
  return { baseline, problems: missing }
}
