import { markdownBlocks } from './markdown-blocks.ts'

export interface ChecklistItem {
  readonly text: string
  readonly done: boolean
  /** 1-based line of the box; the story's place in the list when it came from JSON. */
  readonly line: number
  /** The nearest heading above, or empty. */
  readonly section: string
  readonly optional: boolean
}

/** The numbers speak of required items only; `items` holds the optional ones too. */
export interface Checklist {
  readonly total: number
  readonly done: number
  readonly open: number
  readonly items: readonly ChecklistItem[]
}

export interface ChecklistOptions {
  /** Headings whose open items do not count, sub-sections included. */
  readonly optionalSections?: readonly string[]
  /** Only items that name a plan (NN-MM-PLAN.md) count, as in a roadmap. */
  readonly plansOnly?: boolean
}

/** A box is a box only when text follows it: GitHub shows `- [ ]` alone as plain characters. */
const BOX = /^\[([ xX])\](?:\n|[ \t]+(?=[^ \t]))/
const PLAN = /(?<![\d.])\d{2}-\d{2}-PLAN\.md\b/

const words = (text: string) => text.replace(/\s+/g, ' ').trim()
/** "**Optional:**" and "OPTIONAL" are the same heading. */
const headingName = (text: string) =>
  words(text)
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .toLowerCase()

function tally(items: readonly ChecklistItem[]): Checklist {
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
      // A heading inside a list or a quote opens no section of the document.
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

/** Whatever does not say plainly that it is done, is open. */
function storyDone(story: Record<string, unknown>): boolean {
  for (const name of ['passes', 'done', 'completed']) {
    if (typeof story[name] === 'boolean') return story[name]
  }
  return typeof story.status === 'string' && DONE_WORDS.has(story.status.trim().toLowerCase())
}

/** Stories of a `prd.json` or a like file; undefined when it holds no list of stories. */
export function readStories(json: unknown): Checklist | undefined {
  const holder = isRecord(json) ? json : { stories: json }
  const list = ['userStories', 'user_stories', 'stories', 'tasks'].map((name) => holder[name]).find(Array.isArray)
  if (list === undefined) return undefined
  const items = list.filter(isRecord).map((story, index): ChecklistItem => {
    const id = asText(story.id)
    const title = asText(story.title) || asText(story.name) || asText(story.description)
    const text = words(id !== '' && title !== '' ? `${id}: ${title}` : id || title || `story ${index + 1}`)
    return { text, done: storyDone(story), line: index + 1, section: '', optional: story.optional === true }
  })
  return tally(items)
}

export interface ChecklistChanges {
  readonly ticked: readonly ChecklistItem[]
  readonly unticked: readonly ChecklistItem[]
  /** Open items that are gone, or have lost their box. */
  readonly deleted: readonly ChecklistItem[]
  readonly reworded: readonly { readonly before: ChecklistItem; readonly after: ChecklistItem }[]
  /** Open required items that now stand in an optional section. */
  readonly excused: readonly ChecklistItem[]
  readonly added: readonly ChecklistItem[]
  /** The numbers of the later list, with what was deleted, reworded or excused still counted as open. */
  readonly total: number
  readonly done: number
  readonly open: number
  readonly problems: readonly string[]
}

const sameText = (text: string) => words(text.replace(/[*_`~]/g, '').toLowerCase()).replace(/[.!]+$/, '')

/** Share of words in common, 0 to 1: enough to tell a changed sentence from another one. */
function likeness(a: string, b: string): number {
  const left = sameText(a).split(' ')
  const right = sameText(b).split(' ')
  const pool = new Map<string, number>()
  for (const word of left) pool.set(word, (pool.get(word) ?? 0) + 1)
  let common = 0
  for (const word of right) {
    const n = pool.get(word) ?? 0
    if (n > 0) {
      common += 1
      pool.set(word, n - 1)
    }
  }
  return (2 * common) / (left.length + right.length)
}

/** What became of each item. A plan is finished by ticking it, not by editing it. */
export function compareChecklists(before: Checklist, after: Checklist): ChecklistChanges {
  const left = new Set(after.items)
  const pairs = new Map<ChecklistItem, ChecklistItem>()
  const take = (matches: (old: ChecklistItem, now: ChecklistItem) => boolean) => {
    for (const old of before.items) {
      if (pairs.has(old)) continue
      const now = [...left].find((item) => matches(old, item))
      if (now === undefined) continue
      pairs.set(old, now)
      left.delete(now)
    }
  }
  take((old, now) => sameText(old.text) === sameText(now.text) && old.section === now.section)
  take((old, now) => sameText(old.text) === sameText(now.text))
  // A remark after the text ("... - see parser.ts") leaves the item what it was.
  take((old, now) => sameText(now.text).startsWith(`${sameText(old.text)} `))

  const reworded: { before: ChecklistItem; after: ChecklistItem }[] = []
  const deleted: ChecklistItem[] = []
  for (const old of before.items) {
    if (pairs.has(old) || old.done || old.optional) continue
    const best = [...left]
      .map((item) => ({ item, like: likeness(old.text, item.text) }))
      .sort((a, b) => b.like - a.like)[0]
    if (best !== undefined && best.like >= 0.5) {
      left.delete(best.item)
      reworded.push({ before: old, after: best.item })
    } else deleted.push(old)
  }

  const moved = [...pairs]
  const required = moved.filter(([old]) => !old.optional)
  const excused = required.filter(([old, now]) => !old.done && !now.done && now.optional).map(([, now]) => now)
  const hidden = reworded.filter(({ after: now }) => now.optional).length
  const disguised = reworded.filter(({ after: now }) => now.done && !now.optional).length
  const lost = deleted.length + excused.length + hidden
  const quote = (item: ChecklistItem) => `"${item.text}"`
  return {
    ticked: moved.filter(([old, now]) => !old.done && now.done).map(([, now]) => now),
    unticked: moved.filter(([old, now]) => old.done && !now.done).map(([, now]) => now),
    deleted,
    reworded,
    excused,
    added: [...left],
    total: after.total + lost,
    done: after.done - disguised,
    open: after.open + disguised + lost,
    problems: [
      ...deleted.map((item) => `The open item ${quote(item)} was removed instead of ticked.`),
      ...reworded.map((pair) => `The open item ${quote(pair.before)} was reworded to ${quote(pair.after)}.`),
      ...excused.map((item) => `The open item ${quote(item)} was moved to the optional section "${item.section}".`),
    ],
  }
}
