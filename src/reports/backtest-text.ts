import type { BacktestSummary } from '../backtest/summary.ts'
import type { Effect, RunBacktest, Stop } from '../backtest/types.ts'
import { amountText, durationText } from './live/duration.ts'
import { painter, plain, type Style } from './verdict-text.ts'

/** A run with the project that it belongs to, where there are several. */
export interface ProjectBacktest extends RunBacktest {
  readonly project?: string
}

const EFFECTS: Readonly<Record<Effect, string>> = {
  same: 'the same',
  avoided: 'bad work not accepted',
  broken: 'good work lost',
  delayed: 'good work not accepted there',
  'cut-short': 'cut short',
  sooner: 'completes sooner',
  changed: 'another end',
  'goes-on': 'goes on',
  'cannot-tell': 'cannot tell',
}

const HEAD = ['run', 'recorded', 'would be', 'iterations saved', 'money saved', 'label', 'effect']
const NUMBERS: readonly number[] = [3, 4]
const LONGEST = 44

/** Every run in a line, and below what they add up to. */
export function backtestText(runs: readonly ProjectBacktest[], summary: BacktestSummary, style: Style): string {
  const paint = painter(style)
  const several = runs.some(({ project }) => project !== undefined)
  const head = several ? ['project', ...HEAD] : HEAD
  const cells = runs.map((run) => (several ? [short(run.project ?? ''), ...cellsOf(run)] : cellsOf(run)))
  const right = NUMBERS.map((at) => (several ? at + 1 : at))
  const widths = head.map((name, at) =>
    cells.reduce((most, line) => Math.max(most, line[at]?.length ?? 0), name.length),
  )
  const lineOf = (line: readonly string[]): string =>
    line
      .map((cell, at) => (right.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return `${[paint(lineOf(head), 'dim'), ...cells.map(lineOf), '', ...summaryLines(summary)].join('\n')}\n`
}

function cellsOf(run: RunBacktest): readonly string[] {
  const known = run.known && run.alternative !== undefined
  return [
    short(run.run),
    stopText(run.recorded) ?? 'not over',
    run.known ? (stopText(run.alternative) ?? 'not over') : 'not known',
    known ? String(run.saved.iterations) : '-',
    known ? moneyText(run.saved.usd) : '-',
    run.label ?? '-',
    run.effect === 'cannot-tell' ? `${EFFECTS[run.effect]}: ${plain(run.why ?? '')}` : EFFECTS[run.effect],
  ]
}

const stopText = (stop: Stop | undefined): string | undefined =>
  stop === undefined ? undefined : `${stop.outcome}/${stop.ending} at ${stop.iteration}`

function summaryLines({ runs, iterations, known, effects, saved, cannotTell }: BacktestSummary): readonly string[] {
  const names = Object.keys(EFFECTS) as readonly Effect[]
  const counted = names.flatMap((name) => (effects[name] === undefined ? [] : [`${effects[name]} ${EFFECTS[name]}`]))
  return [
    `${number(runs, 'run')} with ${number(iterations, 'iteration')}: ${counted.join(', ')}`,
    `saved: ${number(saved.iterations, 'iteration')}, ${durationText(saved.ms)}, ${amountText(saved.tokens)} tokens, ${moneyText(saved.usd)} (the end is known of ${number(known, 'run')})`,
    ...cannotTell.map(({ why, runs: n }) => `cannot tell for ${number(n, 'run')}: ${plain(why)}`),
  ]
}

const number = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
const short = (text: string): string => plain(text).slice(0, LONGEST)
const moneyText = (usd: number): string => `$${usd.toFixed(2)}`
