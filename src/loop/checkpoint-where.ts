import { openWorkspace } from '../evidence/workspace.ts'

/** Said once: a checkpoint needs a repository. */
export async function withoutRepository(workspace: string): Promise<readonly string[]> {
  const found = await openWorkspace(workspace).git(['rev-parse', '--git-dir'])
  return found === undefined ? ['there is no git repository here, so no checkpoint is made'] : []
}
