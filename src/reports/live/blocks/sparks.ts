import { cutLine, type Line, type Look, span } from '../line.ts'
import { marksOf } from '../marks.ts'
import { type Block, inPairs } from '../rows.ts'
import type { View } from '../view.ts'

/** Passing tests and confidence over the iterations, as small lines that rise and fall. */
export function sparksBlock(view: View, columns: number, look: Look): Block {
  const passed = view.history.map((point) => point.passed)
  const confidence = view.history.map((point) => point.confidence)
  const make = (room: number): readonly Line[] => [
    ...sparkLine('passing', passed, undefined, room, look),
    ...sparkLine('confidence', confidence, 100, room, look),
  ]
  const lines = inPairs(make, columns, look)
  return { rank: 9, least: lines.length, most: lines.length, draw: (rows) => lines.slice(0, rows) }
}

/** One point alone shows no way. An iteration without the number leaves a gap. */
function sparkLine(
  name: string,
  values: readonly (number | undefined)[],
  top: number | undefined,
  columns: number,
  look: Look,
): readonly Line[] {
  const known = values.filter((value) => value !== undefined && Number.isFinite(value))
  const last = known.at(-1)
  if (known.length < 2 || last === undefined) return []
  const words = ` ${Math.round(last)}`
  const room = Math.max(1, Math.min(40, columns - 11 - words.length))
  const { spark } = marksOf(look)
  const most = Math.max(top ?? 0, ...known.map((value) => value ?? 0), 1)
  const drawn = values.slice(-room).map((value) => {
    if (value === undefined || !Number.isFinite(value)) return ' '
    return spark[Math.min(spark.length - 1, Math.max(0, Math.round((value / most) * (spark.length - 1))))] ?? ' '
  })
  return [cutLine([span(name.padEnd(11), 'dim'), span(drawn.join(''), 'cyan'), span(words)], columns, look)]
}
