import type { PageData } from '../data.ts'
import type { Packed } from '../pack.ts'
import { TOGETHER } from '../together.ts'
import type { Iteration } from '../types.ts'
import { type Children, childrenOf } from '../unpack.ts'

const read = <T>(id: string): T | undefined => {
  const text = document.getElementById(id)?.textContent
  if (!text) return undefined
  const value: T = JSON.parse(text)
  return value
}

export const pageData = (): PageData | undefined => read<PageData>('data')

const pieces = new Map<number, Children<Iteration>>()
const MOST = 8

/** The details of the iteration at that place; of the pieces that were decoded the last few are kept. */
export function iterationAt(place: number): Iteration | undefined {
  const piece = Math.floor(place / TOGETHER)
  let children = pieces.get(piece)
  if (children === undefined) {
    const packed = read<Packed>(`piece-${piece}`)
    if (packed === undefined) return undefined
    children = childrenOf<Iteration>(packed)
    if (pieces.size >= MOST) pieces.clear()
    pieces.set(piece, children)
  }
  return children.at(place % TOGETHER)
}
