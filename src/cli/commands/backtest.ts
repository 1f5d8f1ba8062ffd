import { count } from '../../../packages/core/src/count.ts'
import { backtest } from '../../backtest/backtest.ts'
import { withEffect } from '../../backtest/effect.ts'
import { type BacktestSummary, summaryOf } from '../../backtest/summary.ts'
import type { Alternative, Effect, RunBacktest, Stop } from '../../backtest/types.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import type { PolicyLookup } from '../../core/journal/replay.ts'
import { keepLabels, labelsOf } from '../../learning/labels.ts'
import { amountText, durationText } from '../../reports/live/duration.ts'
import { painter, plain, type Style } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { alternativeOf } from '../history/alternative.ts'
import { lookAt, noSuchRun, pastEvents, type ReadArchived, withArchived } from '../history/journals.ts'
import { pastPolicies } from '../history/past-policy.ts'
import { type Io, usesColor } from '../io.ts'
import { parse } from '../parse.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { runPlace } from '../task-place.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  preset: { type: 'string' },
  threshold: { type: 'string' },
  set: { type: 'string', multiple: true },
  config: { type: 'string' },
  run: { type: 'string' },
  all: { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['lab backtest [options]'],
  about: 'Show how past runs would have ended with other settings, and what that would have saved or lost.',
  rows: [
    ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph (default: as recorded)'],
    ['--threshold N', 'threshold of the preset (default: as recorded)'],
    ['--set KEY=VALUE', 'any setting by its path; repeatable (default: as recorded)'],
    ['--config FILE', 'the settings in this file; all others stay as recorded (default: none)'],
    ['--run RUN', 'only this run, or the runs of this task (default: all)'],
    ['--all', 'every project in the state folder'],
    ...LOOK_ROWS,
  ],
  more: 'Recorded evidence stays as it was; counters, streaks, breaker and phases are recomputed. If a setting needs evidence that was not recorded, the result is "cannot tell". Nothing is run or written.',
  examples: [
    'exitgate lab backtest --preset cub --threshold 5',
    'exitgate lab backtest --set breaker.noProgress=2 --set limits.iterations=20',
    'exitgate lab backtest --config strict.json --all --json',
  ],
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('lab backtest', args, OPTIONS)
  const { workspace, dir, run: wanted } = runPlace(values, io)
  const alternative = await alternativeOf(workspace, values, io)
  const policyFor = await pastPolicies(workspace)
  const runs: ProjectBacktest[] = []
  const broken = lookAt(dir, values.all, io, (each, project, archived) => {
    for (const one of runsOf(each, alternative, policyFor, archived))
      if (wanted === undefined || one.run === wanted) runs.push(project === undefined ? one : { project, ...one })
  })
  if (values.run !== undefined && runs.length === 0 && broken.length === 0) throw new InputError(noSuchRun(values.run))
  const summary = summaryOf(runs)
  if (values.json)
    io.stdout.write(`${JSON.stringify({ alternative: alternative.name, runs, summary, unreadable: broken })}\n`)
  else if (runs.length === 0) io.stderr.write('No runs here yet.\n')
  else
    io.stdout.write(
      `with ${plain(alternative.name)}\n${backtestText(runs, summary, { color: usesColor(io.stdout, io.env, values['no-color']) })}`,
    )
  return 0
}

/** The runs of a journal and of its archived ones. A label comes after its run, so labels are applied last. */
function runsOf(
  dir: string,
  alternative: Alternative,
  policyFor: PolicyLookup,
  archived: ReadArchived,
): readonly ProjectBacktest[] {
  const labelled: JournalEvent[] = []
  const runs: RunBacktest[] = []
  const read = (folder: string) =>
    runs.push(...backtest(keepLabels(pastEvents(folder), labelled), alternative, policyFor))
  for (const folder of withArchived(dir)) folder === dir ? read(folder) : archived(folder, read)
  const labels = labelsOf(labelled)
  return runs.map((run) => withEffect(run, labels.get(run.run)?.label))
}

/** A run, with its project if there are several. */
interface ProjectBacktest extends RunBacktest {
  readonly project?: string
}

const EFFECTS: Readonly<Record<Effect, string>> = {
  same: 'same',
  avoided: 'rejects bad work',
  broken: 'loses good work',
  delayed: 'delays good work',
  'cut-short': 'stops earlier',
  sooner: 'completes sooner',
  changed: 'ends differently',
  'goes-on': 'continues',
  'cannot-tell': 'cannot tell',
}

const HEAD = ['run', 'recorded', 'would be', 'iterations saved', 'money saved', 'label', 'effect']
const NUMBERS: readonly number[] = [3, 4]
const LONGEST = 44

/** One line per run, and the totals below. */
function backtestText(runs: readonly ProjectBacktest[], summary: BacktestSummary, style: Style): string {
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
    stopText(run.recorded) ?? 'unfinished',
    run.known ? (stopText(run.alternative) ?? 'unfinished') : 'unknown',
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
    `${count(runs, 'run')} with ${count(iterations, 'iteration')}: ${counted.join(', ')}`,
    `saved: ${count(saved.iterations, 'iteration')}, ${durationText(saved.ms)}, ${amountText(saved.tokens)} tokens, ${moneyText(saved.usd)} (${count(known, 'run')} with a known end)`,
    ...cannotTell.map(({ why, runs: n }) => `cannot tell for ${count(n, 'run')}: ${plain(why)}`),
  ]
}

const short = (text: string): string => plain(text).slice(0, LONGEST)
const moneyText = (usd: number): string => `$${usd.toFixed(2)}`
