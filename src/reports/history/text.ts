import { reliabilityText } from '../learning/reliability-text.ts'
import { amountText, durationText } from '../live/duration.ts'
import type { Reliability } from '../page/types.ts'
import { painter, plain, type Style } from '../verdict-text.ts'
import type { Statistics } from './statistics.ts'

/** The newest run of one project. */
export interface ProjectRow {
  readonly project: string
  readonly run: string
  /** Time of the newest thing that happened, in ms since 1970. */
  readonly at: number
  readonly preset: string
  readonly outcome?: string
  readonly ending?: string
  readonly iterations: number
  readonly ms: number
  readonly usd: number
  /** Over all runs of its journal. */
  readonly claimsRefused: number
  readonly runs: number
}

const HEAD = ['when (UTC)', 'project', 'run', 'preset', 'ending', 'iterations', 'time', 'money', 'refused']
const NUMBERS = 5
const LONGEST = 30

/** All projects as a table, a line each. */
export function projectsText(rows: readonly ProjectRow[], style: Style): string {
  const cells = rows.map((row) => [
    timeText(row.at),
    plain(row.project).slice(0, LONGEST),
    plain(row.run).slice(0, LONGEST),
    plain(row.preset),
    row.outcome === undefined ? 'going on' : `${row.outcome}/${row.ending ?? '?'}`,
    String(row.iterations),
    durationText(row.ms),
    moneyText(row.usd),
    String(row.claimsRefused),
  ])
  const widths = HEAD.map((name, at) => Math.max(name.length, ...cells.map((line) => line[at]?.length ?? 0)))
  const lineOf = (line: readonly string[]): string =>
    line
      .map((cell, at) => (at < NUMBERS ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return `${[painter(style)(lineOf(HEAD), 'dim'), ...cells.map(lineOf)].join('\n')}\n`
}

/** What one project, or all of them, add up to. */
export function statisticsText(name: string, stats: Statistics, style: Style, reliability?: Reliability): string {
  const paint = painter(style)
  const endings = Object.entries(stats.endings).map(([ending, n]) => `${ending} ${n}`)
  const money = stats.saved.usd > 0 ? ` and about ${moneyText(stats.saved.usd)}` : ''
  const rows: (readonly [string, string])[] = [
    ['runs', `${stats.runs}${stats.open > 0 ? `, ${stats.open} of them not over` : ''}`],
    ['endings', endings.length === 0 ? 'none yet' : endings.join(', ')],
    [
      'spent',
      `${stats.iterations} iterations, ${durationText(stats.ms)}, ${amountText(stats.tokens)} tokens, ${moneyText(stats.usd)}`,
    ],
    ['refused', `${stats.claimsRefused} false ${stats.claimsRefused === 1 ? 'claim' : 'claims'}`],
    ['saved', `${stats.saved.iterations} iterations${money} against the cap, by runs that were done or stuck`],
    ...stats.flaky.map(({ test, flaked, runs }) => ['flaky', `${plain(test)} (${flaked} of ${runs} runs)`] as const),
    ...stats.missing.map(({ item, times }) => ['missing', `${plain(item)} (${times} times)`] as const),
    ...(reliability === undefined ? [] : [['labels', labelsLine(reliability)] as const]),
  ]
  const lines = rows.map(([label, text], at) => {
    const again = rows[at - 1]?.[0] === label
    return `  ${paint((again ? '' : label).padEnd(9), 'dim')}${text}`
  })
  const picture = reliability === undefined ? '' : reliabilityText(reliability.bins)
  return `${[paint(plain(name), 'bold'), ...lines].join('\n')}\n${picture}`
}

const labelsLine = ({ good, bad, brier, error }: Reliability): string =>
  `${good} good, ${bad} bad; the confidence shown had a Brier score of ${brier.toFixed(3)} and a calibration error of ${error.toFixed(3)}`

const moneyText = (usd: number): string => `$${usd.toFixed(2)}`
const LATEST = 8.64e15
const timeText = (at: number): string =>
  Math.abs(at) <= LATEST ? new Date(at).toISOString().replace('T', ' ').slice(0, 16) : 'unknown'
