import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { secretValues } from '../../system/environment.ts'
import type { AgentCall } from './call.ts'
import { HeadAndTailFile } from './head-and-tail-file.ts'
import { RedactedLines } from './redacted-lines.ts'

/** Stores one of the agent's two streams. */
export class KeptStream {
  readonly #file: HeadAndTailFile
  readonly #lines: RedactedLines
  #diskReady: Promise<void> | undefined

  constructor(path: string, keepBytes: number, secrets: readonly string[]) {
    this.#file = new HeadAndTailFile(path, keepBytes)
    this.#lines = new RedactedLines(secrets, (bytes) => {
      this.#diskReady = this.#file.write(bytes)
    })
  }

  /** Returns a promise if the disk is slow: wait for it before the next write. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#diskReady = undefined
    this.#lines.write(chunk)
    return this.#diskReady
  }

  /** Closes the file and returns what went wrong, if anything. */
  async end(): Promise<{ readonly kept: boolean; readonly problem?: string }> {
    this.#lines.end()
    await this.#file.end()
    const { problem, isEmpty } = this.#file
    return { kept: !isEmpty, ...(problem !== undefined && { problem }) }
  }
}

/** The output of one start of the agent: one file per stream, without secrets, readable only by this user. */
export interface TranscriptStore {
  readonly out: KeptStream
  readonly err: KeptStream
  /** The file of standard output, relative to the parent of the transcripts folder. */
  readonly file: string
  readonly errFile: string
}

export function openTranscript(call: AgentCall): TranscriptStore {
  const { folder, run, iteration, attempt, keepBytes } = call
  const name = `${iteration}.${attempt}`
  // The agent may print the keys it was given.
  const secrets = [...new Set([...secretValues(call.env), ...secretValues(process.env)])]
  const keep = (ending: string) => new KeptStream(join(folder, run, `${name}.${ending}`), keepBytes, secrets)
  const file = (ending: string) => `${basename(folder)}/${run}/${name}.${ending}`
  return { out: keep('out'), err: keep('err'), file: file('out'), errFile: file('err') }
}

const OURS = /^\d+(?:\.diff|\.\d+\.(?:prompt\.md|(?:out|err)(?:\.part)?))$/

/** Keeps the output of the newest `keepRuns` runs. It deletes only output and prompts, and doesn't follow links. */
export async function pruneTranscripts(folder: string, keepRuns: number): Promise<void> {
  const runs = await Promise.all((await namesIn(folder)).map((name) => runIn(join(folder, name))))
  const newestFirst = runs.filter((run) => run !== undefined).sort((one, two) => two.at - one.at)
  for (const { path } of newestFirst.slice(keepRuns)) {
    const names = await namesIn(path)
    for (const name of names.filter((each) => OURS.test(each)))
      await rm(join(path, name), { force: true }).catch(() => {})
    // Other files stay, and then the folder stays too.
    await rmdir(path).catch(() => {})
  }
}

async function runIn(path: string): Promise<{ readonly path: string; readonly at: number } | undefined> {
  const stat = await lstat(path).catch(() => undefined)
  return stat?.isDirectory() ? { path, at: stat.mtimeMs } : undefined
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
