import { realpathSync } from 'node:fs'
import { count } from '../../../packages/core/src/count.ts'
import type { Evidence } from '../../core/types.ts'
import { readTextFile } from '../../system/read-file.ts'
import { type PlanEntry, planEntries } from '../plan/entries.ts'
import { planAt, planNow, planPath } from '../plan/view.ts'
import type { Checklist, ChecklistItem, ChecklistOptions } from './checklist.ts'
import { type ChecklistChanges, compareChecklists, quoted } from './compare-checklists.ts'

export interface JudgePlanOptions extends ChecklistOptions {
  readonly path: string
  /** Ids of the tasks that the user skipped. */
  readonly skipped?: readonly string[]
}

/** The plan now, at the start and after the previous iteration; a sentence if a version is not available. */
export interface PlanVersions {
  readonly now: Checklist | string
  readonly start?: Checklist | string | undefined
  readonly previous?: Checklist | string | undefined
}

const NAMED = 3
const MOST_SENTENCES = 12
const EMPTY_PLAN: Checklist = { total: 0, done: 0, open: 0, items: [] }

/** Is every required item of the plan ticked, and was none of them removed instead? */
export function judgePlan(
  versions: PlanVersions,
  options: JudgePlanOptions,
): Pick<Evidence, 'answer' | 'detail' | 'counts'> {
  const { path, skipped = [] } = options
  const plan = versions.now
  const before = typeof versions.start === 'object' ? versions.start : undefined
  if (typeof plan === 'string' && (before === undefined || before.open === 0))
    return { answer: 'unknown', detail: plan }

  const now = typeof plan === 'string' ? EMPTY_PLAN : plan
  const { entries, changes, problems } = planEntries(now, before, options)
  const last = typeof versions.previous === 'object' ? compareChecklists(versions.previous, now) : undefined
  const skippedIds = new Set(skipped)
  const skippedEntries = entries.filter(({ id, done }) => !done && skippedIds.has(id))
  const open = entries.filter(({ id, done }) => !done && !skippedIds.has(id))
  const total = entries.length - skippedEntries.length
  const counts = {
    ...{ total, done: total - open.length, open: open.length },
    ...countsOf(changes, last),
    ...(skipped.length > 0 ? { skipped: skippedEntries.length } : {}),
  }
  const inFolder = entries.some(({ item }) => item.file !== undefined)
  const sentences = [
    ...(typeof plan === 'string' ? [plan] : []),
    ...(total > 0
      ? [
          `${counts.done} of ${inFolder ? `${count(total, 'task')} in ${path} done` : `${count(total, 'item')} in ${path} ticked`}.`,
        ]
      : []),
    ...named('Open', open),
    ...named('Skipped by the user', skippedEntries),
    ...capped([...problems, ...changeSentences(changes, last)]),
    ...(inFolder ? [FOLDER_NOTE] : []),
    ...(typeof versions.start === 'string' ? [versions.start] : []),
  ]
  if (total > 0) return { answer: open.length > 0 ? 'no' : 'yes', detail: sentences.join(' '), counts }
  const what = options.plansOnly === true ? 'lists no plans (NN-MM-PLAN.md)' : 'has no required items'
  const nothing = `The plan ${path} ${skippedEntries.length > 0 ? 'has only skipped items' : what}.`
  return { answer: 'unknown', detail: [nothing, ...sentences].join(' '), counts }
}

/** Anyone can move a file, so the answer says what it is based on. */
const FOLDER_NOTE =
  'A task is done if its file is in a done folder or has a done status. The file must not be empty, and its original boxes must be ticked.'

/** `ticked` and `unticked` cover the last iteration, the others the entire run: that is where each one matters. */
function countsOf(since?: ChecklistChanges, last?: ChecklistChanges): Record<string, number> {
  const sinceStart = since ?? last
  const recent = last ?? since
  if (sinceStart === undefined || recent === undefined) return {}
  return {
    deleted: union(since?.deleted, last?.deleted).length,
    reworded: union(
      since?.reworded.map((pair) => pair.before),
      last?.reworded.map((pair) => pair.before),
    ).length,
    excused: union(since?.excused, last?.excused).length,
    added: sinceStart.added.length,
    ticked: recent.ticked.length,
    unticked: recent.unticked.length,
  }
}

/** An item that is in both lists counts once. */
function union(a: readonly ChecklistItem[] = [], b: readonly ChecklistItem[] = []): readonly ChecklistItem[] {
  const texts = new Set(a.map((item) => item.text))
  return [...a, ...b.filter((item) => !texts.has(item.text))]
}

function named(what: string, entries: readonly PlanEntry[]): string[] {
  if (entries.length === 0) return []
  const names = entries.slice(0, NAMED).map(({ item }) => `${quoted(item)} (${item.file ?? `line ${item.line}`})`)
  return [`${what}: ${names.join(', ')}${entries.length > NAMED ? ` and ${entries.length - NAMED} more` : ''}.`]
}

function changeSentences(since?: ChecklistChanges, last?: ChecklistChanges): string[] {
  const unticked = union(since?.unticked, last?.unticked).map((item) => `The item ${quoted(item)} was unticked.`)
  return [...new Set([...(since?.problems ?? []), ...(last?.problems ?? []), ...unticked])]
}

/** A plan can lose thousands of items, and the journal keeps every answer. */
function capped(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= MOST_SENTENCES) return sentences
  return [...sentences.slice(0, MOST_SENTENCES), `And ${sentences.length - MOST_SENTENCES} more changes like these.`]
}

export interface PlanOptions extends Omit<JudgePlanOptions, 'path'> {
  /** The plan as it was at the start: items that were removed since are still open. */
  readonly before?: Checklist
  readonly tree?: string
}

/** The `checklist` check of a folder without a baseline. */
export function collectPlan(dir: string, path: string, options: PlanOptions = {}): Evidence {
  const started = performance.now()
  const real = realpathSync.native(dir)
  const resolved = { ...options, path: planPath(real, path) }
  const view = planNow({ dir: real, read: (file) => readTextFile(real, file) })
  const found = judgePlan({ now: planAt(view, resolved.path, resolved), start: options.before }, resolved)
  return { check: 'checklist', ...found, ms: Math.round(performance.now() - started), tree: options.tree ?? '' }
}
