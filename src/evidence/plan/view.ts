import { posix, relative } from 'node:path'
import { tableOf } from '../baseline/stored-baseline.ts'
import { type Checklist, type ChecklistOptions, planOf } from '../checks/checklist.ts'
import { filesUnder } from '../find-files.ts'
import type { Baseline, Workspace } from '../types.ts'
import { readTaskFolder } from './task-folder.ts'

/** Where a plan is read from: the current workspace, or the baseline. */
export interface PlanView {
  read(path: string): string | undefined
  /** Files in a folder, at any depth. Empty if there is no such folder, and for the workspace itself, which is not a plan. */
  under(folder: string): readonly string[]
}

export const planNow = (workspace: Pick<Workspace, 'dir' | 'read'>): PlanView => ({
  read: (path) => workspace.read(path),
  under: (folder) => (folder === '.' ? [] : filesUnder(workspace.dir, folder)),
})

export const planInBaseline = (baseline: Baseline): PlanView => ({
  read: (path) => baseline.read(path),
  under: (folder) => tableOf(baseline).paths.filter((path) => path.startsWith(`${folder}/`)),
})

/** A plan's path as in the list of files: `./tasks/` is `tasks`. */
export function planPath(dir: string, path: string): string {
  const inside = path.startsWith('/') ? relative(dir, path) : path
  return posix.normalize(inside).replace(/(?<=.)\/$/, '')
}

/** The plan at a path, a file or a folder; a sentence if there is none. */
export function planAt(view: PlanView, path: string, options: ChecklistOptions = {}): Checklist | string {
  const text = view.read(path)
  if (text !== undefined) return planOf(path, text, options)
  const files = view.under(path)
  if (files.length > 0) return readTaskFolder(path, files, (file) => view.read(file), options)
  return `The plan ${path} does not exist or cannot be read.`
}

/** The files of a plan. */
export function planFiles(view: PlanView, path: string): readonly string[] {
  if (view.read(path) !== undefined) return [path]
  return view.under(path).filter((file) => /\.(?:md|markdown)$/i.test(file))
}

/** A plan as one text to compare the next version with; for a folder, its tasks as a checklist. */
export function planText(view: PlanView, path: string, options: ChecklistOptions = {}): string | undefined {
  const text = view.read(path)
  if (text !== undefined) return text
  const plan = planAt(view, path, options)
  if (typeof plan === 'string') return undefined
  return plan.items.map((item) => `- [${item.done ? 'x' : ' '}] ${item.text}\n`).join('')
}
