import type { Checklist, ChecklistItem, ChecklistOptions } from '../checks/checklist.ts'
import { type ChecklistChanges, compareChecklists, quoted } from '../checks/compare-checklists.ts'

/** One required item of the plan, identified by its original name and text even if the agent edited them. */
export interface PlanEntry {
  /** Short, stable and unique. */
  readonly id: string
  /** The current item; the original one if it is gone. */
  readonly item: ChecklistItem
  /** The original item, if it was there at the start. */
  readonly start?: ChecklistItem
  readonly done: boolean
}

export interface PlanEntries {
  readonly entries: readonly PlanEntry[]
  /** Changes since the start, if known. */
  readonly changes?: ChecklistChanges
  /** Items marked as done that are not: emptied files, open boxes, criteria that were removed. */
  readonly problems: readonly string[]
}

/** The plan as it counts now. An open item that was deleted, reworded or made optional is still an open entry. */
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

/** What keeps an item open although it is marked as done. All its original parts must be done. */
function flawOf(item: ChecklistItem, was: ChecklistItem | undefined): string | undefined {
  if (was === undefined) return undefined
  if (item.empty === true && was.empty !== true) return `The task ${quoted(item)} was emptied (${item.file}).`
  if (!item.done || was.done || was.parts === undefined) return undefined
  const { open, problems } = compareWithStart(was.parts, item.parts ?? NOTHING)
  if (open === 0) return undefined
  const why = problems.length > 0 ? ` ${problems[0]}` : ''
  const parts = open === 1 ? '1 box or criterion in it is' : `${open} boxes or criteria in it are`
  return `The task ${quoted(item)} is marked as done, but ${parts} open.${why}`
}

const NOTHING: Checklist = { total: 0, done: 0, open: 0, items: [] }

/** Boxes that were added later are the agent's own notes. */
function compareWithStart(before: Checklist, now: Checklist): Pick<ChecklistChanges, 'open' | 'problems'> {
  const { added, open, problems } = compareChecklists(before, now)
  return { open: open - added.filter((item) => !item.done && !item.optional).length, problems }
}

const MOST_NAME = 100
const PLAN_NUMBER = /(?<![\d.])(\d{2}-\d{2})-PLAN\.md\b/

/** Gives every item a unique name: equal ones are numbered in order. */
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
