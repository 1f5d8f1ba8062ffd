import type { Checklist, ChecklistItem, ChecklistOptions } from '../checks/checklist.ts'
import { type ChecklistChanges, compareChecklists, quoted } from '../checks/compare-checklists.ts'

/** One required item of the plan, as it counts: by its first name and words, whatever the agent made of them. */
export interface PlanEntry {
  /** Short, stable, and of one item only. */
  readonly id: string
  /** As it stands now; as it was at the start when it is gone. */
  readonly item: ChecklistItem
  /** As it was at the start, when it was there. */
  readonly start?: ChecklistItem
  readonly done: boolean
}

export interface PlanEntries {
  readonly entries: readonly PlanEntry[]
  /** Since the start, where that is known. */
  readonly changes?: ChecklistChanges
  /** Done by name, but not in itself: emptied files, open boxes, criteria that were edited away. */
  readonly problems: readonly string[]
}

/** The plan as it counts now. What was open at the start and was deleted, reworded or made optional is an open entry. */
export function planEntries(now: Checklist, start: Checklist | undefined, options: ChecklistOptions): PlanEntries {
  const changes = start === undefined ? undefined : compareChecklists(start, now)
  const name = namer(options)
  const ids = new Map((start?.items ?? []).map((item) => [item, name(item)]))
  const problems: string[] = []
  const escaped = new Set([...(changes?.excused ?? []), ...(changes?.reworded ?? []).map(({ after }) => after)])
  const entries = now.items
    .map((item): PlanEntry => {
      const was = changes?.origins.get(item)
      const flaw = flawOf(item, was)
      if (flaw !== undefined) problems.push(flaw)
      const done = item.done && flaw === undefined && !escaped.has(item)
      return { id: (was && ids.get(was)) ?? name(item), item, done, ...(was === undefined ? {} : { start: was }) }
    })
    .filter(({ item }) => !item.optional || escaped.has(item))
  const gone = (changes?.deleted ?? []).map(
    (item): PlanEntry => ({ id: ids.get(item)!, item, start: item, done: false }),
  )
  return { entries: [...entries, ...gone], problems, ...(changes === undefined ? {} : { changes }) }
}

/** What keeps an item open although it says that it is done. What a task was made of at the start is what must be done. */
function flawOf(item: ChecklistItem, was: ChecklistItem | undefined): string | undefined {
  if (was === undefined) return undefined
  if (item.empty === true && was.empty !== true) return `The task ${quoted(item)} was emptied (${item.file}).`
  if (!item.done || was.done || was.parts === undefined) return undefined
  const { open, problems } = ofTheStart(was.parts, item.parts ?? NOTHING)
  if (open === 0) return undefined
  const why = problems.length > 0 ? ` ${problems[0]}` : ''
  const parts = open === 1 ? '1 box or criterion of it is' : `${open} boxes or criteria of it are`
  return `The task ${quoted(item)} is put down as done, but ${parts} open.${why}`
}

const NOTHING: Checklist = { total: 0, done: 0, open: 0, items: [] }

/** Boxes that were added on the way are the agent's own notes. */
function ofTheStart(before: Checklist, now: Checklist): Pick<ChecklistChanges, 'open' | 'problems'> {
  const { added, open, problems } = compareChecklists(before, now)
  return { open: open - added.filter((item) => !item.done && !item.optional).length, problems }
}

const MOST_NAME = 100
const PLAN_NUMBER = /(?<![\d.])(\d{2}-\d{2})-PLAN\.md\b/

/** Gives every item a name of its own: equal ones are numbered in the order they stand. */
function namer({ plansOnly }: ChecklistOptions): (item: ChecklistItem) => string {
  const given = new Set<string>()
  const times = new Map<string, number>()
  return (item) => {
    const name = nameOf(item, plansOnly === true)
    let n = times.get(name) ?? 0
    let id = name
    do {
      n += 1
      id = n === 1 ? name : `${name} (${n})`
    } while (given.has(id))
    times.set(name, n)
    given.add(id)
    return id
  }
}

function nameOf({ id, text }: ChecklistItem, plansOnly: boolean): string {
  const number = plansOnly ? PLAN_NUMBER.exec(text)?.[1] : undefined
  if (number !== undefined) return number
  const name = (id ?? text)
    .slice(0, 4 * MOST_NAME)
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029*`~]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return name.length > MOST_NAME ? `${name.slice(0, MOST_NAME - 3)}...` : name || 'item'
}
