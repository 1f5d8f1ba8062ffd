import { readdirSync } from 'node:fs'
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
import type { Io } from '../io.ts'

/** A journal that could not be read, and why. */
export interface Unreadable {
  readonly project: string
  readonly problem: string
}

/** Every folder with a journal beside that of a workspace, by name. */
export function journalsBeside(dir: string): readonly string[] {
  return foldersIn(dirname(dir))
    .map((name) => join(dirname(dir), name))
    .filter((each) => each === dir || holds(each, JOURNAL))
}

/** The newest run of each journal: a snapshot says almost all of it. */
export function newestRuns(dirs: readonly string[]): {
  readonly rows: readonly ProjectRow[]
  readonly broken: readonly Unreadable[]
} {
  const rows: ProjectRow[] = []
  const broken = reading(dirs, (dir, project) => {
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
  /** The labels of its runs, as they were recorded. */
  readonly labelled: readonly JournalEvent[]
}

/** Every run of each journal, also of those that a reset has put aside. */
export function allRuns(dirs: readonly string[]): {
  readonly projects: readonly ProjectFacts[]
  readonly broken: readonly Unreadable[]
} {
  const projects: ProjectFacts[] = []
  const broken = reading(dirs, (dir, project) => {
    const runs: RunFacts[] = []
    // What could be read still counts when a part of it is broken.
    const labelled: JournalEvent[] = []
    projects.push({ project, runs, flaky: flakyTests(dir), labelled })
    for (const each of withThoseAside(dir)) runs.push(...runsIn(keepLabels(eventsIn(each, dir), labelled)))
  })
  return { projects: projects.filter(({ runs }) => runs.length > 0), broken }
}

/** A journal and, before it, those of its workspace that a reset has put aside and those of interactive sessions. */
export function withThoseAside(dir: string): readonly string[] {
  const archived = foldersIn(join(dir, 'archive')).map((name) => join(dir, 'archive', name))
  return [...archived, ...sessionsOf(dir).map((session) => session.dir), dir]
}

/**
 * The events of one of them. A damaged journal is put aside by `exitgate reset`, as its sentence says: then it ends where the damage
 * is, and does not keep the one of today from being read for ever.
 */
export function* eventsIn(folder: string, dir: string): Generator<JournalEvent, void> {
  try {
    yield* readEvents(folder)
  } catch (error) {
    if (folder === dir || !(error instanceof JournalError)) throw error
  }
}

/** Looks at each journal; those that cannot be read are named, and do not keep the others from being looked at. */
export function reading(dirs: readonly string[], look: (dir: string, project: string) => void): readonly Unreadable[] {
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

function foldersIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch {
    return []
  }
}

function holds(dir: string, name: string): boolean {
  try {
    return readdirSync(dir).includes(name)
  } catch {
    return false
  }
}

/** Reads a journal that `exitgate reset` has put aside; it may be there because it is damaged. */
export type Aside = (folder: string, read: (folder: string) => void) => void

/** Looks at the journal of a workspace; with `all` at every one in the state folder, and those that cannot be read are named. */
export function lookAt(
  dir: string,
  all: boolean | undefined,
  io: Io,
  look: (dir: string, project: string | undefined, aside: Aside) => void,
): readonly Unreadable[] {
  const damaged: Unreadable[] = []
  const aside: Aside = (folder, read) => damaged.push(...reading([folder], read))
  const broken = all ? reading(journalsBeside(dir), (each, project) => look(each, project, aside)) : []
  if (!all) look(dir, undefined, aside)
  const left = [...damaged, ...broken]
  for (const { project, problem } of left)
    io.stderr.write(`exitgate: ${plain(project)} is left out: ${plain(problem)}\n`)
  return left
}

/** The events of a journal one by one, each configuration made whole: one of an earlier release lacks what came since. */
export function* pastEvents(dir: string): Generator<JournalEvent> {
  for (const event of readEvents(dir)) {
    if (event.type === 'run.started')
      yield event.config === undefined ? event : { ...event, config: whole(event.config, dir) }
    else if (event.type === 'config.changed' || event.type === 'task.config')
      yield { ...event, config: whole(event.config, dir) }
    else if (event.type === 'iteration.decided' && !('evidence' in event.observation))
      yield { ...event, observation: { ...(event.observation as Observation), evidence: {} } }
    else yield event
  }
}

function whole(config: Config, dir: string): Config {
  if (shipped(config.preset) !== undefined || config.extensions !== undefined) return { ...BASE, ...config }
  throw new JournalError(
    `${dir} holds a run with the preset ${shown(config.preset)}, which this exitgate does not know; install the release that wrote it`,
  )
}
