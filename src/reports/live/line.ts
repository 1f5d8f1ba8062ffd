import type { Answer, BreakerState } from '../../core/types.ts'
import { painter } from '../verdict-text.ts'
import { asciiOnly, PLAIN } from './clean.ts'

interface Marks {
  readonly answers: Readonly<Record<Answer, string>>
  readonly dot: string
  readonly rule: string
  readonly bar: string
  readonly full: string
  readonly empty: string
  readonly bullet: string
  readonly step: { readonly done: string; readonly now: string; readonly ahead: string; readonly arrow: string }
  readonly spinner: readonly string[]
  readonly spark: readonly string[]
}

const UNICODE: Marks = {
  answers: { yes: '✓', no: '✗', unknown: '?' },
  dot: '·',
  rule: '─',
  bar: '│',
  full: '█',
  empty: '░',
  bullet: '•',
  step: { done: '✓', now: '●', ahead: '○', arrow: '─' },
  spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'],
  spark: [...'▁▂▃▄▅▆▇█'],
}

const ASCII: Marks = {
  answers: { yes: '+', no: 'x', unknown: '?' },
  dot: '-',
  rule: '-',
  bar: '|',
  full: '#',
  empty: '.',
  bullet: '*',
  step: { done: '+', now: '>', ahead: 'o', arrow: '-' },
  spinner: [...'|/-\\'],
  spark: [...'_.:-=+*#'],
}

export const marksOf = ({ unicode }: Pick<Look, 'unicode'>): Marks => (unicode ? UNICODE : ASCII)

export const ANSWER_TONES: Readonly<Record<Answer, Tone>> = { yes: 'green', no: 'red', unknown: 'yellow' }
export const BREAKER_TONES: Readonly<Record<BreakerState, Tone>> = {
  closed: 'green',
  'half-open': 'yellow',
  open: 'red',
}

/** A claim or a proof by its mark. Each answer has its own, so that colour is not needed. An honest CONTINUE has not failed. */
export function answerMark(name: 'claim' | 'proof', answer: Answer, look: Pick<Look, 'unicode'>): Span {
  const { dot, answers } = marksOf(look)
  return name === 'claim' && answer === 'no' ? span(dot, 'dim') : span(answers[answer], ANSWER_TONES[answer])
}

/** Blocks of the East Asian scripts, first and last code point: two columns each. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]
const EMOJI = /\p{Emoji_Presentation}/u
const MARK = /[\p{Mn}\p{Me}\u1160-\u11ff]/u

/** Columns one character takes. The two letters of a flag take one each. */
function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (MARK.test(char)) return 0
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return 1
  return WIDE.some(([first, last]) => code >= first && code <= last) || EMOJI.test(char) ? 2 : 1
}

/** Columns a clean text takes in a terminal. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

/** As much of the text as fits; accents stay with their letter, and half a wide character is none. */
export function headOf(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns))
  let width = 0
  let end = 0
  for (const char of text) {
    width += charWidth(char)
    if (width > columns) break
    end += char.length
  }
  return text.slice(0, end)
}

/**
 * The text in rows of at most so many columns, all but the first one narrower by `hang`. Only a word that is wider than a row is broken.
 */
export function wrapText(text: string, columns: number, hang = 0): readonly string[] {
  if (text.length <= columns && PLAIN.test(text)) return [text]
  const later = Math.max(1, columns - hang)
  const rows: string[] = []
  let left = text
  while (left !== '') {
    const head = headOf(left, rows.length === 0 ? columns : later)
    if (head === '') break
    if (head === left) {
      rows.push(head)
      break
    }
    const space = left[head.length] === ' ' ? head.length : head.lastIndexOf(' ')
    const [word = ''] = /^\S+/.exec(left.slice(space + 1)) ?? []
    const end = head.slice(0, Math.max(0, space)).trim() !== '' && textWidth(word) <= later ? space : head.length
    rows.push(left.slice(0, end).trimEnd())
    left = left.slice(end).trimStart()
  }
  return rows.length === 0 ? [''] : rows
}

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

/** The same as several rows instead, of which the later ones are indented by `hang`. */
export function wrapLine(line: Line, columns: number, hang: number): readonly Line[] {
  if (lineWidth(line) <= columns) return [line]
  const text = line.map((each) => each.text).join('')
  let end = 0
  return wrapText(text, columns, hang).map((row, nth) => {
    const start = text.indexOf(row, end)
    end = start + row.length
    let at = 0
    const parts = line.map((each): Span => {
      const part = each.text.slice(Math.max(0, start - at), Math.max(0, end - at))
      at += each.text.length
      return { ...each, text: part }
    })
    return nth === 0 ? parts : [span(' '.repeat(Math.min(hang, columns - 1))), ...parts]
  })
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
