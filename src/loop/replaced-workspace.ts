import { realpathSync, statSync } from 'node:fs'
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

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
