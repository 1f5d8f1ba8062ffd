import type { SourceView } from '../tampering/finding.ts'
import type { Baseline, Workspace } from '../types.ts'
import { isFull } from './recorded.ts'

/** The files as they are, or as they were; `changed` are the paths that are going to be read, fetched in one go. */
export function viewOf(workspace: Workspace): Promise<SourceView>
export function viewOf(baseline: Baseline, changed?: readonly string[]): SourceView
export function viewOf(of: Workspace | Baseline, changed: readonly string[] = []): SourceView | Promise<SourceView> {
  if ('list' in of) return of.list().then((paths) => ({ paths, read: (path) => of.read(path) }))
  if (isFull(of)) of.preload(changed)
  return { paths: Object.keys(of.files).sort(), read: (path) => of.read(path) }
}
