import { type Columns, columnsOf } from './columns.ts'
import type { Diff, Report } from './types.ts'

/** Iterations whose details are decoded together. */
export const ITERATIONS_PER_PIECE = 64

/** A value without duplicates: leaves in one table, objects by their keys in another. */
export interface Packed {
  /** Keys of each kind of object; the kind -1 is a list. */
  readonly kinds: readonly (readonly string[])[]
  readonly leaves: readonly (string | number | boolean | null)[]
  /** A kind, then one number for each child: a leaf from 0 on, a node before it from -1 down. */
  readonly nodes: readonly (readonly number[])[]
  readonly root: number
}

const LIST = -1

export function pack(value: unknown): Packed {
  const kinds = new Kinds()
  const leaves = new Table<string | number | boolean | null>()
  const nodes = new Table<readonly number[]>()
  const place = (each: unknown): number => {
    if (typeof each === 'string' || typeof each === 'boolean') return leaves.add(each, each)
    if (typeof each === 'number') return leaves.add(each, Number.isFinite(each) ? each : null)
    if (typeof each !== 'object' || each === null) return leaves.add(null, null)
    const parts = [LIST]
    if (Array.isArray(each)) for (const child of each) parts.push(place(child))
    else parts[0] = kindOf(each, parts)
    return -1 - nodes.add(parts.join(), parts)
  }
  const kindOf = (each: object, parts: number[]): number => {
    const keys: string[] = []
    for (const key of Object.keys(each)) {
      const child = (each as Readonly<Record<string, unknown>>)[key]
      if (child === undefined) continue
      keys.push(key)
      parts.push(place(child))
    }
    return kinds.add(keys)
  }
  const root = place(value)
  return { kinds: kinds.all, leaves: leaves.all, nodes: nodes.all, root }
}

class Table<T> {
  readonly all: T[] = []
  readonly #known = new Map<unknown, number>()

  add(key: unknown, value: T): number {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#known.set(key, this.all.length)
    return this.all.push(value) - 1
  }
}

interface KindsAfter {
  readonly next: Map<string, KindsAfter>
  kind?: number
}

/** A tree by key after key: joining the keys of every object to one text would take longer than all the rest. */
class Kinds {
  readonly all: (readonly string[])[] = []
  readonly #first: KindsAfter = { next: new Map() }

  add(keys: readonly string[]): number {
    let at = this.#first
    for (const key of keys) {
      let next = at.next.get(key)
      if (next === undefined) {
        next = { next: new Map() }
        at.next.set(key, next)
      }
      at = next
    }
    at.kind ??= this.all.push(keys) - 1
    return at.kind
  }
}

export interface Children<T> {
  readonly length: number
  at(n: number): T | undefined
}

/** Unpacks a list one child at a time. The caller knows the type of what was packed. */
export function childrenOf<T>({ kinds, leaves, nodes, root }: Packed): Children<T> {
  const take = (place: number): unknown => {
    if (place >= 0) return leaves[place]
    const [kind = -1, ...children] = nodes[-1 - place] ?? []
    if (kind < 0) return children.map(take)
    return Object.fromEntries((kinds[kind] ?? []).map((key, n) => [key, take(children[n] ?? 0)]))
  }
  const [, ...children] = root < 0 ? (nodes[-1 - root] ?? []) : []
  return {
    length: children.length,
    at(n) {
      const place = children[n]
      return place === undefined ? undefined : (take(place) as T)
    },
  }
}

/** What the page reads when it opens. */
export interface PageData {
  readonly head: Omit<Report, 'iterations'>
  readonly columns: Columns
}

/** The hunks of one diff, file by file: `total`, or the number of an iteration. */
export interface PageDiff {
  readonly name: string
  readonly hunks: readonly (string | null)[]
}

/** The report for the page: the overview, and the details and diffs in pieces that are decoded on demand. */
export function pageData(report: Report): {
  readonly data: PageData
  readonly pieces: readonly Packed[]
  readonly diffs: readonly PageDiff[]
} {
  const { iterations, work, ...head } = report
  const pieces: Packed[] = []
  for (let from = 0; from < iterations.length; from += ITERATIONS_PER_PIECE)
    pieces.push(pack(iterations.slice(from, from + ITERATIONS_PER_PIECE)))
  const columns = columnsOf(report)
  if (work === undefined) return { data: { head, columns }, pieces, diffs: [] }
  const { total, iterations: each } = work
  const diffs = [
    ...(total ? [{ name: 'total', diff: total }] : []),
    ...each.map((diff) => ({ name: String(diff.n), diff })),
  ]
  const shown = { ...work, ...(total && { total: withoutHunks(total) }), iterations: each.map(withoutHunks) }
  return {
    data: { head: { ...head, work: shown }, columns },
    pieces,
    diffs: diffs.map(({ name, diff }) => ({ name, hunks: diff.files.map(({ hunks }) => hunks ?? null) })),
  }
}

const withoutHunks = <T extends Diff>(diff: T): T => ({
  ...diff,
  files: diff.files.map(({ hunks: _hunks, ...file }) => file),
})
