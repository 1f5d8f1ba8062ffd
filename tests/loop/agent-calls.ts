import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentResult } from '../../src/core/run.ts'
import { read as signalsOf } from '../../src/core/signals/read.ts'
import type { Transcript } from '../../src/core/types.ts'
import type { AgentCall, AgentMark } from '../../src/loop/agent/call.ts'
import { runAgent } from '../../src/loop/agent/run-agent.ts'
import { folder, writeFiles } from '../evidence/folders.ts'

/** The agent's environment: nothing of this machine except PATH. */
export const env = { PATH: process.env.PATH ?? '' }

export interface Ran {
  readonly result: AgentResult
  readonly transcript: Transcript
  readonly marks: readonly AgentMark[]
  readonly shown: string
  /** The saved output of the agent, by file extension. */
  kept(extension: 'out' | 'err'): string | undefined
}

/** An empty work folder, and a path for transcripts. */
export function place() {
  const dir = folder()
  writeFiles(dir, { 'work/.keep': '' })
  return { dir, cwd: join(dir, 'work'), transcripts: join(dir, 'state', 'transcripts') }
}
export type Place = ReturnType<typeof place>

export function callOf(here: Place, argv: readonly string[], more: Partial<AgentCall> = {}): AgentCall {
  const { cwd, transcripts } = here
  const limits = { graceMs: 2_000, keepBytes: 1024 * 1024 }
  return {
    run: 'r1',
    iteration: 1,
    attempt: 1,
    argv,
    cwd,
    env,
    format: 'auto',
    folder: transcripts,
    ...limits,
    ...more,
  }
}

/** Runs an argv, or a shell script, as an agent. */
export async function run(
  here: Place,
  agent: string | readonly string[],
  more: Partial<AgentCall> = {},
  hooks: { signal?: AbortSignal; onStart?: (mark: AgentMark) => void; onText?: (text: string) => void } = {},
): Promise<Ran> {
  const call = callOf(here, typeof agent === 'string' ? ['sh', '-c', agent] : agent, more)
  const marks: AgentMark[] = []
  let shown = ''
  const { process: ran, transcript } = await runAgent(
    call,
    {
      onStart(mark) {
        marks.push(mark)
        hooks.onStart?.(mark)
      },
      onText(text) {
        shown += text
        hooks.onText?.(text)
      },
    },
    hooks.signal ?? new AbortController().signal,
  )
  const kept = (extension: 'out' | 'err') => {
    const file = join(call.folder, call.run, `${call.iteration}.${call.attempt}.${extension}`)
    return existsSync(file) ? readFileSync(file, 'latin1') : undefined
  }
  return { result: { ...ran, signals: signalsOf(transcript) }, transcript, marks, shown, kept }
}

export const onLinux = process.platform === 'linux'

/** The pids that a script wrote to a file. */
export function pidsIn(here: Place, file: string): number[] {
  const path = join(here.cwd, file)
  return existsSync(path) ? (readFileSync(path, 'utf8').match(/\d+/g) ?? []).map(Number) : []
}

/** Writes a program into the test folder. */
export function program(here: Place, name: string, text: string, mode = 0o755): string {
  writeFiles(here.dir, { [name]: text })
  chmodSync(join(here.dir, name), mode)
  return join(here.dir, name)
}
