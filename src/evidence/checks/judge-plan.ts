import { realpathSync } from 'node:fs'
import type { Evidence } from '../../core/types.ts'
import { readTextFile } from '../../system/read-file.ts'
import { type PlanEntry, planEntries } from '../plan/entries.ts'
import { planAt, planNow, planPath } from '../plan/view.ts'
import type { Checklist, ChecklistItem, ChecklistOptions } from './checklist.ts'
import { type ChecklistChanges, compareChecklists, quoted } from './compare-checklists.ts'

export interface JudgePlanOptions extends ChecklistOptions {
  readonly path: string
  /** Ids of tasks that a person took off the list. */
  readonly skipped?: readonly string[]
}

/** The plan as it is, as it was at the start and after the iteration before; a sentence where it cannot be had. */
export interface PlanVersions {
  readonly now: Checklist | string
  readonly start?: Checklist | string | undefined
  readonly previous?: Checklist | string | undefined
}

const NAMED = 3
const MOST_SENTENCES = 12
const NOTHING: Checklist = { total: 0, done: 0, open: 0, items: [] }

/** Is every required item of the plan ticked, and was none of them done away with instead? */
export function judgePlan(
  versions: PlanVersions,
  options: JudgePlanOptions,
): Pick<Evidence, 'answer' | 'detail' | 'counts'> {
  const { path, skipped = [] } = options
  const plan = versions.now
  const before = typeof versions.start === 'object' ? versions.start : undefined
  if (typeof plan === 'string' && (before === undefined || before.open === 0))
    return { answer: 'unknown', detail: plan }

  const now = typeof plan === 'string' ? NOTHING : plan
  const { entries, changes, problems } = planEntries(now, before, options)
  const last = typeof versions.previous === 'object' ? compareChecklists(versions.previous, now) : undefined
  const off = new Set(skipped)
  const taken = entries.filter(({ id, done }) => !done && off.has(id))
  const open = entries.filter(({ id, done }) => !done && !off.has(id))
  const total = entries.length - taken.length
  const counts = {
    ...{ total, done: total - open.length, open: open.length },
    ...countsOf(changes, last),
    ...(skipped.length > 0 ? { skipped: taken.length } : {}),
  }
  const inFolder = entries.some(({ item }) => item.file !== undefined)
  const sentences = [
    ...(typeof plan === 'string' ? [plan] : []),
    ...(total > 0
      ? [`${counts.done} of ${total} ${inFolder ? `tasks of ${path} are done` : `items of ${path} are ticked`}.`]
      : []),
    ...named('Open', open),
    ...named('Skipped by a person', taken),
    ...few([...problems, ...happened(changes, last)]),
    ...(inFolder ? [FOLDER] : []),
    ...(typeof versions.start === 'string' ? [versions.start] : []),
  ]
  if (total > 0) return { answer: open.length > 0 ? 'no' : 'yes', detail: sentences.join(' '), counts }
  const what = options.plansOnly === true ? 'names no plan (NN-MM-PLAN.md)' : 'holds no required item'
  const nothing = `The plan ${path} ${taken.length > 0 ? 'holds nothing that was not skipped' : what}.`
  return { answer: 'unknown', detail: [nothing, ...sentences].join(' '), counts }
}

/** Anybody can move a file: whoever reads the answer shall know what it rests on. */
const FOLDER =
  'A task counts as done when its file lies in a done folder or says so at its top, is not empty, and the boxes it had at the start are ticked.'

/** `ticked` and `unticked` speak of the last iteration, the others of the whole run: that is where each one matters. */
function countsOf(since?: ChecklistChanges, last?: ChecklistChanges): Record<string, number> {
  const whole = since ?? last
  const recent = last ?? since
  if (whole === undefined || recent === undefined) return {}
  return {
    deleted: together(since?.deleted, last?.deleted).length,
    reworded: together(
      since?.reworded.map((pair) => pair.before),
      last?.reworded.map((pair) => pair.before),
    ).length,
    excused: together(since?.excused, last?.excused).length,
    added: whole.added.length,
    ticked: recent.ticked.length,
    unticked: recent.unticked.length,
  }
}

/** The same item seen from the start and from the last iteration is one item. */
function together(a: readonly ChecklistItem[] = [], b: readonly ChecklistItem[] = []): readonly ChecklistItem[] {
  const texts = new Set(a.map((item) => item.text))
  return [...a, ...b.filter((item) => !texts.has(item.text))]
}

function named(what: string, entries: readonly PlanEntry[]): string[] {
  if (entries.length === 0) return []
  const names = entries.slice(0, NAMED).map(({ item }) => `${quoted(item)} (${item.file ?? `line ${item.line}`})`)
  return [`${what}: ${names.join(', ')}${entries.length > NAMED ? ` and ${entries.length - NAMED} more` : ''}.`]
}

function happened(since?: ChecklistChanges, last?: ChecklistChanges): string[] {
  const unticked = together(since?.unticked, last?.unticked).map((item) => `The item ${quoted(item)} was unticked.`)
  return [...new Set([...(since?.problems ?? []), ...(last?.problems ?? []), ...unticked])]
}

/** A plan of thousands of items can lose thousands of them; the journal keeps every answer. */
function few(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= MOST_SENTENCES) return sentences
  return [...sentences.slice(0, MOST_SENTENCES), `And ${sentences.length - MOST_SENTENCES} more of this kind.`]
}

export interface PlanOptions extends Omit<JudgePlanOptions, 'path'> {
  /** The plan as it was at the start: items that vanished since are still open. */
  readonly before?: Checklist
  readonly tree?: string
}

/** The `checklist` check of a folder that nobody keeps a baseline of. */
export function collectPlan(dir: string, path: string, options: PlanOptions = {}): Evidence {
  const started = performance.now()
  const real = realpathSync.native(dir)
  const asked = { ...options, path: planPath(real, path) }
  const view = planNow({ dir: real, read: (file) => readTextFile(real, file) })
  const found = judgePlan({ now: planAt(view, asked.path, asked), start: options.before }, asked)
  return { check: 'checklist', ...found, ms: Math.round(performance.now() - started), tree: options.tree ?? '' }
}
