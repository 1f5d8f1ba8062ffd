import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { awake } from './awake-clock.ts'
import { killTreeNow } from './kill-tree.ts'
import { begin, ended } from './running-commands.ts'

interface GitCall {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: Buffer | undefined
  readonly encoding: 'utf8' | 'latin1'
  /** What goes over a network may take longer. */
  readonly deadlineMs?: number
}

/** How git ended, and what it printed until then. */
export interface GitRun {
  readonly out: string
  readonly said: string
  /** Null when a signal ended it, or it did not start. */
  readonly code: number | null
  /** Why it did not start. */
  readonly error?: NodeJS.ErrnoException
  /** Why we ended it. */
  readonly cut?: 'late' | 'too long'
}

const MOST_BYTES = 256 * 1024 * 1024
const DEADLINE_MS = 60_000
/** Of its complaints only a line is shown. */
const MOST_SAID = 64 * 1024

/**
 * Runs git in a process group of its own: a Ctrl+C in the terminal reaches everybody in ours, and must not cut a commit that is
 * being written for the run.
 */
export function runGit(args: readonly string[], call: GitCall): Promise<GitRun> {
  const { cwd, env, input, encoding, deadlineMs = DEADLINE_MS } = call
  return new Promise((resolve) => {
    const settings = { cwd, env, detached: process.platform !== 'win32', windowsHide: true }
    const { child, command } = begin(randomBytes(8).toString('hex'), (): ChildProcess => spawn('git', args, settings))
    const out: Buffer[] = []
    let said = ''
    let bytes = 0
    let error: NodeJS.ErrnoException | undefined
    let cut: GitRun['cut']
    const end = (why: GitRun['cut']): void => {
      cut ??= why
      killTreeNow(command)
    }
    const stopClock = awake.after(deadlineMs, () => end('late'))
    const over = (code: number | null): void => {
      stopClock()
      ended(command)
      const whole = Buffer.concat(out).toString(encoding)
      resolve({ out: whole, said, code, ...(error && { error }), ...(cut && { cut }) })
    }
    child.stdout?.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > MOST_BYTES) end('too long')
      else out.push(piece)
    })
    child.stderr?.on('data', (piece: Buffer) => {
      if (said.length < MOST_SAID) said += piece
    })
    child.once('error', (why) => {
      error = why
      if (child.pid === undefined) over(null)
    })
    child.once('close', (code) => {
      if (child.pid !== undefined) over(code)
    })
    // Git that has failed already does not read what it was to get.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
