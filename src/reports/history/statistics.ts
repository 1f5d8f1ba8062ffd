import { count } from '../../core/count.ts'
import { endingText } from '../../core/policy/ending-text.ts'
import { reliabilityText } from '../learning/lesson-text.ts'
import { amountText, durationText } from '../live/duration.ts'
import type { Reliability } from '../page/types.ts'
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

/** The totals of one project, or of all. */
export function statisticsText(name: string, stats: Statistics, style: Style, reliability?: Reliability): string {
  const paint = painter(style)
  const endings = Object.entries(stats.endings).map(([code, n]) => `${endingText(code.split('/')[1] ?? code)}: ${n}`)
  const money = stats.saved.usd > 0 ? ` and about ${moneyText(stats.saved.usd)}` : ''
  const rows: (readonly [string, string])[] = [
    ['runs', `${stats.runs}${stats.open > 0 ? `, ${stats.open} still active` : ''}`],
    ['endings', endings.length === 0 ? 'none yet' : endings.join(', ')],
    [
      'spent',
      `${count(stats.iterations, 'iteration')}, ${durationText(stats.ms)}, ${amountText(stats.tokens)} tokens, ${moneyText(stats.usd)}`,
    ],
    ['rejected', count(stats.claimsRefused, 'false claim')],
    [
      'saved',
      `${count(stats.saved.iterations, 'iteration')}${money} under the limit, because runs finished or stopped early`,
    ],
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

const labelsLine = ({ good, bad, brier, error }: Reliability): string =>
  `${good} good, ${bad} bad; the confidence had a Brier score of ${brier.toFixed(3)} and a calibration error of ${error.toFixed(3)}`

const moneyText = (usd: number): string => `$${usd.toFixed(2)}`
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
  /** Iterations left under the limit of runs that completed or got stuck, and their cost at the rate of the run. */
  readonly saved: { readonly iterations: number; readonly usd: number }
  readonly flaky: readonly Flaky[]
  readonly missing: readonly { readonly item: string; readonly times: number }[]
}

const MOST_LISTED = 5

export function statisticsOf(runs: readonly RunFacts[], flaky: readonly Flaky[]): Statistics {
  const total = (of: (run: RunFacts) => number): number => runs.reduce((so, run) => so + of(run), 0)
  const over = runs.flatMap(({ ended }) => (ended === undefined ? [] : [`${ended.outcome}/${ended.ending}`]))
  const missing = sumUp(runs.flatMap((run) => Object.entries(run.missing)))
  const saved = runs.map(savedBy)
  return {
    runs: runs.length,
    open: runs.length - over.length,
    endings: Object.fromEntries(sumUp(over.map((ending) => [ending, 1]))),
    iterations: total((run) => run.iterations),
    ms: total((run) => run.spent.ms),
    tokens: total((run) => run.spent.tokens),
    usd: total((run) => run.spent.usd),
    claimsRefused: total((run) => run.claimsRefused),
    saved: {
      iterations: saved.reduce((so, each) => so + each.iterations, 0),
      usd: saved.reduce((so, each) => so + each.usd, 0),
    },
    flaky: [...flaky].sort((a, b) => b.flaked - a.flaked || (a.test < b.test ? -1 : 1)).slice(0, MOST_LISTED),
    missing: missing.slice(0, MOST_LISTED).map(([item, times]) => ({ item, times })),
  }
}

/** A run that was interrupted or reached a limit has saved nothing. */
function savedBy({ ended, iterations, spent, cap }: RunFacts): Statistics['saved'] {
  const stopped = ended?.outcome === 'completed' || ended?.outcome === 'stuck'
  if (!stopped || cap.iterations === undefined || iterations === 0) return { iterations: 0, usd: 0 }
  const left = Math.max(0, cap.iterations - iterations)
  const most = cap.usd === undefined ? Number.POSITIVE_INFINITY : Math.max(0, cap.usd - spent.usd)
  return { iterations: left, usd: Math.min(most, (left * spent.usd) / iterations) }
}

function sumUp(pairs: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const [name, n] of pairs) sums.set(name, (sums.get(name) ?? 0) + n)
  return [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}
