import { join } from 'node:path'
import type { Answer } from '../../core/types.ts'
import type { SourceView } from '../tampering/finding.ts'
import type { Baseline, CheckContext, Workspace } from '../types.ts'
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

/** Whether a file was added or changed since the baseline, told by its content. */
export function changeOf(
  file: string,
  { baseline, workspace }: Pick<CheckContext, 'baseline' | 'workspace'>,
  listed: readonly string[],
): { readonly answer: Answer; readonly sentence: string } {
  if (baseline === undefined)
    return { answer: 'unknown', sentence: `Without a baseline, nobody knows what ${file} was.` }
  const full = join(workspace.dir, file)
  const id = baseline.files[file]
  if (Object.hasOwn(baseline.files, file) && id !== undefined) {
    const then = baseline.read(file)
    const same = hasContent(full, id) || (then !== undefined && then === workspace.read(file))
    return same
      ? { answer: 'no', sentence: `${file} was not changed since the start.` }
      : { answer: 'yes', sentence: `${file} was changed since the start.` }
  }
  if (listed.includes(file)) return { answer: 'yes', sentence: `${file} was added since the start.` }
  // An ignored file is in no baseline. The one time that a program cannot set still tells when it was left alone.
  const stat = statOf(full)
  if (stat !== undefined && stat.ctimeMs < baseline.at)
    return { answer: 'no', sentence: `${file} was not written since the start.` }
  return { answer: 'unknown', sentence: `${file} is ignored by git, so what it was at the start is not known.` }
}

/** The files as they are, or as they were; `changed` are the paths that are going to be read, fetched in one go. */
export function viewOf(workspace: Workspace): Promise<SourceView>
export function viewOf(baseline: Baseline, changed?: readonly string[]): SourceView
export function viewOf(of: Workspace | Baseline, changed: readonly string[] = []): SourceView | Promise<SourceView> {
  if ('list' in of) return of.list().then((paths) => ({ paths, read: (path) => of.read(path) }))
  if (isFull(of)) of.preload(changed)
  return { paths: Object.keys(of.files).sort(), read: (path) => of.read(path) }
}
