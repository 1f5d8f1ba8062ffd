import { count } from '../../../packages/core/src/count.ts'
import type { Answer } from '../../core/types.ts'
import { clean } from '../live/clean.ts'
import { amountText, durationText } from '../live/duration.ts'
import { type FrameOptions, LARGEST_WINDOW, paintFrame } from '../live/layout.ts'
import { answerMark, type Line, type Look, marksOf, padLine, span, spreadLine, type Tone } from '../live/line.ts'
import { inOrder, type RunRow, type RunStatus, statusText } from './row.ts'

export interface RunsFrameOptions extends FrameOptions {
  /** First run that is shown, for lists longer than the window. */
  readonly from: number
}

const TONES: Readonly<Record<Exclude<RunStatus, 'ended'>, Tone>> = {
  running: 'cyan',
  held: 'yellow',
  waiting: 'yellow',
  idle: 'dim',
  unreadable: 'red',
}
/** Columns of the name and of the status, with and without much room. */
const ROOMY = { project: 20, status: 22 }
const NARROW = { project: 14, status: 19 }
/** Below this there is no room for a second row of each run. */
const WIDE = 76

/** Runs that one window holds. */
export const runsInWindow = ({ rows, columns }: Pick<RunsFrameOptions, 'rows' | 'columns'>): number =>
  Math.max(1, Math.floor((Math.min(LARGEST_WINDOW, rows) - 4) / (columns >= WIDE ? 2 : 1)))

/** The list of runs as lines for a terminal of that size: none wider than it, and no more of them than it has rows. */
export function runsFrame(all: Iterable<RunRow>, options: RunsFrameOptions): readonly string[] {
  const runs = inOrder(all)
  return paintFrame(options, (columns, rows) => {
    const shown = runs.slice(options.from, options.from + runsInWindow({ rows, columns }))
    const left = runs.length - options.from - shown.length
    const lines: readonly Line[] = [
      headLine(runs, columns, options),
      [span(marksOf(options).rule.repeat(columns), 'dim')],
      ...(runs.length === 0
        ? [[span('Nothing has been recorded here yet; exitgate run or exitgate check begins a run.', 'dim')]]
        : shown.flatMap((row) => runLines(row, columns, options))),
      [],
      footLine(options.from, left, columns, options),
    ]
    // The last line says how to leave, so it is kept when there is little room.
    return lines.length <= rows ? lines : [...lines.slice(0, rows - 1), ...lines.slice(-1)]
  })
}

function headLine(runs: readonly RunRow[], columns: number, look: Look): Line {
  const active = runs.filter(({ status }) => status === 'running' || status === 'held' || status === 'waiting').length
  const counts = `${count(runs.length, 'project')}, ${active} active`
  return spreadLine([span('exitgate watch', 'bold')], [span(counts, 'dim')], columns, look)
}

function footLine(from: number, left: number, columns: number, look: Look): Line {
  const { dot } = marksOf(look)
  const hidden = [...(from > 0 ? [`${from} above`] : []), ...(left > 0 ? [`${left} below`] : [])].join(` ${dot} `)
  const keys = [span(`q quit ${dot} up and down scroll`, 'dim')]
  return hidden === '' ? keys : spreadLine(keys, [span(hidden, 'dim')], columns, look)
}

function runLines(row: RunRow, columns: number, options: RunsFrameOptions): readonly Line[] {
  const { dot } = marksOf(options)
  const room = columns < WIDE ? NARROW : ROOMY
  const first: Line = [
    ...padLine([span(clean(row.project), 'bold')], room.project, options),
    span(' '),
    ...padLine([span(statusText(row), toneOf(row))], room.status, options),
    span(` ${String(row.iteration).padStart(4)}  `),
    ...keyOf('claim', row.claim, options),
    span(' '),
    ...keyOf('proof', row.proof, options),
  ]
  const reason = span(clean(row.reason))
  const spent = [span(spentText(row, options.now, dot), 'dim')]
  if (columns < WIDE) return [[...first, span(' '), reason]]
  return [first, spreadLine([span('  '), reason], spent, columns, options)]
}

const keyOf = (name: 'claim' | 'proof', answer: Answer = 'unknown', look: Look): Line => [
  answerMark(name, answer, look),
  span(` ${name}`, 'dim'),
]

function toneOf({ status, outcome, ending }: RunRow): Tone {
  if (status !== 'ended') return TONES[status]
  if (outcome === 'completed') return ending === 'verified' ? 'green' : 'yellow'
  return outcome === 'interrupted' ? 'yellow' : 'red'
}

function spentText({ status, spent, startedAt, seenAt }: RunRow, now: number, dot: string): string {
  const until = status === 'running' || status === 'held' || status === 'waiting' ? now : seenAt
  return [
    ...(startedAt > 0 ? [durationText(until - startedAt)] : []),
    ...(spent.usd > 0 ? [`$${spent.usd.toFixed(2)}`] : []),
    ...(spent.tokens > 0 ? [`${amountText(spent.tokens)} tokens`] : []),
  ].join(` ${dot} `)
}
