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
import { type Aside, lookAt, pastEvents, withThoseAside } from '../history/journals.ts'
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
  usage: ['backtest [options]'],
  about:
    'See how recorded runs would have ended with other settings, and what that would have saved or broken. Recorded facts stay the same; counters, streaks, breaker and phases are recomputed. If a needed check was not recorded, the result is "cannot tell".',
  rows: [
    ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph'],
    ['--threshold N', "the preset's threshold"],
    ['--set KEY=VALUE', 'any other value by its dotted path; may be given more than once'],
    ['--config FILE', 'the values of that file; what it does not name stays as it was'],
    ['--run RUN|TASK', 'that run only, or the runs of a task'],
    ['--all', 'every project in the state folder; a journal that cannot be read is named and left out'],
    ...LOOK_ROWS,
  ],
  more: 'A preset brings its own values; what a person had set for the run stays. Journals that were reset are looked at too. Nothing is run and nothing is written.',
  examples: [
    'exitgate backtest --preset cub --threshold 5',
    'exitgate backtest --set breaker.noProgress=2 --set limits.iterations=20',
    'exitgate backtest --config strict.json --all --json',
  ],
}

/** `exitgate backtest`: what past runs would have come to under another configuration. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('backtest', args, OPTIONS)
  const { workspace, dir, run: wanted } = runPlace(values, io)
  const alternative = await alternativeOf(workspace, values, io)
  const policyFor = await pastPolicies(workspace)
  const runs: ProjectBacktest[] = []
  const broken = lookAt(dir, values.all, io, (each, project, aside) => {
    for (const one of runsOf(each, alternative, policyFor, aside))
      if (wanted === undefined || one.run === wanted) runs.push(project === undefined ? one : { project, ...one })
  })
  if (values.run !== undefined && runs.length === 0 && broken.length === 0)
    throw new InputError(`there is no run ${plain(values.run)} here; exitgate history --events lists them`)
  const summary = summaryOf(runs)
  if (values.json)
    io.stdout.write(`${JSON.stringify({ alternative: alternative.name, runs, summary, unreadable: broken })}\n`)
  else if (runs.length === 0) io.stderr.write('exitgate: nothing has been recorded here yet\n')
  else
    io.stdout.write(
      `with ${plain(alternative.name)}\n${backtestText(runs, summary, { color: usesColor(io.stdout, io.env, values['no-color']) })}`,
    )
  return 0
}

/** The runs of a journal and of those before it. Labels stand behind the runs they are about, so they are laid on last. */
function runsOf(
  dir: string,
  alternative: Alternative,
  policyFor: PolicyLookup,
  aside: Aside,
): readonly ProjectBacktest[] {
  const labelled: JournalEvent[] = []
  const runs: RunBacktest[] = []
  const read = (folder: string) =>
    runs.push(...backtest(keepLabels(pastEvents(folder), labelled), alternative, policyFor))
  for (const folder of withThoseAside(dir)) folder === dir ? read(folder) : aside(folder, read)
  const labels = labelsOf(labelled)
  return runs.map((run) => withEffect(run, labels.get(run.run)?.label))
}

/** A run with the project that it belongs to, where there are several. */
interface ProjectBacktest extends RunBacktest {
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
