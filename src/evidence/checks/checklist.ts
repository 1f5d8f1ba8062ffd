import { markdownBlocks } from './markdown-blocks.ts'

export interface ChecklistItem {
  readonly text: string
  readonly done: boolean
  /** 1-based line of the box. In a JSON plan, the story's position in the list. */
  readonly line: number
  /** The nearest heading above, or empty. */
  readonly section: string
  readonly optional: boolean
  /** The id of a story. */
  readonly id?: string
  /** A title for people, if `text` is not one: the heading of a task's file. */
  readonly title?: string
  /** Bounded further text: acceptance criteria, the body of a task's file. */
  readonly detail?: string
  readonly type?: string
  /** Lower comes first. */
  readonly rank?: number
  /** The task's file if the plan is a folder. */
  readonly file?: string
  /** The boxes of the task's file, or the acceptance criteria of a story. */
  readonly parts?: Checklist
  /** How to mark it as done, for the agent's prompt; absent for a box, which is ticked. */
  readonly markDone?: string
  /** The task's file was emptied. */
  readonly empty?: true
}

/** The numbers cover required items only; `items` includes the optional ones. */
export interface Checklist {
  readonly total: number
  readonly done: number
  readonly open: number
  readonly items: readonly ChecklistItem[]
}

export interface ChecklistOptions {
  /** Headings whose open items do not count, sub-sections included. */
  readonly optionalSections?: readonly string[]
  /** Only items that mention a plan (NN-MM-PLAN.md) count, as in a roadmap. */
  readonly plansOnly?: boolean
}

/** A box needs text after it: GitHub shows `- [ ]` alone as plain characters. */
const BOX = /^\[([ xX])\](?:\n|[ \t]+(?=[^ \t]))/
const PLAN = /(?<![\d.])\d{2}-\d{2}-PLAN\.md\b/

const words = (text: string) => text.replace(/\s+/g, ' ').trim()
/** "**Optional:**" and "OPTIONAL" are the same heading. Longer names than 200 characters do not occur. */
const headingName = (text: string) =>
  words(text)
    .slice(0, 200)
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .toLowerCase()

/** A checklist of these items. */
export function tally(items: readonly ChecklistItem[]): Checklist {
  const required = items.filter((item) => !item.optional)
  const done = required.filter((item) => item.done).length
  return { total: required.length, done, open: required.length - done, items }
}

export function readChecklist(markdown: string, options: ChecklistOptions = {}): Checklist {
  const optionalNames = new Set((options.optionalSections ?? []).map(headingName).filter((name) => name !== ''))
  const path: { level: number; text: string; optional: boolean }[] = []
  const items: ChecklistItem[] = []
  for (const block of markdownBlocks(markdown)) {
    if (block.kind === 'heading') {
      // A heading inside a list or a quote does not start a section of the document.
      if (block.nested) continue
      while (path.length > 0 && path.at(-1)!.level >= block.level) path.pop()
      const optional = path.at(-1)?.optional === true || optionalNames.has(headingName(block.text))
      path.push({ level: block.level, text: words(block.text), optional })
      continue
    }
    if (block.kind === 'code') continue
    const box = block.opensItem ? BOX.exec(block.text.trimEnd()) : null
    if (box === null) continue
    const text = words(block.text.slice(box[0].length))
    if (options.plansOnly === true && !PLAN.test(text)) continue
    const done = box[1] === 'x' || box[1] === 'X'
    const section = path.at(-1)
    items.push({ text, done, line: block.line, section: section?.text ?? '', optional: section?.optional === true })
  }
  return tally(items)
}

/** Longer details are cut, because they go into a prompt. */
export const MOST_DETAIL = 4_000

const DONE_WORDS = new Set([
  'done',
  'complete',
  'completed',
  'passed',
  'passing',
  'pass',
  'closed',
  'finished',
  'verified',
])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asText = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

/** `done`, `Completed`, `closed`: status values that mean done. */
export const saysDone = (status: string): boolean => DONE_WORDS.has(status.trim().toLowerCase())

const DONE_FIELDS = ['passes', 'done', 'completed']
const doneField = (story: Record<string, unknown>) => DONE_FIELDS.find((name) => typeof story[name] === 'boolean')

/** A story is open unless one of these fields says it is done. */
function storyDone(story: Record<string, unknown>): boolean {
  const field = doneField(story)
  if (field !== undefined) return story[field] === true
  return typeof story.status === 'string' && saysDone(story.status)
}

/** The story's own field, and those of its criteria: a story with open criteria counts as open. */
function howToMark(story: Record<string, unknown>, name: string): string {
  const field = doneField(story)
  const byStatus = field === undefined && typeof story.status === 'string'
  const own = criteriaIn(story).some((entry) => isRecord(entry) && hasOwnMark(entry))
  const what = byStatus ? 'set "status" to "done"' : `set "${field ?? 'passes'}" to true`
  return `${what} in ${name}${own ? ', then mark each of its acceptance criteria the same way' : ''}`
}

const hasOwnMark = (entry: Record<string, unknown>) => [...DONE_FIELDS, 'status'].some((name) => name in entry)

function criteriaIn(story: Record<string, unknown>): readonly unknown[] {
  const names = ['acceptanceCriteria', 'acceptance_criteria', 'criteria', 'steps']
  return names.map((name) => story[name]).find((value): value is unknown[] => Array.isArray(value)) ?? []
}

/** `1`, `"P0"`, `high`: common ways to write a priority. */
const PRIORITIES = ['critical', 'urgent', 'high', 'medium', 'normal', 'low']
function priorityOf(value: unknown): number | undefined {
  const text = asText(value).trim().toLowerCase()
  const number = /^p?(\d{1,6}(?:\.\d{1,6})?)$/.exec(text)?.[1]
  if (number !== undefined) return Number(number)
  const place = PRIORITIES.indexOf(text)
  return place < 0 ? undefined : place
}

/** Criteria are done with their story, unless they have a status of their own. */
function criteriaOf(story: Record<string, unknown>, done: boolean): Checklist | undefined {
  const items = criteriaIn(story).flatMap((entry, index): ChecklistItem[] => {
    const own = isRecord(entry) ? entry : undefined
    const text = words(own === undefined ? asText(entry) : asText(own.text) || asText(own.description))
    if (text === '') return []
    const ownMark = own !== undefined && hasOwnMark(own)
    return [{ text, done: ownMark ? storyDone(own) : done, line: index + 1, section: '', optional: false }]
  })
  return items.length === 0 ? undefined : tally(items)
}

function storyDetail(story: Record<string, unknown>, title: string, criteria: Checklist | undefined): string {
  const texts = [story.description, story.details, story.notes].map(asText)
  const descriptions = [...new Set(texts)].filter((text) => text.trim() !== '' && words(text) !== title)
  return [...descriptions, ...(criteria?.items ?? []).map(({ text }) => `- ${text}`)].join('\n').slice(0, MOST_DETAIL)
}

/** Stories of a `prd.json` or similar file; undefined if it has no list of stories. */
export function readStories(json: unknown, path = 'the plan'): Checklist | undefined {
  const holder = isRecord(json) ? json : { stories: json }
  const list = ['userStories', 'user_stories', 'stories', 'tasks'].map((name) => holder[name]).find(Array.isArray)
  if (list === undefined) return undefined
  const items = list.filter(isRecord).map((story, index): ChecklistItem => {
    const id = words(asText(story.id))
    const title = words(asText(story.title) || asText(story.name) || asText(story.description))
    const text = id !== '' && title !== '' ? `${id}: ${title}` : id || title || `story ${index + 1}`
    const done = storyDone(story)
    const parts = criteriaOf(story, done)
    const detail = storyDetail(story, title, parts)
    const rank = priorityOf(story.priority)
    const type = words(asText(story.type) || asText(story.issue_type))
    return {
      ...{ text, done, line: index + 1, section: '', optional: story.optional === true },
      ...(id === '' ? {} : { id }),
      ...(title === '' ? {} : { title }),
      ...(detail === '' ? {} : { detail }),
      ...(rank === undefined ? {} : { rank }),
      ...(type === '' ? {} : { type }),
      ...(parts === undefined ? {} : { parts }),
      markDone: howToMark(story, `story ${id || index + 1} of ${path}`),
    }
  })
  return tally(items)
}

/** The plan in a text: stories in JSON, boxes in anything else. A sentence if there is none. */
export function planOf(path: string, text: string, options: ChecklistOptions = {}): Checklist | string {
  if (text.trim() === '') return `The plan ${path} is empty.`
  if (!/\.json$/i.test(path)) return readChecklist(text, options)
  try {
    return readStories(JSON.parse(text), path) ?? `The plan ${path} contains no list of stories.`
  } catch (error) {
    return `The plan ${path} is not valid JSON: ${(error as Error).message}.`
  }
}
