import { posix } from 'node:path'
import { withoutProof } from '../../../packages/exitgate/src/checks/proven.ts'
import type { Checklist, ChecklistItem } from './checklist.ts'

export interface ChecklistChanges {
  readonly ticked: readonly ChecklistItem[]
  readonly unticked: readonly ChecklistItem[]
  /** Open items that are gone, or have lost their box. */
  readonly deleted: readonly ChecklistItem[]
  readonly reworded: readonly { readonly before: ChecklistItem; readonly after: ChecklistItem }[]
  /** Open required items that are now in an optional section. */
  readonly excused: readonly ChecklistItem[]
  readonly added: readonly ChecklistItem[]
  /** The earlier form of each later item, if it had one; includes reworded items. */
  readonly origins: ReadonlyMap<ChecklistItem, ChecklistItem>
  /** The numbers of the later list. Deleted, reworded and excused items still count as open. */
  readonly total: number
  readonly done: number
  readonly open: number
  readonly problems: readonly string[]
}

/** Longer lists are not hand-written, and comparing every lost item with every new one would take too long. */
const MOST_COMPARISONS = 100_000
const MOST_WORDS = 200
const MOST_QUOTED = 200

/** Cosmetic edits do not change a text. */
function normalized(text: string): string {
  const plain = withoutProof(text)
    .replace(/[*_`~]/g, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
  let end = plain.length
  while (plain[end - 1] === '.' || plain[end - 1] === '!') end -= 1
  return plain.slice(0, end)
}

/** An item's text in quotes, short and on one line. */
export function quoted({ text }: ChecklistItem): string {
  const line = text.slice(0, MOST_QUOTED).replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
  return `"${line}${text.length > MOST_QUOTED ? ' ...' : ''}"`
}

/** What happened to each item. A plan is finished by ticking it, not by editing it. */
export function compareChecklists(before: Checklist, after: Checklist): ChecklistChanges {
  const { pairs, left } = pairItems(before.items, after.items)
  const lostItems = before.items.filter((old) => !pairs.has(old) && !old.done && !old.optional)
  const { reworded, deleted } = splitReworded(lostItems, left)

  const moved = [...pairs]
  const required = moved.filter(([old]) => !old.optional)
  const excused = required.filter(([old, now]) => !old.done && !now.done && now.optional).map(([, now]) => now)
  const hidden = reworded.filter(({ after: now }) => now.optional).length
  const disguised = reworded.filter(({ after: now }) => now.done && !now.optional).length
  const lost = deleted.length + excused.length + hidden
  const removalText = (item: ChecklistItem) =>
    item.file === undefined
      ? `The open item ${quoted(item)} was removed instead of ticked.`
      : `The file of the open task ${quoted(item)} is gone (${item.file}).`
  return {
    ticked: moved.filter(([old, now]) => !old.done && now.done).map(([, now]) => now),
    unticked: moved.filter(([old, now]) => old.done && !now.done).map(([, now]) => now),
    deleted,
    reworded,
    excused,
    added: [...left],
    origins: new Map([
      ...moved.map(([old, now]) => [now, old] as const),
      ...reworded.map((pair) => [pair.after, pair.before] as const),
    ]),
    total: after.total + lost,
    done: after.done - disguised,
    open: after.open + disguised + lost,
    problems: [
      ...deleted.map(removalText),
      ...reworded.map((pair) => `The open item ${quoted(pair.before)} was reworded to ${quoted(pair.after)}.`),
      ...excused.map((item) => `The open item ${quoted(item)} was moved to the optional section "${item.section}".`),
    ],
  }
}

/** Pairs each earlier item with its later form. The later items left over are new or reworded. */
function pairItems(before: readonly ChecklistItem[], after: readonly ChecklistItem[]) {
  const texts = new Map([...before, ...after].map((item) => [item, normalized(item.text)]))
  const textOf = (item: ChecklistItem) => texts.get(item)!
  const left = new Set(after)
  const pairs = new Map<ChecklistItem, ChecklistItem>()
  const pair = (old: ChecklistItem, now: ChecklistItem) => {
    pairs.set(old, now)
    left.delete(now)
  }
  const pairBy = (keyOf: (item: ChecklistItem) => string | undefined) => {
    const waiting = new Map<string, ChecklistItem[]>()
    for (const item of [...left].reverse()) {
      const key = keyOf(item)
      if (key === undefined) continue
      const same = waiting.get(key)
      if (same === undefined) waiting.set(key, [item])
      else same.push(item)
    }
    for (const old of before) {
      const now = pairs.has(old) ? undefined : waiting.get(keyOf(old) ?? '\0')?.pop()
      if (now !== undefined) pair(old, now)
    }
  }
  pairBy((item) => `${item.section}\0${textOf(item)}`)
  pairBy(textOf)
  // A task's file keeps its name when it is moved.
  pairBy(({ file }) => file && posix.basename(file))
  // A remark after the text ("... - see parser.ts") does not change the item.
  const sorted = [...left].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  const reached = new Map<string, number>()
  for (const old of before) {
    if (pairs.has(old) || old.file !== undefined) continue
    const start = `${textOf(old)} `
    let at = reached.get(start) ?? firstFrom(sorted, textOf, start)
    while (at < sorted.length && !left.has(sorted[at]!) && textOf(sorted[at]!).startsWith(start)) at += 1
    reached.set(start, at)
    const now = sorted[at]
    if (now !== undefined && textOf(now).startsWith(start)) pair(old, now)
  }
  return { pairs, left }
}

/** Index of the first item whose text is not before this one. */
function firstFrom(sorted: readonly ChecklistItem[], textOf: (item: ChecklistItem) => string, text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (textOf(sorted[middle]!) < text) low = middle + 1
    else high = middle
  }
  return low
}

/** Which of the lost items were reworded. If in doubt an item is deleted, which counts the same. */
function splitReworded(lost: readonly ChecklistItem[], left: Set<ChecklistItem>) {
  const reworded: { before: ChecklistItem; after: ChecklistItem }[] = []
  if (lost.length * left.size > MOST_COMPARISONS) return { reworded, deleted: lost }
  const bags = new Map([...lost, ...left].map((item) => [item, normalized(item.text).split(' ').slice(0, MOST_WORDS)]))
  const deleted: ChecklistItem[] = []
  for (const old of lost) {
    const [best] = [...left]
      .map((item) => ({ item, like: similarity(bags.get(old)!, bags.get(item)!) }))
      .sort((a, b) => b.like - a.like)
    if (best !== undefined && best.like >= 0.5) {
      left.delete(best.item)
      reworded.push({ before: old, after: best.item })
    } else deleted.push(old)
  }
  return { reworded, deleted }
}

/** Share of common words, 0 to 1: enough to distinguish an edited sentence from another one. */
function similarity(left: readonly string[], right: readonly string[]): number {
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
