import { count } from '../../../packages/core/src/count.ts'
import { endingText } from '../../core/policy/ending-text.ts'
import type { Bin } from '../../learning/brier.ts'
import { reliabilityText } from '../learning/lesson-text.ts'
import { durationText, spentText } from '../live/duration.ts'
import { painter, plain, type Style } from '../verdict-text.ts'
import type { RunFacts } from './run-facts.ts'

/** The newest run of one project. */
export interface ProjectRow {
  readonly project: string
  readonly run: string
  /** Time of the last event, in ms since 1970. */
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

const HEAD = ['when (UTC)', 'project', 'run', 'preset', 'ending', 'iterations', 'time', 'cost', 'rejected']
const NUMBERS = 5
const LONGEST = 30

/** All projects as a table, one line each. */
export function projectsText(rows: readonly ProjectRow[], style: Style): string {
  const cells = rows.map((row) => [
    timeText(row.at),
    plain(row.project).slice(0, LONGEST),
    plain(row.run).slice(0, LONGEST),
    plain(row.preset),
    row.ending === undefined ? 'active' : endingText(row.ending),
    String(row.iterations),
    durationText(row.ms),
    row.usd > 0 ? `$${row.usd.toFixed(2)}` : '-',
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

/** How well the completion confidence has told good work from bad, over all labelled runs of the workspace. */
export interface Reliability {
  readonly good: number
  readonly bad: number
  readonly brier: number
  /** Expected calibration error. */
  readonly error: number
  readonly bins: readonly Bin[]
}

/** The totals of one project, or of all. */
export function statisticsText(name: string, stats: Statistics, style: Style, reliability?: Reliability): string {
  const paint = painter(style)
  const endings = Object.entries(stats.endings).map(([code, n]) => `${endingText(code.split('/')[1] ?? code)}: ${n}`)
  const rows: (readonly [string, string])[] = [
    ['runs', `${stats.runs}${stats.open > 0 ? `, ${stats.open} still active` : ''}`],
    ['endings', endings.length === 0 ? 'none yet' : endings.join(', ')],
    ['spent', `${count(stats.iterations, 'iteration')}, ${spentText(stats)}`],
    ['rejected', count(stats.claimsRefused, 'false claim')],
    ...stats.flaky.map(
      ({ test, flaked, runs }) => ['flaky', `${plain(test)} (${flaked} of ${count(runs, 'run')})`] as const,
    ),
    ...stats.missing.map(({ item, times }) => ['missing', `${plain(item)} (${count(times, 'time')})`] as const),
    ...(reliability === undefined ? [] : [['labels', labelsLine(reliability)] as const]),
  ]
  const lines = rows.map(([label, text], at) => {
    const again = rows[at - 1]?.[0] === label
    return `  ${paint((again ? '' : label).padEnd(9), 'dim')}${text}`
  })
  const picture = reliability === undefined ? '' : reliabilityText(reliability.bins)
  return `${[paint(plain(name), 'bold'), ...lines].join('\n')}\n${picture}`
}

const labelsLine = ({ good, bad, brier }: Reliability): string =>
  `${good} good, ${bad} bad; the confidence was off by about ${Math.round(Math.sqrt(brier) * 100)} of 100 points`

const LATEST = 8.64e15
const timeText = (at: number): string =>
  Math.abs(at) <= LATEST ? new Date(at).toISOString().replace('T', ' ').slice(0, 16) : 'unknown'

export interface Flaky {
  readonly test: string
  readonly flaked: number
  readonly runs: number
}

/** Totals over the runs of one project, or of all. */
export interface Statistics {
  readonly runs: number
  readonly open: number
  /** Runs by their ending, the most frequent first. */
  readonly endings: Readonly<Record<string, number>>
  readonly iterations: number
  readonly ms: number
  readonly tokens: number
  readonly usd: number
  readonly claimsRefused: number
  readonly flaky: readonly Flaky[]
  readonly missing: readonly { readonly item: string; readonly times: number }[]
}

const MOST_LISTED = 5

export function statisticsOf(runs: readonly RunFacts[], flaky: readonly Flaky[]): Statistics {
  const total = (of: (run: RunFacts) => number): number => runs.reduce((so, run) => so + of(run), 0)
  const over = runs.flatMap(({ ended }) => (ended === undefined ? [] : [`${ended.outcome}/${ended.ending}`]))
  const missing = sumUp(runs.flatMap((run) => Object.entries(run.missing)))
  return {
    runs: runs.length,
    open: runs.length - over.length,
    endings: Object.fromEntries(sumUp(over.map((ending) => [ending, 1]))),
    iterations: total((run) => run.iterations),
    ms: total((run) => run.spent.ms),
    tokens: total((run) => run.spent.tokens),
    usd: total((run) => run.spent.usd),
    claimsRefused: total((run) => run.claimsRefused),
    flaky: [...flaky].sort((a, b) => b.flaked - a.flaked || (a.test < b.test ? -1 : 1)).slice(0, MOST_LISTED),
    missing: missing.slice(0, MOST_LISTED).map(([item, times]) => ({ item, times })),
  }
}

function sumUp(pairs: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const [name, n] of pairs) sums.set(name, (sums.get(name) ?? 0) + n)
  return [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}
