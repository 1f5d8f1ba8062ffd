import { realpathSync, statSync } from 'node:fs'
import type { Evidence } from '../core/types.ts'

/**
 * The workspace is the folder that the run began in. When the agent has put a link to another one in its place, everything that is found
 * there may be as it should, and yet is somewhere else; so nothing of it is gathered.
 */
export function watchWorkspace(workspace: string): () => Evidence | undefined {
  const before = realPath(workspace)
  return () => {
    const now = realPath(workspace)
    // One that is gone is told by the checks themselves, each in its own words.
    if (now === undefined) return undefined
    const isFolder = statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true
    if (now === before && isFolder) return undefined
    const what = now === before ? 'something that is no folder' : `a link to ${now}: what stands there does not count`
    const detail = `The workspace ${workspace} was exchanged for ${what}.`
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
