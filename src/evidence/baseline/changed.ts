import { join } from 'node:path'
import type { Baseline, Workspace } from '../types.ts'
import { hasContent, sameStat, statOf } from './content-id.ts'
import { hiddenSince, wasIgnored } from './ignore-rules.ts'
import { isFull } from './recorded.ts'

/** Our own readable copies, which carry an ignore file that nobody reads once the repository is gone. */
const OURS = '.exitgate/'

/**
 * Paths whose content differs now: added, modified and deleted ones, sorted. It is told by the files themselves, not by
 * git, whose index, settings and history the agent may have changed; git only helps to list them. `listed` is that list,
 * where somebody has it already.
 */
export async function changedSince(
  baseline: Baseline,
  workspace: Workspace,
  listed?: readonly string[],
): Promise<readonly string[]> {
  const changed = new Set<string>()
  const stats = isFull(baseline) ? baseline.stats : undefined
  for (const [path, id] of Object.entries(baseline.files)) {
    const full = join(workspace.dir, path)
    const now = statOf(full)
    const then = stats?.get(path)
    if (now !== undefined && then !== undefined && sameStat(now, then)) continue
    if (now === undefined || !hasContent(full, id)) changed.add(path)
  }
  const known = (path: string) => Object.hasOwn(baseline.files, path)
  const rules = isFull(baseline) ? baseline.rules : undefined
  const added = (listed ?? (await workspace.list())).filter((path) => !known(path) && !path.startsWith(OURS))
  const ignoredThen = rules === undefined ? () => false : wasIgnored(rules)
  // Without git nobody leaves out of the list what was ignored; with git, what is listed is not.
  const isIgnored = added.some(ignoredThen) && !(await isRepository(workspace)) ? ignoredThen : () => false
  for (const path of added) {
    if (!isIgnored(path) && statOf(join(workspace.dir, path)) !== undefined) changed.add(path)
  }
  if (rules !== undefined) {
    for (const path of await hiddenSince(workspace, rules, (path) => baseline.read(path))) {
      if (!known(path) && !path.startsWith(OURS)) changed.add(path)
    }
  }
  return [...changed].sort()
}

const isRepository = async (workspace: Workspace): Promise<boolean> =>
  (await workspace.git(['rev-parse', '--is-inside-work-tree'])) !== undefined
