import { realpathSync, statSync } from 'node:fs'
import type { Evidence } from '../core/types.ts'

/**
 * The workspace is the folder that the run began in. If the agent deleted it or put a link to another one in its place, whatever is found
 * there is somewhere else; so no evidence is gathered, and the run ends.
 */
export function watchWorkspace(workspace: string): () => Evidence | undefined {
  const before = realPath(workspace)
  return () => {
    const now = realPath(workspace)
    const isFolder = statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true
    if (now === before && isFolder) return undefined
    const detail =
      now === undefined
        ? `The folder of the workspace is gone: ${workspace}. The run's journal is kept elsewhere; restore the folder before you resume.`
        : `The workspace ${workspace} was exchanged for ${now === before ? 'something that is no folder' : `a link to ${now}: what stands there does not count`}.`
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
