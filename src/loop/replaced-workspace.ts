import { realpathSync, statSync } from 'node:fs'
import type { EventInput } from '../core/journal/events.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import type { Evidence } from '../core/types.ts'

/**
 * Checks that the workspace is still the folder the run started in. If the agent deleted it or replaced it with a link, no evidence is
 * gathered and the run ends.
 */
export function watchWorkspace(workspace: string): () => Evidence | undefined {
  const before = realPath(workspace)
  return () => {
    const now = realPath(workspace)
    const isFolder = statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true
    if (now === before && isFolder) return undefined
    const detail =
      now === undefined
        ? `The workspace folder is gone: ${workspace}. The journal is stored elsewhere. Restore the folder before you resume.`
        : `The workspace ${workspace} was replaced with ${now === before ? 'something that is not a folder' : `a link to ${now}, which doesn't count`}.`
    return { check: 'workspace', answer: 'no', detail, ms: 0, tree: '' }
  }
}

/** A run that a limit ends in the iteration that lost the workspace ends for that reason, as in any other iteration. */
export function endOfReplaced(
  { verdict, facts }: DecidedIteration,
  replaced: () => Evidence | undefined,
): readonly EventInput[] {
  if (verdict.action !== 'stop' || verdict.outcome === 'completed' || verdict.outcome === 'interrupted') return []
  const reason = replaced()?.detail
  if (reason === undefined) return []
  return [{ type: 'run.ended', outcome: 'aborted', ending: 'fatal', reason, iteration: facts.iteration }]
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
