import { writerNamed } from '../../compat/index.ts'
import type { State } from '../../core/journal/events.ts'
import { endingText, endSentence } from '../../core/policy/ending-text.ts'
import type { RunEnd } from '../../core/run.ts'
import { lastWordRows } from '../../core/signals/last-words.ts'
import { painter, toneOf } from '../verdict-text.ts'
import { asciiOnly, clean } from './clean.ts'
import { amountText, durationText } from './duration.ts'
import { type Line, type Look, marksOf, paintLine, span, type Tone, wrapText } from './line.ts'
import { nextSteps } from './next-steps.ts'

export interface BannerStyle extends Look {
  readonly columns: number
  readonly exitCode: number
  readonly next?: readonly string[]
}

const MOST_MISSING = 12
const LABEL = 13

/** The end of a run: how it ended and why, what it took, what is missing and what to do next. */
export function banner(end: RunEnd, state: State, style: BannerStyle): string {
  const columns = Math.max(LABEL + 10, Math.min(100, Math.floor(style.columns) || 80))
  const missing = end.ending === 'verified' ? [] : end.missing
  const more = missing.length - MOST_MISSING
  const known = knownLines(end, style)
  const rows: readonly (readonly [label: string, text: string])[] = [
    ['result', known.length > 0 ? end.reason : endSentence(end)],
    ...(end.ending === 'verified' ? [] : lastWordRows(state.previous, end.reason)),
    ...(known.length > 0 ? [] : progressRows(end)),
    ['spent', spentText(end)],
    ...missing.slice(0, MOST_MISSING).map((each, at) => [at === 0 ? 'still needed' : '', `- ${each}`] as const),
    ...(more > 0 ? [['', `and ${more} more`] as const] : []),
    ...(style.next ?? nextSteps(end, state)).map((each, at) => [at === 0 ? 'next' : '', `- ${each}`] as const),
  ]
  const lines = [...headLines(end, columns, style), ...rows.flatMap(([label, text]) => rowLines(label, text, columns))]
  return `${[...known, ...lines.map((line) => paintLine(line, style))].join('\n')}\n`
}

const progressRows = (end: RunEnd): readonly (readonly [string, string])[] => [
  ...(end.task === undefined ? [] : [['last task', end.task] as const]),
  ...(end.phase === undefined ? [] : [['phase', end.phase] as const]),
  ['iterations', `${end.iterations} in ${durationText(end.endedAt - end.startedAt)}`],
]

function headLines(end: RunEnd, columns: number, style: BannerStyle): readonly Line[] {
  const { rule } = marksOf(style)
  const title = ` ${titleText(end)} `
  const code = ` exit code ${style.exitCode} `
  const room = columns - 2 - title.length - code.length - 2
  const line = [span(rule.repeat(2), 'dim'), span(title, tone(end)), span(rule.repeat(Math.max(2, room)), 'dim')]
  return [[...line, span(code, 'dim'), span(rule.repeat(2), 'dim')]]
}

const titleText = ({ ending, cause, killed }: RunEnd): string =>
  `${endingText(ending, cause)}${killed ? ', agent stopped immediately' : ''}`

const tone = ({ outcome, ending }: RunEnd): Tone => toneOf({ action: 'stop', outcome, ending })

const spentText = ({ total }: RunEnd): string =>
  [
    `${durationText(total.ms)} of work`,
    ...(total.usd > 0 ? [`$${total.usd.toFixed(2)}`] : []),
    ...(total.tokens > 0 ? [`${amountText(total.tokens)} tokens`] : []),
  ].join(', ')

function rowLines(label: string, text: string, columns: number): readonly Line[] {
  const hang = text.startsWith('- ') ? '  ' : ''
  return wrapText(clean(text), columns - LABEL - 1 - hang.length).map((part, at): Line => {
    return [span(` ${(at === 0 ? label : '').padEnd(LABEL)}`, 'dim'), span(at === 0 ? part : hang + part)]
  })
}

/** The lines that users of an older system know, exactly as it documents them; none for the others. */
function knownLines(end: RunEnd, style: BannerStyle): readonly string[] {
  const task = end.task === undefined ? {} : { task: clean(end.task) }
  const lines = writerNamed(end.preset).banner?.({ ...end, reason: clean(end.reason), ...task }) ?? []
  const paint = painter(style)
  const shown = style.unicode ? lines : lines.map(asciiOnly)
  return shown.map((line, at) => (at === 0 ? paint(line, tone(end)) : line))
}
