import { count } from '../../../packages/core/src/count.ts'
import type { EventInput } from '../../core/journal/events.ts'
import { openJournal } from '../../journal/log.ts'
import type { RunLabel } from '../../learning/labels.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { DEFAULT_BY, type Io, warn } from '../io.ts'
import { readCi } from '../learning/ci-file.ts'
import { findLabels } from '../learning/find-labels.ts'
import { learningOf, NEWEST, type Past, pastOf, runNamed } from '../learning/past.ts'
import { refuseAgent } from '../learning/refuse-agent.ts'
import { oneOf, parse, type ValuesOf, wholeNumber } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { BY_ROW, LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
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
    'lab label RUN good|bad [options]',
    'lab label RUN --clear',
    'lab label --list',
    'lab label --auto [options]',
  ],
  about: 'Record whether the work of a finished run was good.',
  rows: [
    ['--reason TEXT', 'why; shown with the label (default: none)'],
    BY_ROW,
    ['--clear', 'remove your label from the run'],
    ['--list', 'list the finished runs with their labels'],
    ['--auto', 'label completed runs bad if they were reverted, failed in CI, or had to be fixed again'],
    ['--days N', '--auto: how many days after a run to look (default: 14)'],
    ['--ci FILE', '--auto: CI results, as JSON from gh run list or as JUnit; - is stdin (default: none)'],
    ...LOOK_ROWS,
  ],
  more: 'RUN is a run id, a task, or "last". Labels calibrate the confidence (lab learn) and judge backtests (lab backtest); they decide nothing. --auto never overwrites your labels. Agents cannot label runs.',
  examples: [
    'exitgate lab label last good',
    'exitgate lab label 20260105-101500-3 bad --reason "the export is empty"',
    'gh run list --json headSha,conclusion | exitgate lab label --auto --ci -',
  ],
}

type Values = ValuesOf<typeof OPTIONS>

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('lab label', args, OPTIONS, 2)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  assertNotMixed(values, positionals)
  if (values.list) return list(pastOf(dir), values, io)
  refuseAgent('lab label', dir, io)
  if (values.auto) return find(workspace, dir, values, io)
  const [name, word] = positionals
  // The folder of a completed task is removed, so its run is found from the project.
  const task = name === undefined || name === NEWEST ? undefined : taskPlace({ workspace, dir }, name)
  return task === undefined
    ? setLabel(dir, [name, word], values, io)
    : setLabel(task.dir, [task.run ?? NEWEST, word], values, io)
}

function assertNotMixed({ list: all, auto, ci, days, clear, reason }: Values, positionals: readonly string[]): void {
  if (!auto && (ci !== undefined || days !== undefined)) throw new InputError('--ci and --days need --auto.')
  if ((all || auto) && (positionals.length > 0 || clear || reason !== undefined))
    throw new InputError(`--${all ? 'list' : 'auto'} is about all runs. Leave out the run, --clear and --reason.`)
  if (all && auto) throw new InputError('Pass either --list or --auto, not both.')
}

function list(past: Past, { json }: Values, io: Io): number {
  const rows = past.runs.flatMap((run) =>
    run.ended === undefined ? [] : [{ ...run, label: past.labels.get(run.run) }],
  )
  if (json)
    io.stdout.write(
      `${JSON.stringify({ runs: rows.map(({ run, ended, label }) => ({ run, ...ended, ...(label && { label }) })) })}\n`,
    )
  else if (rows.length === 0) io.stderr.write('No finished runs here yet.\n')
  else io.stdout.write(labelsText(rows))
  return 0
}

const USAGE = 'Pass a run and a label: exitgate lab label RUN good|bad. "last" is the newest run.'

function setLabel(dir: string, [name, word]: readonly (string | undefined)[], values: Values, io: Io): number {
  if (name === undefined || (word === undefined) === (values.clear !== true)) throw new InputError(USAGE)
  const label = word === undefined ? 'none' : oneOf('The label', word, ['good', 'bad'])
  const past = pastOf(dir)
  const { run: found } = runNamed(past, name)
  if (label === 'none' && past.labels.get(found)?.source !== 'person')
    throw new InputError(`Run ${found} has no label of yours to remove.`)
  const by = values.by?.trim() || DEFAULT_BY
  const reason = values.reason?.trim() || (label === 'none' ? 'removed' : 'no reason given')
  const event: EventInput = { type: 'labelled', run: found, label, source: 'person', by, reason }
  record(dir, [event], io)
  if (values.json) io.stdout.write(`${JSON.stringify({ run: found, label, by, reason })}\n`)
  else io.stdout.write(label === 'none' ? `Removed the label of run ${found}.\n` : `Labelled run ${found} ${label}.\n`)
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
  if (unknown > 0) warn(io, `${count(unknown, 'CI result')} skipped: the commits are not in this repository.`)
  if (values.json) io.stdout.write(`${JSON.stringify({ looked, days, labelled: found })}\n`)
  else {
    for (const { run: name, source, reason } of found)
      io.stdout.write(`Labelled run ${name} bad (${source}): ${plain(reason)}\n`)
    const result = found.length === 0 ? 'nothing found' : `labelled ${found.length} bad`
    io.stdout.write(
      `Checked ${count(looked, 'unlabelled run')}, up to ${count(days, 'day')} after its end: ${result}.\n`,
    )
  }
  return 0
}

function record(dir: string, events: readonly EventInput[], io: Io): void {
  const journal = openJournal(dir)
  try {
    journal.append(events, io.now())
  } finally {
    journal.close()
  }
}

/** A finished run with its label, if it has one. */
interface LabelledRun {
  readonly run: string
  readonly ended?: { readonly outcome: string; readonly ending: string }
  readonly label: RunLabel | undefined
}

/** One line per finished run, the newest last. */
function labelsText(rows: readonly LabelledRun[]): string {
  const cells = rows.map(({ run, ended, label }) => [
    plain(run),
    ended === undefined ? 'unfinished' : `${ended.outcome}/${ended.ending}`,
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
