import { closeSync, constants, fstatSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JournalEvent } from '../../core/journal/events.ts'
import { noteWork, type WorkRecord } from '../../evidence/run-changes.ts'
import { readEvents } from '../../journal/read.ts'
import { keepLabels } from '../../learning/labels.ts'
import { reportModel } from '../../reports/page/model.ts'
import { safeTextWith } from '../../reports/page/safe-text.ts'
import type { Output, Report } from '../../reports/page/types.ts'
import { type Environment, secretValues } from '../../system/environment.ts'
import { openPlain } from '../../system/files.ts'
import { redact } from '../../system/redact.ts'
import { InputError } from '../errors.ts'
import { noSuchRun } from '../history/journals.ts'
import { pastPolicies } from '../history/past-policy.ts'
import { labelIn } from '../learning/past.ts'
import { workOf } from './run-work.ts'

/** For all files together: browsers can't open a much larger page. */
const MOST_BYTES = 24 * 1024 * 1024
const ENDINGS = ['prompt.md', 'out', 'err']

/** The stored output of a run, by file name, or with the last bytes of each file. */
function outputsIn(
  dir: string,
  bytes: number,
): (run: string, iteration: number, attempts: number) => Output | undefined {
  const known = new Map<string, ReadonlySet<string>>()
  let left = MOST_BYTES
  return (run, iteration, attempts) => {
    const names = known.get(run) ?? namesIn(dir, run)
    known.set(run, names)
    const last = Math.max(1, attempts)
    const files = ENDINGS.map((ending) => `${iteration}.${last}.${ending}`)
      .filter((name) => names.has(name))
      .map((name) => {
        const shown = `transcripts/${run}/${name}`
        const read =
          bytes > 0 && left > 0 ? tailOf(join(dir, 'transcripts', run, name), Math.min(bytes, left)) : undefined
        if (read === undefined) return { name: shown }
        left -= read.text.length
        return { name: shown, text: read.text, ...(read.left > 0 ? { left: read.left } : {}) }
      })
    return files.length === 0 ? undefined : { files }
  }
}

/** The run id is a folder name; anything else is ignored. */
function namesIn(dir: string, run: string): ReadonlySet<string> {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(run)) return new Set()
  try {
    return new Set(readdirSync(join(dir, 'transcripts', run)))
  } catch {
    return new Set()
  }
}

/** The end of a file; undefined if it can't be read. */
function tailOf(path: string, most: number): { readonly text: string; readonly left: number } | undefined {
  let fd: number | undefined
  try {
    fd = openPlain(path, constants.O_RDONLY)
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, most))
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    // Leave out a cut line if there are others: half a secret would not be redacted.
    const line = size > bytes.length ? bytes.indexOf(10) + 1 : 0
    const from = line < read / 2 ? line : 0
    return { text: bytes.toString('utf8', from, read), left: size - bytes.length + from }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Passes the events on, and keeps what they say about the files of one run. */
function* keepWork(
  events: Iterable<JournalEvent>,
  wanted: string | undefined,
  record: WorkRecord,
): Generator<JournalEvent, void> {
  for (const event of events) {
    noteWork(event, record, wanted)
    yield event
  }
}

/** One run of a journal, with secrets redacted: reports are made to be shared. */
export async function readReport(
  dir: string,
  workspace: string,
  run: string | undefined,
  { bytes = 0, env = process.env }: { readonly bytes?: number; readonly env?: Environment } = {},
): Promise<Report> {
  const secrets = secretValues(process.env)
  const hide = (text: string): string => redact(text, secrets)
  const labelled: JournalEvent[] = []
  const record: WorkRecord = { ended: false, checkpoints: [] }
  const report = reportModel(keepWork(keepLabels(readEvents(dir), labelled), run, record), {
    ...(run === undefined ? {} : { run }),
    project: basename(workspace),
    policyFor: await pastPolicies(workspace),
    hide,
    outputOf: outputsIn(dir, bytes),
    labelOf: (name) => labelIn(dir, name, labelled),
  })
  if (report !== undefined)
    return { ...report, work: await workOf({ workspace, dir, env }, record, safeTextWith(hide)) }
  throw new InputError(
    run === undefined ? 'No runs here yet. exitgate run or exitgate check starts one.' : noSuchRun(run),
  )
}
