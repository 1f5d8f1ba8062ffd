import type { EventInput } from '../../core/journal/events.ts'
import { openJournal } from '../../journal/log.ts'
import type { RunLabel } from '../../learning/labels.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { readCi } from '../learning/ci-file.ts'
import { findLabels } from '../learning/find-labels.ts'
import { learningOf, NEWEST, type Past, pastOf, runNamed } from '../learning/past.ts'
import { refuseAgent } from '../learning/refuse-agent.ts'
import { oneOf, parse, type ValuesOf, wholeNumber } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { taskPlace } from '../task-place.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  reason: { type: 'string' },
  by: { type: 'string' },
  clear: { type: 'boolean' },
  list: { type: 'boolean' },
  auto: { type: 'boolean' },
  days: { type: 'string' },
  ci: { type: 'string' },
} as const

export const HELP: Page = {
  usage: [
    'label RUN|TASK good|bad [options]',
    'label RUN|TASK --clear',
    'label --list',
    'label --auto [--days N] [--ci FILE|-]',
  ],
  about:
    'Say afterwards whether the work of a run was good; "last" is the newest run that is over, a task of a list has its own. Labels teach the completion confidence (exitgate learn) and judge a backtest; they decide nothing. With --auto they are found out: work that was reverted, CI that was red on it, tests that a later run had to mend again. That is only ever bad: a run about which nothing was found has no label.',
  rows: [
    ['--reason TEXT', 'why; it is shown wherever the label is'],
    ['--by NAME', 'who says so (default: a person)'],
    ['--clear', 'take back what a person said about the run'],
    ['--list', 'the runs that are over, with their labels'],
    ['--auto', 'look for signs that completed runs were not good; what a person said stands'],
    ['--days N', 'how long after the end of a run (default: learning.days of the configuration, 14)'],
    [
      '--ci FILE|-',
      'results of CI: JSON rows with commit and conclusion, as gh run list --json headSha,conclusion gives them, or a JUnit report of the commit checked out',
    ],
    ...LOOK_ROWS,
  ],
  more: 'For people: an agent does not judge its own work.',
  examples: [
    'exitgate label last good',
    'exitgate label 20260105-101500-3 bad --reason "the export is empty"',
    'gh run list --json headSha,conclusion | exitgate label --auto --ci -',
  ],
}

type Values = ValuesOf<typeof OPTIONS>

/** `exitgate label`: whether the work of a run turned out to be good, said by a person or found out from what came later. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('label', args, OPTIONS, 2)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  refuseMixed(values, positionals)
  if (values.list) return list(pastOf(dir), values, io)
  refuseAgent('label', dir, io)
  if (values.auto) return find(workspace, dir, values, io)
  const [name, word] = positionals
  // The folder of a task is gone when it is completed, so its run is named from here.
  const task = name === undefined || name === NEWEST ? undefined : taskPlace({ workspace, dir }, name)
  return task === undefined ? say(dir, [name, word], values, io) : say(task.dir, [task.run ?? NEWEST, word], values, io)
}

function refuseMixed({ list: all, auto, ci, days, clear, reason }: Values, positionals: readonly string[]): void {
  if (!auto && (ci !== undefined || days !== undefined)) throw new InputError('--ci and --days belong to --auto')
  if ((all || auto) && (positionals.length > 0 || clear || reason !== undefined))
    throw new InputError(`--${all ? 'list' : 'auto'} is about all runs; leave out the run, --clear and --reason`)
  if (all && auto) throw new InputError('--list shows labels and --auto looks for them; give one of the two')
}

function list(past: Past, { json }: Values, io: Io): number {
  const rows = past.runs.flatMap((run) =>
    run.ended === undefined ? [] : [{ ...run, label: past.labels.get(run.run) }],
  )
  if (json)
    io.stdout.write(
      `${JSON.stringify({ runs: rows.map(({ run, ended, label }) => ({ run, ...ended, ...(label && { label }) })) })}\n`,
    )
  else if (rows.length === 0) io.stderr.write('exitgate: no run has ended here yet\n')
  else io.stdout.write(labelsText(rows))
  return 0
}

const USAGE = 'say which run and how it was: exitgate label RUN good|bad; "last" is the newest run'

function say(dir: string, [name, word]: readonly (string | undefined)[], values: Values, io: Io): number {
  if (name === undefined || (word === undefined) === (values.clear !== true)) throw new InputError(USAGE)
  const label = word === undefined ? 'none' : oneOf('the label', word, ['good', 'bad'])
  const past = pastOf(dir)
  const { run: found } = runNamed(past, name)
  if (label === 'none' && past.labels.get(found)?.source !== 'person')
    throw new InputError(`nobody has labelled run ${found}, so there is nothing to take back`)
  const by = values.by?.trim() || 'a person'
  const reason = values.reason?.trim() || (label === 'none' ? 'taken back' : 'no reason given')
  const said: EventInput = { type: 'labelled', run: found, label, source: 'person', by, reason }
  record(dir, [said], io)
  if (values.json) io.stdout.write(`${JSON.stringify({ run: found, label, by, reason })}\n`)
  else
    io.stdout.write(
      label === 'none' ? `the label of run ${found} is taken back\n` : `run ${found} is labelled ${label}\n`,
    )
  return 0
}

async function find(workspace: string, dir: string, values: Values, io: Io): Promise<number> {
  const days = wholeNumber('--days', values.days, 1) ?? (await learningOf(workspace, io)).days
  const ci = values.ci === undefined ? [] : await readCi(values.ci, io)
  const { labels } = pastOf(dir)
  const { looked, found, unknown } = await findLabels({ workspace, dir, days, ci, labelled: new Set(labels.keys()) })
  if (found.length > 0)
    record(
      dir,
      found.map((each) => ({ type: 'labelled', ...each, label: 'bad', by: each.source })),
      io,
    )
  if (unknown > 0) io.stderr.write(`exitgate: ${unknown} results of CI are about commits that are not here\n`)
  if (values.json) io.stdout.write(`${JSON.stringify({ looked, days, labelled: found })}\n`)
  else {
    for (const { run: name, source, reason } of found)
      io.stdout.write(`run ${name} is labelled bad (${source}): ${plain(reason)}\n`)
    const positionals = found.length === 0 ? 'nothing speaks against any of them' : `${found.length} labelled`
    io.stdout.write(
      `${looked} completed ${looked === 1 ? 'run' : 'runs'} without a label, ${days} days after the end of each: ${positionals}\n`,
    )
  }
  return 0
}

function record(dir: string, happenings: readonly EventInput[], io: Io): void {
  const journal = openJournal(dir)
  try {
    journal.append(happenings, io.now())
  } finally {
    journal.close()
  }
}

/** A run that is over, with its label where it has one. */
interface LabelledRun {
  readonly run: string
  readonly ended?: { readonly outcome: string; readonly ending: string }
  readonly label: RunLabel | undefined
}

/** A line for each run that is over; the newest is the last. */
function labelsText(rows: readonly LabelledRun[]): string {
  const cells = rows.map(({ run, ended, label }) => [
    plain(run),
    ended === undefined ? 'not over' : `${ended.outcome}/${ended.ending}`,
    label?.label ?? 'no label',
    label === undefined ? '' : `${plain(label.by)}: ${plain(label.reason)}`,
  ])
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)))
  const lines = cells.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
