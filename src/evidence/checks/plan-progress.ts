import type { Evidence } from '../../types.ts'
import { planOf } from '../plan-text.ts'
import type { Baseline, Check } from '../types.ts'
import {
  type Checklist,
  type ChecklistChanges,
  type ChecklistItem,
  type ChecklistOptions,
  compareChecklists,
} from './checklist.ts'

export interface PlanCheckOptions extends ChecklistOptions {
  /** Relative to the workspace. */
  readonly path: string
  /** Text of the plan after the previous iteration, as the journal or the loop remembers it. */
  readonly previous?: string
}

type Found = Pick<Evidence, 'answer' | 'detail' | 'counts'>

const NAMED = 3
const NOTHING: Checklist = { total: 0, done: 0, open: 0, items: [] }

/** The `checklist` check: is every required item of the plan ticked, and was none of them done away with instead? */
export function planCheck(options: PlanCheckOptions): Check {
  return {
    name: 'checklist',
    async collect({ workspace, baseline, tree }) {
      const started = performance.now()
      const text = workspace.read(options.path)
      const found = judge(text, baselinePlan(options, baseline), options)
      return [{ check: 'checklist', ...found, ms: Math.round(performance.now() - started), tree }]
    },
  }
}

/** The plan of the start; undefined when there was none, a sentence when it is not known any more. */
function baselinePlan(options: PlanCheckOptions, baseline: Baseline | undefined): Checklist | string | undefined {
  if (baseline === undefined) return undefined
  const text = baseline.read(options.path)
  if (text !== undefined) return planOf(options.path, text, options)
  return Object.hasOwn(baseline.files, options.path)
    ? `What ${options.path} said at the start was not kept.`
    : `The plan ${options.path} was not there at the start.`
}

function judge(text: string | undefined, start: Checklist | string | undefined, options: PlanCheckOptions): Found {
  const { path } = options
  const before = typeof start === 'object' ? start : undefined
  const plan = text === undefined ? `The plan ${path} does not exist or cannot be read.` : planOf(path, text, options)
  if (typeof plan === 'string' && (before === undefined || before.open === 0))
    return { answer: 'unknown', detail: plan }

  const now = typeof plan === 'string' ? NOTHING : plan
  const since = before === undefined ? undefined : compareChecklists(before, now)
  const last = lastChanges(options, now)
  const { total, done, open } = since ?? now
  const counts = { total, done, open, ...countsOf(since, last) }
  if (total === 0) {
    const what = options.plansOnly === true ? 'names no plan (NN-MM-PLAN.md)' : 'holds no required item'
    return { answer: 'unknown', detail: `The plan ${path} ${what}.`, counts }
  }
  const sentences = [
    ...(typeof plan === 'string' ? [plan] : []),
    `${done} of ${total} items of ${path} are ticked.`,
    ...openItems(now),
    ...happened(since, last),
    ...(typeof start === 'string' ? [start] : []),
  ]
  return { answer: open > 0 ? 'no' : 'yes', detail: sentences.join(' '), counts }
}

function lastChanges(options: PlanCheckOptions, now: Checklist): ChecklistChanges | undefined {
  const previous = options.previous === undefined ? undefined : planOf(options.path, options.previous, options)
  return typeof previous === 'object' ? compareChecklists(previous, now) : undefined
}

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

function openItems(plan: Checklist): string[] {
  const open = plan.items.filter((item) => !item.done && !item.optional)
  if (open.length === 0) return []
  const names = open.slice(0, NAMED).map((item) => `"${item.text}" (line ${item.line})`)
  return [`Open: ${names.join(', ')}${open.length > NAMED ? ` and ${open.length - NAMED} more` : ''}.`]
}

function happened(since?: ChecklistChanges, last?: ChecklistChanges): string[] {
  const unticked = together(since?.unticked, last?.unticked).map((item) => `The item "${item.text}" was unticked.`)
  return [...new Set([...(since?.problems ?? []), ...(last?.problems ?? []), ...unticked])]
}
