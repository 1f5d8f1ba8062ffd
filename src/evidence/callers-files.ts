import { fstatSync, type Stats, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isRunnerConfig, languageOf } from '../../packages/exitgate/src/frameworks/test-files.ts'
import { realPath } from '../system/sandbox/sandbox.ts'
import { bytesOf, statOf } from './baseline/content-id.ts'

/** What is known about the files that exitgate and the caller's own loop write. */
export interface CallersFiles {
  /** Relative to the workspace: paths, or prefixes that end in `/`. */
  readonly ignore?: readonly string[]
  /** The folder of the journal, which may be in the workspace. */
  readonly stateDir?: string
  /** Absolute paths of the transcript and the prompt that the caller passed. */
  readonly loopFiles?: readonly string[] | undefined
  /** The agent's final message. A file that contains all of it is a copy of the agent's output. */
  readonly said?: string | undefined
  /** The id of the run. exitgate prints it, so a file that contains it is a copy of exitgate's output. */
  readonly run?: string | undefined
}

/** A file that differs from the start. */
export interface Differing {
  readonly path: string
  readonly isNew: boolean
}

/** Logs, and prompts at the top of the project. Only new files: a log that the project had before may be test data. */
const NAMED = /(?:^|\/)nohup\.out$|\.log(?:[._-]\w+)*$|^[^/]*prompt[^/]*\.(?:md|txt)$/i
/** A shorter message may be in a file by chance. */
const SHORTEST = 20
const LARGEST = 256 * 1024 * 1024
const MOST_BYTES = 4 * 1024 * 1024

/**
 * The files among these that are not the agent's work. exitgate writes them, prints to them, or was given them as transcript or prompt.
 * Others are logs, or copies of the agent's output. A new file whose name differs only in a number is another one of these.
 */
export function callersFiles(dir: string, files: readonly Differing[], about: CallersFiles): ReadonlySet<string> {
  const { ignore = [], stateDir, loopFiles = [], said = '', run = '' } = about
  const message = said.replace(/\r/g, '').trim()
  const texts = [message.length < SHORTEST ? '' : message, run].filter((text) => text !== '')
  const ours = [...ignore, ...(stateDir === undefined ? [] : [`${relative(dir, realPath(stateDir))}/`])]
  const written = new Set([
    ...[0, 1, 2].map((fd) => identity(() => fstatSync(fd))),
    ...loopFiles.flatMap((path) => [identity(() => statOf(path)), identity(() => statSync(path))]),
  ])
  const isOurs = ({ path, isNew }: Differing): boolean =>
    ours.some((name) => path === name || (name.endsWith('/') && path.startsWith(name))) ||
    (isNew && NAMED.test(path)) ||
    written.has(identity(() => statOf(join(dir, path))) ?? 'gone') ||
    (texts.length > 0 && holds(join(dir, path), texts))
  const found = new Set(files.filter(isOurs).map(({ path }) => path))
  const rotated = new Set([...ours, ...found].map(withoutNumbers))
  const isCallers = ({ path, isNew }: Differing) => found.has(path) || (isNew && rotated.has(withoutNumbers(path)))
  return new Set(files.filter(isCallers).map(({ path }) => path))
}

/** The files that exitgate's own output goes to. They change while the checks look, whatever the agent does. Paths are absolute. */
export interface OutputFiles {
  /** Those found until now. */
  readonly known: ReadonlySet<string>
  has(path: string): boolean
}

export const NO_OUTPUT: OutputFiles = { known: new Set(), has: () => false }

/** `likely` is looked at first. A file of the repository or of source code is one only if exitgate was given it, whatever it contains. */
export function outputFiles(
  { loopFiles, run }: CallersFiles,
  likely: Iterable<string>,
  isTracked: (path: string) => boolean,
): OutputFiles {
  const known = new Set<string>()
  const has = (path: string): boolean => {
    if (known.has(path)) return true
    const canBeCopy = languageOf(path) === undefined && !isRunnerConfig(path) && !isTracked(path)
    const about = { loopFiles, ...(canBeCopy && { run }) }
    if (callersFiles('/', [{ path, isNew: false }], about).size === 0) return false
    known.add(path)
    return true
  }
  for (const path of likely) has(path)
  return { known, has }
}

const withoutNumbers = (path: string): string => path.replace(/[._-]?\d+/g, '')

function identity(look: () => Stats | undefined): string | undefined {
  try {
    const found = look()
    return found && `${found.dev}:${found.ino}`
  } catch {
    return undefined
  }
}

/** Whether the end of a file contains one of the texts, as it is or as a JSON string. */
function holds(path: string, texts: readonly string[]): boolean {
  const end = bytesOf(path, LARGEST)?.subarray(-MOST_BYTES).toString().replace(/\r/g, '')
  return texts.some((text) => end?.includes(text) || end?.includes(JSON.stringify(text).slice(1, -1)))
}
