import { painter } from '../verdict-text.ts'
import { asciiOnly } from './clean.ts'
import { headOf, textWidth } from './width.ts'

export type Tone = Parameters<ReturnType<typeof painter>>[1]

/** A piece of a line in one tone. Its text is clean by the time it is here. */
export interface Span {
  readonly text: string
  readonly tone?: Tone
}
export type Line = readonly Span[]

export interface Look {
  readonly color: boolean
  readonly unicode: boolean
}

export const span = (text: string, tone?: Tone): Span => (tone === undefined ? { text } : { text, tone })

export const lineWidth = (line: Line): number => line.reduce((width, { text }) => width + textWidth(text), 0)

/** The line in at most so many columns; what was cut off leaves a mark. */
export function cutLine(line: Line, columns: number, look: Look): Line {
  if (lineWidth(line) <= columns) return line
  const mark = look.unicode ? '…' : '~'
  let room = columns - 1
  const kept: Span[] = []
  for (const each of line) {
    const text = headOf(each.text, room)
    if (text !== '') kept.push({ ...each, text })
    if (text !== each.text) break
    room -= textWidth(text)
  }
  return columns < 1 ? [] : [...kept, span(mark, 'dim')]
}

/** Cut or filled with blanks to exactly so many columns. */
export function padLine(line: Line, columns: number, look: Look): Line {
  const cut = cutLine(line, columns, look)
  const room = columns - lineWidth(cut)
  return room > 0 ? [...cut, span(' '.repeat(room))] : cut
}

/** One half at the left edge, the other at the right one; the right one goes first when there is no room for both. */
export function spreadLine(left: Line, right: Line, columns: number, look: Look): Line {
  const room = columns - lineWidth(right) - 2
  if (room < Math.min(lineWidth(left), 16)) return cutLine(left, columns, look)
  return [...padLine(left, room, look), span('  '), ...right]
}

/** The line as the terminal gets it: clean text, and colours of ours alone. */
export function paintLine(line: Line, look: Look): string {
  const paint = painter(look)
  return line
    .map(({ text, tone }) => {
      const shown = look.unicode ? text : asciiOnly(text)
      return tone === undefined || shown.trim() === '' ? shown : paint(shown, tone)
    })
    .join('')
}
