import { dirname, join } from 'node:path'
import { BASE } from '../../config/defaults.ts'
import { shown } from '../../config/errors.ts'
import type { Config } from '../../core/config.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import { shipped } from '../../core/presets/index.ts'
import type { Observation } from '../../core/types.ts'
import { flakyTests } from '../../evidence/flakes.ts'
import { JournalError } from '../../journal/errors.ts'
import { JOURNAL } from '../../journal/load.ts'
import { readEvents, readJournal } from '../../journal/read.ts'
import { sessionsOf } from '../../journal/sessions.ts'
import { keepLabels } from '../../learning/labels.ts'
import { type RunFacts, runsIn } from '../../reports/history/run-facts.ts'
import type { Flaky, ProjectRow } from '../../reports/history/statistics.ts'
import { plain } from '../../reports/verdict-text.ts'
import { entriesOf } from '../../system/file-names.ts'
import { type Io, warn } from '../io.ts'

/** A journal that could not be read, and why. */
export interface Unreadable {
  readonly project: string
  readonly problem: string
}

/** Every folder with a journal in the state folder, by name. */
export function allJournals(dir: string): readonly string[] {
  return foldersIn(dirname(dir))
    .map((name) => join(dirname(dir), name))
    .filter((each) => each === dir || holds(each, JOURNAL))
}

/** The newest run of each journal, mostly from its snapshot. */
export function newestRuns(dirs: readonly string[]): {
  readonly rows: readonly ProjectRow[]
  readonly broken: readonly Unreadable[]
} {
  const rows: ProjectRow[] = []
  const broken = readEach(dirs, (dir, project) => {
    const { state } = readJournal(dir)
    if (state.run === undefined) return
    const { counters, totals, ended, last, running } = state
    rows.push({
      project,
      run: state.run,
      at: ended?.at ?? running?.at ?? last?.at ?? state.startedAt ?? 0,
      preset: state.config?.preset ?? '?',
      ...(ended === undefined ? {} : { outcome: ended.outcome, ending: ended.ending }),
      iterations: state.iterations,
      ms: counters.total.ms,
      usd: counters.total.usd,
      claimsRefused: totals.claimsRefused,
      runs: totals.runs,
    })
  })
  return { rows: rows.sort((a, b) => a.at - b.at || (a.project < b.project ? -1 : 1)), broken }
}

export interface ProjectFacts {
  readonly project: string
  readonly runs: readonly RunFacts[]
  readonly flaky: readonly Flaky[]
  /** The labels of its runs, as recorded. */
  readonly labelled: readonly JournalEvent[]
}

/** Every run of each journal, archived ones included. */
export function allRuns(dirs: readonly string[]): {
  readonly projects: readonly ProjectFacts[]
  readonly broken: readonly Unreadable[]
} {
  const projects: ProjectFacts[] = []
  const broken = readEach(dirs, (dir, project) => {
    const runs: RunFacts[] = []
    // The readable part of a damaged journal still counts.
    const labelled: JournalEvent[] = []
    projects.push({ project, runs, flaky: flakyTests(dir), labelled })
    for (const each of withArchived(dir)) runs.push(...runsIn(keepLabels(eventsIn(each, dir), labelled)))
  })
  return { projects: projects.filter(({ runs }) => runs.length > 0), broken }
}

/** A journal and, before it, the archived ones of its workspace and those of interactive sessions. */
export function withArchived(dir: string): readonly string[] {
  const archived = foldersIn(join(dir, 'archive')).map((name) => join(dir, 'archive', name))
  return [...archived, ...sessionsOf(dir).map((session) => session.dir), dir]
}

/**
 * The events of one of them. `exitgate reset` archives a damaged journal; its events then end where the damage begins, so that it
 * doesn't block reading the current one.
 */
export function* eventsIn(folder: string, dir: string): Generator<JournalEvent, void> {
  try {
    yield* readEvents(folder)
  } catch (error) {
    if (folder === dir || !(error instanceof JournalError)) throw error
  }
}

/** Reads each journal and returns those that can't be read. */
export function readEach(dirs: readonly string[], look: (dir: string, project: string) => void): readonly Unreadable[] {
  return dirs.flatMap((dir) => {
    const project = dir.slice(dirname(dir).length + 1)
    try {
      look(dir, project)
      return []
    } catch (error) {
      if (!(error instanceof JournalError)) throw error
      return [{ project, problem: error.message }]
    }
  })
}

const foldersIn = (dir: string): readonly string[] =>
  entriesOf(dir)
    .flatMap(({ name, isDirectory }) => (isDirectory ? [name] : []))
    .sort()

const holds = (dir: string, file: string): boolean => entriesOf(dir).some(({ name }) => name === file)

/** Reads an archived journal, which may be damaged. */
export type ReadArchived = (folder: string, read: (folder: string) => void) => void

/** Reads the journal of a workspace, or with `all` every one in the state folder. Warns about those that can't be read. */
export function lookAt(
  dir: string,
  all: boolean | undefined,
  io: Io,
  look: (dir: string, project: string | undefined, archived: ReadArchived) => void,
): readonly Unreadable[] {
  const damaged: Unreadable[] = []
  const archived: ReadArchived = (folder, read) => damaged.push(...readEach([folder], read))
  const broken = all ? readEach(allJournals(dir), (each, project) => look(each, project, archived)) : []
  if (!all) look(dir, undefined, archived)
  const left = [...damaged, ...broken]
  warnUnreadable(left, io)
  return left
}

export function warnUnreadable(journals: readonly Unreadable[], io: Io): void {
  for (const { project, problem } of journals) warn(io, `Skipped ${plain(project)}: ${plain(problem)}`)
}

export const noSuchRun = (run: string): string =>
  `There is no run ${plain(run)} here. exitgate log --events lists the runs.`

/** The events of a journal, each configuration completed: an earlier release did not have every setting. */
export function* pastEvents(dir: string): Generator<JournalEvent> {
  for (const event of readEvents(dir)) {
    if (event.type === 'run.started')
      yield event.config === undefined ? event : { ...event, config: completed(event.config, dir) }
    else if (event.type === 'config.changed' || event.type === 'task.config')
      yield { ...event, config: completed(event.config, dir) }
    else if (event.type === 'iteration.decided' && !('evidence' in event.observation))
      yield { ...event, observation: { ...(event.observation as Observation), evidence: {} } }
    else yield event
  }
}

function completed(config: Config, dir: string): Config {
  // The first version did not ask for proof.
  const { proof: _later, ...evidence } = BASE.evidence
  if (shipped(config.preset) !== undefined || config.extensions !== undefined)
    return { ...BASE, ...{ evidence }, ...config }
  throw new JournalError(
    `${dir} has a run with the unknown preset ${shown(config.preset)}. Install the version of exitgate that wrote it.`,
  )
}
