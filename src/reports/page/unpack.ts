import type { Packed } from './pack.ts'

export interface Children<T> {
  readonly length: number
  at(n: number): T | undefined
}

/** A list that was packed, one child at a time: nobody looks at all of them. It is what was packed, so its type is believed. */
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
