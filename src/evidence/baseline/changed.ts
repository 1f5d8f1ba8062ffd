import { join } from 'node:path'
import type { Answer } from '../../core/types.ts'
import {
  hasSnapshot,
  readStat,
  type SnapshotStat,
  type StatSnapshot,
  snapshotOf,
  snapshotStatAt,
} from '../stat-snapshot.ts'
import type { SourceView } from '../tampering/finding.ts'
import type { Baseline, CheckContext, Workspace } from '../types.ts'
import { hasContent, isSettled, type Stat, sameStat, statOf } from './content-id.ts'
import { rowsAmong, sameStatAt, statAt } from './file-table.ts'
import { hashFiles } from './hash-files.ts'
import { hiddenSince, wasIgnored } from './ignore-rules.ts'
import { idInBaseline, isFull, tableOf } from './stored-baseline.ts'

/** The readable copies we keep. Their own ignore file has no effect once the repository is gone. */
const OURS = '.exitgate/'

/** Results by list of files: valid for as long as that list is. */
const answers = new WeakMap<readonly string[], Map<Baseline, Promise<readonly string[]>>>()

/**
 * Paths that were added, modified or deleted since the baseline, sorted. The files themselves are compared, because the agent may
 * have changed git's index, settings and history. Git only helps to list them; `listed` is that list if the caller already has it.
 */
export async function changedSince(
  baseline: Baseline,
  workspace: Workspace,
  listed?: readonly string[],
): Promise<readonly string[]> {
  const list = listed ?? (await workspace.list())
  const known = answers.get(list) ?? new Map<Baseline, Promise<readonly string[]>>()
  if (hasSnapshot(list)) answers.set(list, known)
  const answer = known.get(baseline) ?? compare(baseline, workspace, list)
  known.set(baseline, answer)
  return answer
}

async function compare(
  baseline: Baseline,
  workspace: Workspace,
  listed: readonly string[],
): Promise<readonly string[]> {
  const snapshot = snapshotOf(workspace.dir, listed)
  const changed = new Set(await changedFiles(baseline, workspace.dir, snapshot))
  const known = (path: string) => idInBaseline(baseline, path) !== undefined
  const rules = isFull(baseline) ? baseline.rules : undefined
  const then = rowsAmong(tableOf(baseline).paths, snapshot.paths)
  const added = snapshot.paths.filter((path, row) => then[row]! < 0 && !path.startsWith(OURS))
  const ignoredThen = rules === undefined ? () => false : wasIgnored(rules)
  // Without git, the list still contains files that were ignored then.
  const isIgnored = added.some(ignoredThen) && !(await isRepository(workspace)) ? ignoredThen : () => false
  for (const path of added) {
    if (!isIgnored(path) && statOf(join(workspace.dir, path)) !== undefined) changed.add(path)
  }
  if (rules !== undefined) {
    for (const path of await hiddenSince(workspace, listed, rules, (path) => baseline.read(path))) {
      if (!known(path) && !path.startsWith(OURS)) changed.add(path)
    }
  }
  return [...changed].sort()
}

/** Stats of files that were read and had the content of the baseline, so that no file is read twice. */
const readBefore = new WeakMap<Baseline, Map<string, Stat>>()

/** Files of the baseline that are gone or whose content differs. */
async function changedFiles(baseline: Baseline, dir: string, snapshot: StatSnapshot): Promise<readonly string[]> {
  const table = tableOf(baseline)
  const rows = rowsAmong(snapshot.paths, table.paths)
  const unchanged = readBefore.get(baseline) ?? new Map<string, Stat>()
  readBefore.set(baseline, unchanged)
  const changed: string[] = []
  const unsure: (SnapshotStat & { readonly path: string; readonly id: string })[] = []
  for (let row = 0; row < rows.length; row++) {
    if (rows[row]! >= 0 && sameStatAt(table, row, snapshot, rows[row]!)) continue
    const path = table.paths[row]!
    const now = snapshotStatAt(snapshot, rows[row]!) ?? readStat(`${dir}/${path}`)
    const isKnown = (then: Stat | undefined) => now !== undefined && then !== undefined && sameStat(now, then)
    if (now === undefined) changed.push(path)
    else if (!isKnown(statAt(table, row)) && !isKnown(unchanged.get(path)))
      unsure.push({ ...now, path, id: table.ids[row]! })
  }
  const regular = unsure.flatMap(({ path, isFile }) => (isFile ? [path] : []))
  const ids = await hashFiles(dir, regular)
  for (const { path, id, isFile: _kind, ...now } of unsure) {
    if (ids.get(path) !== id && !hasContent(join(dir, path), id)) changed.push(path)
    else if (isSettled(now, snapshot.at)) unchanged.set(path, now)
  }
  return changed
}

const isRepository = async (workspace: Workspace): Promise<boolean> =>
  (await workspace.git(['rev-parse', '--is-inside-work-tree'])) !== undefined

/** Whether a file was added or changed since the baseline, judged by its content. */
export function changeOf(
  file: string,
  { baseline, workspace }: Pick<CheckContext, 'baseline' | 'workspace'>,
  listed: readonly string[],
): { readonly answer: Answer; readonly sentence: string } {
  if (baseline === undefined) return { answer: 'unknown', sentence: `There is no baseline to compare ${file} with.` }
  const full = join(workspace.dir, file)
  const id = idInBaseline(baseline, file)
  if (id !== undefined) {
    const then = baseline.read(file)
    const same = hasContent(full, id) || (then !== undefined && then === workspace.read(file))
    return same
      ? { answer: 'no', sentence: `${file} has not changed since the start.` }
      : { answer: 'yes', sentence: `${file} has changed since the start.` }
  }
  if (listed.includes(file)) return { answer: 'yes', sentence: `${file} was added since the start.` }
  // An ignored file is in no baseline. Its ctime, which programs can't set, still shows that it was not written.
  const stat = statOf(full)
  if (stat !== undefined && stat.ctimeMs < baseline.at)
    return { answer: 'no', sentence: `${file} was not written since the start.` }
  return { answer: 'unknown', sentence: `Git ignores ${file}, so its content at the start is not known.` }
}

/** The files as they are, or as they were. The paths in `changed` will be read, so they are fetched in one go. */
export function viewOf(workspace: Workspace): Promise<SourceView>
export function viewOf(baseline: Baseline, changed?: readonly string[]): SourceView
export function viewOf(of: Workspace | Baseline, changed: readonly string[] = []): SourceView | Promise<SourceView> {
  if ('list' in of) return of.list().then((paths) => ({ paths, read: (path) => of.read(path) }))
  if (isFull(of)) of.preload(changed)
  return { paths: tableOf(of).paths, read: (path) => of.read(path) }
}
