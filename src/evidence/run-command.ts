import { spawn } from 'node:child_process'
import { killGroup, killTree } from './kill-tree.ts'

export interface CommandOptions {
  readonly deadlineMs: number
  /** Between the polite and the hard signal. */
  readonly graceMs?: number
  /** Output kept: the first quarter and the last three. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

export interface CommandResult {
  readonly output: string
  /** Bytes left out of the middle of the output. */
  readonly cut: number
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly ended: 'exit' | 'deadline' | 'aborted' | 'not-started'
  readonly ms: number
  readonly problem?: string
}

/** Keeps the beginning and the end of a stream of any length in bounded memory. */
class Capture {
  readonly #head: Buffer[] = []
  readonly #tail: Buffer[] = []
  readonly #headMax: number
  readonly #tailMax: number
  #headBytes = 0
  #tailBytes = 0
  cut = 0

  constructor(maxBytes: number) {
    this.#headMax = Math.floor(maxBytes / 4)
    this.#tailMax = maxBytes - this.#headMax
  }

  push(chunk: Buffer): void {
    const room = this.#headMax - this.#headBytes
    if (room > 0) {
      const part = chunk.subarray(0, room)
      this.#head.push(part)
      this.#headBytes += part.length
    }
    const rest = room > 0 ? chunk.subarray(room) : chunk
    if (rest.length === 0) return
    this.#tail.push(rest)
    this.#tailBytes += rest.length
    while (this.#tailBytes - this.#tail[0]!.length >= this.#tailMax) {
      const dropped = this.#tail.shift()!
      this.#tailBytes -= dropped.length
      this.cut += dropped.length
    }
  }

  text(): string {
    const head = Buffer.concat(this.#head).toString('utf8')
    const tail = Buffer.concat(this.#tail).toString('utf8')
    return this.cut === 0 ? head + tail : `${head}\n[${this.cut} bytes left out]\n${tail}`
  }
}

/** How long the pipes may stay open after the command itself has ended: a server it left behind may hold them. */
const PIPE_PATIENCE_MS = 500

/** Runs a command line in a shell and a process group of its own; nothing of it outlives this call in that group. */
export async function runCommand(dir: string, commandLine: string, options: CommandOptions): Promise<CommandResult> {
  const started = performance.now()
  const capture = new Capture(options.maxBytes ?? 16 * 1024 * 1024)
  const child = spawn(commandLine, {
    cwd: dir,
    shell: true,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true' },
  })
  child.stdout.on('data', (chunk: Buffer) => capture.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => capture.push(chunk))

  let ended: CommandResult['ended'] = 'exit'
  let gone = false
  let killing: Promise<void> | undefined
  const stop = (why: 'deadline' | 'aborted') => {
    if (gone || killing !== undefined || child.pid === undefined) return
    ended = why
    killing = killTree(child.pid, options.graceMs ?? 2_000, () => gone)
  }
  const onAbort = () => stop('aborted')
  const timer = setTimeout(() => stop('deadline'), options.deadlineMs)
  options.signal?.addEventListener('abort', onAbort, { once: true })
  if (options.signal?.aborted === true) onAbort()

  const result = await new Promise<{ code: number | null; problem?: string }>((resolve) => {
    child.once('error', (error) => {
      ended = 'not-started'
      resolve({ code: null, problem: error.message })
    })
    child.once('exit', (code) => {
      gone = true
      const patience = setTimeout(() => resolve({ code }), PIPE_PATIENCE_MS)
      child.once('close', () => {
        clearTimeout(patience)
        resolve({ code })
      })
    })
  })
  clearTimeout(timer)
  options.signal?.removeEventListener('abort', onAbort)
  await killing
  if (child.pid !== undefined) killGroup(child.pid)
  child.stdout.destroy()
  child.stderr.destroy()
  const ms = Math.round(performance.now() - started)
  return { output: capture.text(), cut: capture.cut, ended, ms, ...result }
}
