import { diffWordsWithSpace } from 'diff'
import type { Piece } from './highlight.ts'

const MOST_LINE = 500
const MOST_EDITS = 120
/** If less of both lines is the same, marking words only distracts. */
const ALIKE = 0.4

export type Span = readonly [from: number, to: number]

/** What differs between an old and a new line, as places in each of them; undefined if most of it does. */
export function changedWords(
  old: string,
  now: string,
): { readonly minus: readonly Span[]; readonly plus: readonly Span[] } | undefined {
  if (old.length > MOST_LINE || now.length > MOST_LINE) return undefined
  const parts = diffWordsWithSpace(old, now, { maxEditLength: MOST_EDITS })
  if (parts === undefined) return undefined
  const minus: Span[] = []
  const plus: Span[] = []
  let [inOld, inNow, same] = [0, 0, 0]
  for (const { value, added, removed } of parts) {
    if (added) plus.push([inNow, inNow + value.length])
    else if (removed) minus.push([inOld, inOld + value.length])
    else same += value.trim().length
    if (!added) inOld += value.length
    if (!removed) inNow += value.length
  }
  return same >= ALIKE * Math.max(old.trim().length, now.trim().length) ? { minus, plus } : undefined
}

/** The pieces, cut where marked text begins and ends. */
export function markedPieces(
  pieces: readonly Piece[],
  spans: readonly Span[],
): readonly { readonly text: string; readonly color: string; readonly marked: boolean }[] {
  const cuts = spans.flat()
  let at = 0
  return pieces.flatMap(([text, color]) => {
    const start = at
    at += text.length
    const places = [start, ...cuts.filter((cut) => cut > start && cut < at), at]
    return places.slice(1).map((end, n) => {
      const from = places[n] ?? start
      const marked = spans.some(([low, high]) => from >= low && end <= high)
      return { text: text.slice(from - start, end - start), color, marked }
    })
  })
}
