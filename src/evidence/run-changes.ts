import { closeSync, constants, fstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileDiff } from '../core/file-diff.ts'
import type { JournalEvent } from '../core/journal/events.ts'
import type { Work } from '../core/types.ts'
import { openPlain } from '../system/files.ts'
import { openBaseline } from './baseline/open.ts'
import type { FullBaseline } from './baseline/stored-baseline.ts'
import { filesInDiff } from './iteration-diff.ts'
import { withRenames } from './renames.ts'
import { diffOfCommits, diffSince, modesSince, withModes } from './work-diff.ts'
import { openWorkspace } from './workspace.ts'

/** What the journal says about the files of the wanted run. */
export interface WorkRecord {
  run?: string
  ended: boolean
  baselineId?: string
  /** The files as they were at the last claim. */
  work?: Work
  checkpoints: { readonly iteration: number; readonly branch: string; readonly commit: string }[]
  /** Another run than the wanted one has started. */
  isOther?: boolean
}

/** Keeps what an event says about the files of one run (default: the newest). */
export function noteWork(event: JournalEvent, record: WorkRecord, wanted?: string): void {
  if (event.type === 'run.started') {
    record.isOther = wanted !== undefined && event.run !== wanted
    const { run, baselineId } = event
    if (!record.isOther) Object.assign(record, { run, ended: false, baselineId, work: undefined, checkpoints: [] })
  }
  if (record.isOther !== false) return
  if (event.type === 'run.ended') record.ended = true
  if (event.type === 'run.resumed') record.ended = false
  if (event.type === 'checkpoint') record.checkpoints.push(event)
  const work = event.type === 'iteration.decided' ? event.observation.evidence.changed?.work : undefined
  if (work !== undefined) record.work = work
}

export const NO_BASELINE = 'This run has no baseline, so there is nothing to compare the files with.'
export const REPLACED =
  'A later run replaced the stored files of this one. With --checkpoint, exitgate keeps every iteration.'

/** The baseline that the run started from, or why it can't be used. */
export function baselineOfRun(dir: string, { baselineId }: WorkRecord): FullBaseline | string {
  if (baselineId === undefined) return NO_BASELINE
  try {
    const found = openBaseline(dir)
    return found?.id === baselineId ? found : REPLACED
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Everything that a run changed, and how to see it with git. */
export interface TotalDiff {
  /** File by file, as they are on disk. */
  readonly files: readonly FileDiff[]
  /** The same for readers: with modes, and with renamed files as one. */
  readonly shown: readonly FileDiff[]
  readonly command?: string
}

/** From the start of the run until now; without a baseline, until its last commit. */
export async function totalDiff(
  folder: string,
  baseline: FullBaseline | undefined,
  { checkpoints, work }: WorkRecord,
): Promise<TotalDiff | undefined> {
  if (baseline !== undefined) {
    const files = await diffSince(baseline, openWorkspace(folder))
    const { head } = baseline
    if (head === undefined) return { files, shown: withRenames(files) }
    const shown = withRenames(withModes(files, await modesSince(folder, head)))
    return { files, shown, command: `git diff ${head.slice(0, 12)}` }
  }
  const [first, last] = [checkpoints[0], checkpoints.at(-1)]
  if (first !== undefined && last !== undefined) return betweenCommits(folder, `${first.commit}^`, last.commit)
  const { since, head } = work ?? {}
  return since === undefined || head === undefined || since === head ? undefined : betweenCommits(folder, since, head)
}

async function betweenCommits(folder: string, from: string, to: string): Promise<TotalDiff | undefined> {
  const files = await diffOfCommits(folder, from, to)
  const short = (commit: string): string => commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1')
  return files && { files, shown: withRenames(files), command: `git diff ${short(from)} ${short(to)}` }
}

/** The run id is a folder name; anything else is ignored. */
const isFolderName = (run: string): boolean => /^[A-Za-z0-9][\w.-]*$/.test(run)

/** The iterations whose diff the loop stored, newest first; undefined if it stored nothing about this run. */
export function iterationsWithDiff(dir: string, run: string): readonly number[] | undefined {
  if (!isFolderName(run)) return undefined
  try {
    return readdirSync(join(dir, 'transcripts', run))
      .flatMap((name) => (/^[1-9]\d{0,8}\.diff$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .sort((one, other) => other - one)
  } catch {
    return undefined
  }
}

const MOST_BYTES = 16 * 1024 * 1024

export const diffFile = (run: string, n: number): string => `transcripts/${run}/${n}.diff`

/** What one iteration changed, as the loop stored it for the terminal; undefined if it stored nothing. */
export function iterationDiff(dir: string, run: string, n: number): readonly FileDiff[] | undefined {
  if (!isFolderName(run) || !Number.isSafeInteger(n) || n < 1) return undefined
  let fd: number | undefined
  try {
    fd = openPlain(join(dir, diffFile(run, n)), constants.O_RDONLY)
    return fstatSync(fd).size > MOST_BYTES ? undefined : withRenames(filesInDiff(readFileSync(fd, 'utf8')))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
