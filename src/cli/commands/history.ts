import { basename, dirname, join } from 'node:path'
import { readEvents } from '../../journal/read.ts'
import { sessionsOf } from '../../journal/sessions.ts'
import { labelsOf } from '../../learning/labels.ts'
import { eventText } from '../../reports/event-text.ts'
import { projectsText, statisticsOf, statisticsText } from '../../reports/history/statistics.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { allRuns, journalsBeside, newestRuns, type Unreadable } from '../history/journals.ts'
import { type Io, usesColor } from '../io.ts'
import { reliabilityIn } from '../learning/past.ts'
import { parse, type ValuesOf, wholeNumber } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  last: { type: 'string' },
  events: { type: 'boolean' },
  all: { type: 'boolean' },
  stats: { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['history [options]'],
  about:
    'List past decisions, newest last. --all lists the newest run of every project, --stats sums up the runs: endings, rejected claims, iterations and money saved, flaky tests, what was missing most often.',
  rows: [
    ['--last N', 'show the last N decisions (default: 20) or projects (default: all)'],
    ['--events', 'show every event, not only decisions'],
    ['--all', 'show every project in the state folder'],
    ['--stats', 'show totals instead of a list; includes archived journals'],
    ...LOOK_ROWS,
  ],
  examples: ['exitgate history --last 5', 'exitgate history --all', 'exitgate history --all --stats --json'],
}

type Values = ValuesOf<typeof OPTIONS>

/** `exitgate history`: past decisions, oldest first; with --all every project, with --stats totals. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('history', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  const last = wholeNumber('--last', values.last, 1)
  if (values.events && (values.all || values.stats))
    throw new InputError('--events shows one journal. Remove --all and --stats.')
  if (values.stats && last !== undefined) throw new InputError('--last works only for lists. Remove it, or --stats.')
  if (values.stats) return statistics(dir, values, io)
  return values.all ? projects(dir, values, last, io) : decisions(dir, values, last ?? 20, io)
}

function decisions(dir: string, values: Values, last: number, io: Io): number {
  const wanted = (type: string) =>
    values.events || type === 'iteration.decided' || type === 'run.started' || type === 'run.ended'
  // A decision writes only a few events, so six times as many contain the last decisions.
  const eventsOf = (folder: string) =>
    [...readEvents(folder, { last: values.events ? last : last * 6 })].filter(({ type }) => wanted(type)).slice(-last)
  const events = eventsOf(dir)
  const sessions = sessionsOf(dir)
    .map(({ name, dir: each }) => ({ session: name, events: eventsOf(each) }))
    .sort((a, b) => (a.events.at(-1)?.at ?? 0) - (b.events.at(-1)?.at ?? 0))
  const shown = [...events, ...sessions.flatMap((session) => session.events)]
  if (values.json) io.stdout.write(`${JSON.stringify({ dir, events, ...(sessions.length > 0 ? { sessions } : {}) })}\n`)
  else if (shown.length === 0)
    io.stderr.write('No decisions here yet. Start with `exitgate run` or `exitgate check`.\n')
  else for (const event of shown) io.stdout.write(`${eventText(event, styleOf(values, io))}\n`)
  return 0
}

function projects(dir: string, values: Values, last: number | undefined, io: Io): number {
  const { rows, broken } = newestRuns(journalsBeside(dir))
  const shown = last === undefined ? rows : rows.slice(-last)
  name(broken, io)
  if (values.json) io.stdout.write(`${JSON.stringify({ projects: shown, unreadable: broken })}\n`)
  else if (shown.length === 0) io.stderr.write('No runs recorded yet.\n')
  else io.stdout.write(projectsText(shown, styleOf(values, io)))
  return 0
}

function statistics(dir: string, values: Values, io: Io): number {
  const { projects: found, broken } = allRuns(values.all ? journalsBeside(dir) : [dir])
  name(broken, io)
  const sound = (project: string): boolean => !broken.some((each) => each.project === project)
  const each = found.map(({ project, runs, flaky, labelled }) => {
    const reliability = sound(project) ? reliabilityIn(join(dirname(dir), project), labelsOf(labelled)) : undefined
    return { project, ...statisticsOf(runs, flaky), ...(reliability && { reliability }) }
  })
  const all = statisticsOf(
    found.flatMap(({ runs }) => runs),
    found.flatMap(({ flaky }) => flaky),
  )
  const style = styleOf(values, io)
  if (values.json)
    io.stdout.write(
      `${JSON.stringify(values.all ? { projects: each, all, unreadable: broken } : { ...all, ...each[0], project: basename(dir), unreadable: broken })}\n`,
    )
  else if (each.length === 0) io.stderr.write('No runs recorded yet.\n')
  else {
    const texts = each.map(({ project, reliability, ...stats }) => statisticsText(project, stats, style, reliability))
    const more = values.all && each.length > 1 ? [statisticsText(`all ${each.length} projects`, all, style)] : []
    io.stdout.write([...texts, ...more].join('\n'))
  }
  return 0
}

/** One unreadable journal does not hide the others. */
function name(broken: readonly Unreadable[], io: Io): void {
  for (const { project, problem } of broken) io.stderr.write(`exitgate: skipped ${plain(project)}: ${plain(problem)}\n`)
}

const styleOf = (values: Values, io: Io) => ({ color: usesColor(io.stdout, io.env, values['no-color']) })
