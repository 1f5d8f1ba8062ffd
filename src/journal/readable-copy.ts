import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEvent, State } from '../core/journal/events.ts'
import { lastWordRows } from '../core/signals/last-words.ts'
import { NO_FOLLOW, writeFileAtomic } from '../system/files.ts'

const FOLDER = '.exitgate'
const IGNORE = '*\n'

/**
 * Writes the status into the workspace for people and programs. exitgate never reads it back, so a failed write is only returned as
 * a problem.
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
 * Writes files into `.exitgate/`. The agent may have put links there, so links are never followed, and existing files are replaced,
 * not written into.
 */
export function writeCopies(workspace: string, files: Readonly<Record<string, string>>): readonly string[] {
  const folder = join(workspace, FOLDER)
  let fd: number | undefined
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o755 })
    fd = openFolder(folder)
    const pinned = descriptorPath(fd, folder)
    // The ignore file goes first, so that git never sees the others.
    const ignored = isIgnored(pinned) ? [] : writeCopy(pinned, '.gitignore', IGNORE)
    return [...ignored, ...Object.entries(files).flatMap(([name, text]) => writeCopy(pinned, name, text))]
  } catch (error) {
    return [notWritten(FOLDER, error)]
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function openFolder(folder: string): number | undefined {
  const found = lstatSync(folder)
  if (found.isSymbolicLink()) throw new Error('it is a symbolic link')
  if (!found.isDirectory()) throw new Error('it is not a folder')
  // Windows can't open a folder.
  if (process.platform === 'win32') return undefined
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | NO_FOLLOW)
  if (fstatSync(fd).ino === found.ino) return fd
  closeSync(fd)
  throw new Error('it was replaced while it was being opened')
}

/** A path through the open descriptor, where supported, so that swapping the folder for a link has no effect. */
function descriptorPath(fd: number | undefined, folder: string): string {
  const pinned = `/proc/self/fd/${fd}`
  return fd !== undefined && existsSync(pinned) ? pinned : folder
}

/** Comparing the size is enough: a wrong ignore file only affects `git status`. */
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
    return [notWritten(`${FOLDER}/${name}`, error)]
  }
}

function notWritten(name: string, error: unknown): string {
  // Keeps the readable part of "EROFS: read-only file system, open '...'".
  const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
  return `${name} was not written: ${why}`
}

/** Maximum number of lines in a section of STATUS.md. */
const LINES = 10

/** A summary of the state for programs. */
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

/** The same summary for people. */
function statusMarkdown(state: State, events: readonly JournalEvent[]): string {
  const lines = [
    '# exitgate status',
    '',
    'Written by exitgate for you to read. exitgate never reads this file.',
    '',
    ...headline(state),
    ...lastWordRows(state.previous, state.ended?.reason ?? '').map(([name, text]) => `- The ${name}: ${oneLine(text)}`),
    ...section('Still missing', state.last?.verdict.missing.map((item) => `- ${oneLine(item)}`) ?? []),
    ...section('Decisions', state.recent.slice(-LINES).map(decision)),
    ...section('Also happened', events.slice(-LINES).flatMap(eventLine)),
  ]
  return `${lines.join('\n')}\n`
}

function headline({ ended, running, iterations, counters, config, task, last }: State): readonly string[] {
  const { phase, breaker } = counters
  const decided = iterations === 1 ? '1 iteration decided' : `${iterations} iterations decided`
  const now = running === undefined ? decided : `${decided}, iteration ${running.iteration} is running`
  const rows = [
    ended === undefined ? `- Now: ${now}` : `- Ended: ${ended.outcome} (${ended.ending}): ${oneLine(ended.reason)}`,
    ended === undefined ? undefined : `- Iterations: ${iterations}`,
    task === undefined ? undefined : `- Task: ${oneLine(task)}`,
    config === undefined ? undefined : `- Preset: ${config.preset}`,
    phase === undefined ? undefined : `- Phase: ${oneLine(phase)}, iteration ${counters.phaseIteration}`,
    `- Breaker: ${breaker.state}${breaker.reason === undefined ? '' : ` (${oneLine(breaker.reason)})`}`,
    last === undefined ? undefined : `- Last decision: ${iso(last.at)}`,
  ]
  return rows.filter((row) => row !== undefined)
}

const decision = ({ iteration, action, rule, reason }: State['recent'][number]) =>
  `- ${iteration}. ${action} by ${rule}: ${oneLine(reason)}`

function eventLine(event: JournalEvent): readonly string[] {
  const text = eventText(event)
  return text === undefined ? [] : [`- ${iso(event.at)} ${oneLine(text)}`]
}

function eventText(event: JournalEvent): string | undefined {
  switch (event.type) {
    case 'breaker.changed':
      return `breaker ${event.from} -> ${event.to}: ${event.reason}`
    case 'breaker.reset':
      return `breaker reset by ${event.by}: ${event.reason}`
    case 'phase.changed':
      return `phase ${event.from ?? 'none'} -> ${event.to}${event.forced ? ` (forced by ${event.by ?? 'unknown'})` : ''}`
    case 'note':
      return event.text
    default:
      return undefined
  }
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines]

/** Keeps foreign text on one line, so that it can't break out of its list item. */
const MOST_CHARACTERS = 300

/** A long text ends after a whole word. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  if (line.length <= MOST_CHARACTERS) return line
  const cut = line.slice(0, MOST_CHARACTERS)
  const end = cut.lastIndexOf(' ')
  return `${end > MOST_CHARACTERS / 2 ? cut.slice(0, end) : cut}…`
}

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
