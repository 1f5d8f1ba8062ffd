import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEvent, State } from '../core/journal/events.ts'
import { NO_FOLLOW, writeFileAtomic } from '../system/files.ts'

const FOLDER = '.exitgate'
const IGNORE = '*\n'

/**
 * Status for people and programs in the workspace. exitgate never reads it back, so a failed
 * write is returned as a problem and stops nothing.
 */
export function writeReadableCopy(
  workspace: string,
  state: State,
  lastEvents: readonly JournalEvent[] = [],
): readonly string[] {
  return writeCopies(workspace, {
    'status.json': statusJson(state),
    'STATUS.md': statusMarkdown(state, lastEvents),
  })
}

/**
 * Writes files into `.exitgate/`. The agent owns the workspace and may have put links there that lead elsewhere: no
 * link is followed, and no existing file is written into, only replaced.
 */
export function writeCopies(workspace: string, files: Readonly<Record<string, string>>): readonly string[] {
  const folder = join(workspace, FOLDER)
  let fd: number | undefined
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o755 })
    fd = openFolder(folder)
    const pinned = pathOf(fd, folder)
    // The ignore file comes first, so that git never sees the others.
    const ignored = isIgnored(pinned) ? [] : writeCopy(pinned, '.gitignore', IGNORE)
    return [...ignored, ...Object.entries(files).flatMap(([name, text]) => writeCopy(pinned, name, text))]
  } catch (error) {
    return [problem(FOLDER, error)]
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function openFolder(folder: string): number | undefined {
  const found = lstatSync(folder)
  if (found.isSymbolicLink()) throw new Error('it is a symbolic link')
  if (!found.isDirectory()) throw new Error('it is not a folder')
  // Windows cannot open a folder.
  if (process.platform === 'win32') return undefined
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | NO_FOLLOW)
  if (fstatSync(fd).ino === found.ino) return fd
  closeSync(fd)
  throw new Error('it was exchanged while it was opened')
}

/** Names the opened folder itself where the system can: exchanging it for a link a moment later changes nothing. */
function pathOf(fd: number | undefined, folder: string): string {
  const pinned = `/proc/self/fd/${fd}`
  return fd !== undefined && existsSync(pinned) ? pinned : folder
}

/** A file as long as ours is ours: it never changes, and what stands in it harms nobody but git's list of new files. */
function isIgnored(folder: string): boolean {
  const found = lstatSync(join(folder, '.gitignore'), { throwIfNoEntry: false })
  return found?.isFile() === true && found.size === IGNORE.length
}

function writeCopy(folder: string, name: string, text: string): readonly string[] {
  const path = join(folder, name)
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new Error('it is a symbolic link')
    if (found !== undefined && !found.isFile()) throw new Error('it is not a regular file')
    writeFileAtomic(path, text, { mode: 0o644 })
    return []
  } catch (error) {
    return [problem(`${FOLDER}/${name}`, error)]
  }
}

function problem(name: string, error: unknown): string {
  // Of "EROFS: read-only file system, open '...'" the first half is for people.
  const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
  return `${name} was not written: ${why}`
}

/** Most lines in a section of STATUS.md. */
const LINES = 10

/** A summary of the state, for programs. */
function statusJson(state: State): string {
  const { run, task, iterations, counters, running, last, ended, phasesDone, totals, seq } = state
  const { phase, phaseIteration, breaker, total } = counters
  const verdict = last?.verdict
  const short = {
    run,
    preset: state.config?.preset,
    task,
    startedAt: iso(state.startedAt),
    iterations,
    running: running && { iteration: running.iteration, since: iso(running.at) },
    phase,
    phaseIteration: phase === undefined ? undefined : phaseIteration,
    phasesDone: phasesDone.map((done) => done.phase),
    breaker: { state: breaker.state, noProgress: breaker.noProgress, reason: breaker.reason },
    spent: total,
    last: verdict && { at: iso(last.at), ...verdict },
    ended: ended && { ...ended, at: iso(ended.at) },
    totals,
    events: seq,
  }
  return `${JSON.stringify(short, null, 2)}\n`
}

/** The same summary, for people. */
function statusMarkdown(state: State, events: readonly JournalEvent[]): string {
  const lines = [
    '# exitgate status',
    '',
    'Written by exitgate for people to read. Changing this file changes nothing.',
    '',
    ...headline(state),
    ...missing(state),
    ...section('Decisions', state.recent.slice(-LINES).map(decision)),
    ...section('Also happened', events.slice(-LINES).flatMap(incident)),
  ]
  return `${lines.join('\n')}\n`
}

function headline({ ended, running, iterations, counters, config, task, last }: State): readonly string[] {
  const { phase, breaker } = counters
  const decided = iterations === 1 ? '1 iteration decided' : `${iterations} iterations decided`
  const now = running === undefined ? decided : `${decided}, iteration ${running.iteration} is running`
  const rows = [
    ended === undefined ? `- Now: ${now}` : `- Ended: ${ended.outcome} (${ended.ending}): ${words(ended.reason)}`,
    ended === undefined ? undefined : `- Iterations: ${iterations}`,
    task === undefined ? undefined : `- Task: ${words(task)}`,
    config === undefined ? undefined : `- Preset: ${config.preset}`,
    phase === undefined ? undefined : `- Phase: ${words(phase)}, iteration ${counters.phaseIteration}`,
    `- Breaker: ${breaker.state}${breaker.reason === undefined ? '' : ` (${words(breaker.reason)})`}`,
    last === undefined ? undefined : `- Last decision: ${iso(last.at)}`,
  ]
  return rows.filter((row) => row !== undefined)
}

function missing({ last }: State): readonly string[] {
  return section('Still missing', last?.verdict.missing.map((item) => `- ${words(item)}`) ?? [])
}

const decision = ({ iteration, action, rule, reason }: State['recent'][number]) =>
  `- ${iteration}. ${action} by ${rule}: ${words(reason)}`

function incident(event: JournalEvent): readonly string[] {
  const text = incidentText(event)
  return text === undefined ? [] : [`- ${iso(event.at)} ${words(text)}`]
}

function incidentText(event: JournalEvent): string | undefined {
  switch (event.type) {
    case 'breaker.changed':
      return `breaker ${event.from} -> ${event.to}: ${event.reason}`
    case 'breaker.reset':
      return `breaker reset by ${event.by}: ${event.reason}`
    case 'phase.changed':
      return `phase ${event.from ?? 'none'} -> ${event.to}${event.forced ? ` (forced by ${event.by ?? 'somebody'})` : ''}`
    case 'note':
      return event.text
    default:
      return undefined
  }
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines]

/** One line of a list item: text from elsewhere must not break out of it. */
const words = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300)

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
