import { basename, dirname, join } from 'node:path'
import { readEvents } from '../../journal/read.ts'
import { sessionsOf } from '../../journal/sessions.ts'
import { labelsOf } from '../../learning/labels.ts'
import { eventText } from '../../reports/event-text.ts'
import { projectsText, statisticsOf, statisticsText } from '../../reports/history/statistics.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { allJournals, allRuns, newestRuns, warnUnreadable } from '../history/journals.ts'
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
  usage: ['log [options]'],
  about: 'List past decisions, the newest last.',
  rows: [
    ['--last N', 'only the last N (default: 20 decisions, or all projects)'],
    ['--events', 'every event, not only decisions'],
    ['--all', 'the newest run of every project in the state folder'],
    ['--stats', 'totals: endings, rejected claims, flaky tests, what was missing'],
    ...LOOK_ROWS,
  ],
  examples: ['exitgate log --last 5', 'exitgate log --all', 'exitgate log --all --stats'],
}

type Values = ValuesOf<typeof OPTIONS>

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('log', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  const last = wholeNumber('--last', values.last, 1)
  if (values.events && (values.all || values.stats))
    throw new InputError('--events shows one journal. Leave out --all and --stats.')
  if (values.stats && last !== undefined) throw new InputError('--last is for lists. Leave it out with --stats.')
  if (values.stats) return statistics(dir, values, io)
  return values.all ? projects(dir, values, last, io) : decisions(dir, values, last ?? 20, io)
}

function decisions(dir: string, values: Values, last: number, io: Io): number {
  const wanted = (type: string) =>
    values.events || type === 'iteration.decided' || type === 'run.started' || type === 'run.ended'
  // A decision writes only a few events, so this many events contain the last decisions.
  const eventsOf = (folder: string) =>
    [...readEvents(folder, { last: values.events ? last : last * 6 })].filter(({ type }) => wanted(type)).slice(-last)
  const events = eventsOf(dir)
  const sessions = sessionsOf(dir)
    .map(({ name, dir: each }) => ({ session: name, events: eventsOf(each) }))
    .sort((a, b) => (a.events.at(-1)?.at ?? 0) - (b.events.at(-1)?.at ?? 0))
  // Each journal is in order already; together they are by time.
  const shown = [...events, ...sessions.flatMap((session) => session.events)].sort((a, b) => a.at - b.at).slice(-last)
  if (values.json) io.stdout.write(`${JSON.stringify({ dir, events, ...(sessions.length > 0 ? { sessions } : {}) })}\n`)
  else if (shown.length === 0)
    io.stderr.write('No decisions here yet. Start with `exitgate run` or `exitgate check`.\n')
  else for (const event of shown) io.stdout.write(`${eventText(event, styleOf(values, io))}\n`)
  return 0
}

function projects(dir: string, values: Values, last: number | undefined, io: Io): number {
  const { rows, broken } = newestRuns(allJournals(dir))
  const shown = last === undefined ? rows : rows.slice(-last)
  warnUnreadable(broken, io)
  if (values.json) io.stdout.write(`${JSON.stringify({ projects: shown, unreadable: broken })}\n`)
  else if (shown.length === 0) io.stderr.write('No runs recorded yet.\n')
  else io.stdout.write(projectsText(shown, styleOf(values, io)))
  return 0
}

function statistics(dir: string, values: Values, io: Io): number {
  const { projects: found, broken } = allRuns(values.all ? allJournals(dir) : [dir])
  warnUnreadable(broken, io)
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

const styleOf = (values: Values, io: Io) => ({ color: usesColor(io.stdout, io.env, values['no-color']) })
