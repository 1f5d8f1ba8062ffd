import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { type CompatInput, compatEndWrites, compatWrites, type FileWrite } from '../compat/index.ts'
import type { State } from '../core/journal/events.ts'
import { errorCode, writeFileAtomic } from '../system/files.ts'
import { observationWithoutAgent } from './observation.ts'

const MAX_BYTES = 16 * 1024 * 1024

/** Becomes a warning about one file. A copy that can't be written never changes the decision. */
class Refused extends Error {}

const existing = (path: string) => lstatSync(path, { throwIfNoEntry: false })
const inside = (root: string, path: string) => {
  const from = relative(root, path)
  return from !== '..' && !from.startsWith(`..${sep}`) && from !== '' && join(root, from) === path
}

/** The real path. No part of it may leave the workspace, through dots or links. */
function place(root: string, path: string, makeFolders: boolean): string {
  const wanted = join(root, path)
  if (path.startsWith('/') || !inside(root, wanted)) throw new Refused('it is outside the workspace')
  const folder = dirname(relative(root, wanted))
  let at = root
  for (const part of folder === '.' ? [] : folder.split(sep)) {
    at = join(at, part)
    if (existing(at) === undefined) {
      if (!makeFolders) return wanted
      mkdirSync(at)
    }
    at = realpathSync(at)
    if (!inside(root, at)) throw new Refused('a link leads out of the workspace')
  }
  const file = join(at, basename(wanted))
  if (existing(file) === undefined) return file
  const real = realpathSync(file)
  if (!inside(root, real)) throw new Refused('a link leads out of the workspace')
  if (!lstatSync(real).isFile()) throw new Refused('it is not a regular file')
  return real
}

function read(root: string, path: string): string | undefined {
  const file = place(root, path, false)
  const found = existing(file)
  if (found === undefined) return undefined
  if (found.size > MAX_BYTES) throw new Refused('it is too large')
  return readFileSync(file, 'utf8')
}

/** One write call with O_APPEND, so that two writers never mix their lines. */
function append(file: string, text: string): void {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
  const opened = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o644)
  try {
    writeSync(opened, text)
  } finally {
    closeSync(opened)
  }
}

/** Readers see the old file or the new one, never a part. */
function replace(file: string, text: string): void {
  const before = existing(file)
  writeFileAtomic(file, text, { sync: true, ...(before ? { exactMode: before.mode & 0o777 } : { mode: 0o644 }) })
}

function write(root: string, { path, mode, text }: FileWrite): void {
  const file = place(root, path, true)
  if (mode === 'append') append(file, text)
  else if (existing(file) === undefined || readFileSync(file, 'utf8') !== text) replace(file, text)
}

/** Writes the files of the older system. Returns a sentence for each file that could not be written. */
export const writeCompat = (workspace: string, input: Omit<CompatInput, 'read'>): readonly string[] =>
  writeAll(workspace, input, compatWrites)

/** The same after an end that no iteration decided, so that those files don't show a run in progress. */
export function writeCompatEnd(workspace: string, state: State): readonly string[] {
  const { config, ended, last } = state
  if (config === undefined || ended === undefined) return []
  const { outcome, ending, reason, at } = ended
  const measures = last?.verdict.measures ?? {}
  const grounds = { rule: ending, reason, missing: [], gate: { claim: 'unknown', proof: 'unknown' }, measures } as const
  const verdict = { action: 'stop', outcome, ending, ...grounds, trace: [] } as const
  const task = state.previous?.task
  const observation = { ...observationWithoutAgent({}), ...(task === undefined ? {} : { task }) }
  return writeAll(workspace, { config, state, observation, verdict, transitions: [], at }, compatEndWrites)
}

function writeAll(
  workspace: string,
  input: Omit<CompatInput, 'read'>,
  writes: (input: CompatInput) => readonly FileWrite[],
): readonly string[] {
  const problems: string[] = []
  const attempt = <T>(path: string, act: () => T): T | undefined => {
    try {
      return act()
    } catch (error) {
      const why = error instanceof Refused ? error.message : errorCode(error) || (error as Error).message
      problems.push(`The file ${path} was not written: ${why}.`)
      return undefined
    }
  }
  const root = attempt(workspace, () => realpathSync(workspace))
  if (root === undefined) return problems
  const reads = (path: string) => attempt(path, () => read(root, path))
  for (const each of writes({ ...input, read: reads })) attempt(each.path, () => write(root, each))
  return [...new Set(problems)]
}
