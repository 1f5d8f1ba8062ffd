import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { secretValues } from '../../system/environment.ts'
import type { AgentCall } from './call.ts'
import { HeadAndTailFile } from './head-and-tail-file.ts'
import { RedactedLines } from './redacted-lines.ts'

/** One of the agent's two streams on its way to the disk. */
export class KeptStream {
  readonly #file: HeadAndTailFile
  readonly #lines: RedactedLines
  #behind: Promise<void> | undefined

  constructor(path: string, keepBytes: number, secrets: readonly string[]) {
    this.#file = new HeadAndTailFile(path, keepBytes)
    this.#lines = new RedactedLines(secrets, (bytes) => {
      this.#behind = this.#file.write(bytes)
    })
  }

  /** Gives a promise when the disk is behind: nothing more should come before it is settled. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#behind = undefined
    this.#lines.write(chunk)
    return this.#behind
  }

  /** Tells what went wrong, if something did. */
  async end(): Promise<{ readonly kept: boolean; readonly problem?: string }> {
    this.#lines.end()
    await this.#file.end()
    const { problem, isEmpty } = this.#file
    return { kept: !isEmpty, ...(problem !== undefined && { problem }) }
  }
}

/** Where the output of one start of the agent goes: each stream in a file of its own, without secrets, for this user alone. */
export interface TranscriptStore {
  readonly out: KeptStream
  readonly err: KeptStream
  /** The file of standard output, seen from the folder around all transcripts. */
  readonly file: string
  readonly errFile: string
}

export function openTranscript(call: AgentCall): TranscriptStore {
  const { folder, run, iteration, attempt, keepBytes } = call
  const name = `${iteration}.${attempt}`
  // The agent works with the keys it was given, and may print them.
  const secrets = [...new Set([...secretValues(call.env), ...secretValues(process.env)])]
  const keep = (ending: string) => new KeptStream(join(folder, run, `${name}.${ending}`), keepBytes, secrets)
  const file = (ending: string) => `${basename(folder)}/${run}/${name}.${ending}`
  return { out: keep('out'), err: keep('err'), file: file('out'), errFile: file('err') }
}

const OURS = /^\d+\.\d+\.(?:prompt\.md|(?:out|err)(?:\.part)?)$/

/** Forgets the output of all but the newest so many runs. Only output and prompts are taken away, and links are not followed. */
export async function pruneTranscripts(folder: string, keepRuns: number): Promise<void> {
  const runs = await Promise.all((await namesIn(folder)).map((name) => runIn(join(folder, name))))
  const newestFirst = runs.filter((run) => run !== undefined).sort((one, two) => two.at - one.at)
  for (const { path } of newestFirst.slice(keepRuns)) {
    const names = await namesIn(path)
    for (const name of names.filter((each) => OURS.test(each)))
      await rm(join(path, name), { force: true }).catch(() => {})
    // What somebody else has put there stays, and so does the folder.
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
