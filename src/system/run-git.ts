import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { awake } from './awake-clock.ts'
import { decodeNames } from './file-names.ts'
import { killTreeNow } from './kill-tree.ts'
import type { StartedCommand } from './processes.ts'
import { commandEnded, startCommand } from './running-commands.ts'

export interface GitCall {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: Buffer | undefined
  /** `names` for file names, which may not be UTF-8. */
  readonly encoding: 'utf8' | 'latin1' | 'names'
  /** Network operations may take longer. */
  readonly deadlineMs?: number
}

/** How git ended, and its output. */
export interface GitRun {
  readonly out: string
  readonly said: string
  /** Null if a signal ended it, or it didn't start. */
  readonly code: number | null
  /** Why it didn't start. */
  readonly error?: NodeJS.ErrnoException
  /** Why exitgate ended it. */
  readonly cut?: 'late' | 'too long'
}

const MOST_BYTES = 256 * 1024 * 1024
const DEADLINE_MS = 60_000
/** Only one line of stderr is shown. */
const MOST_SAID = 64 * 1024

/** Runs git in its own process group, so that Ctrl+C in the terminal doesn't interrupt a commit. */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitRun> {
  const { cwd, env, input } = call
  return new Promise((resolve) => {
    const settings = { cwd, env, detached: process.platform !== 'win32', windowsHide: true }
    const { child, command } = startCommand(newId(), (): ChildProcess => spawn('git', args, settings))
    const output = collect(command, call)
    let error: NodeJS.ErrnoException | undefined
    const over = (code: number | null): void => {
      commandEnded(command)
      resolve({ ...output.end(code), ...(error && { error }) })
    }
    child.stdout?.on('data', output.out)
    child.stderr?.on('data', output.said)
    child.once('error', (why) => {
      error = why
      if (child.pid === undefined) over(null)
    })
    child.once('close', (code) => {
      if (child.pid !== undefined) over(code)
    })
    // A failed git doesn't read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

const newId = (): string => randomBytes(8).toString('hex')

/** Keeps what git prints, and ends it if that is too much or takes too long. */
function collect(command: StartedCommand, { encoding, deadlineMs = DEADLINE_MS }: GitCall) {
  const pieces: Buffer[] = []
  let said = ''
  let bytes = 0
  let cut: GitRun['cut']
  const stop = (why: GitRun['cut']): void => {
    cut ??= why
    killTreeNow(command)
  }
  const stopClock = awake.after(deadlineMs, () => stop('late'))
  return {
    out(piece: Buffer): void {
      bytes += piece.length
      if (bytes > MOST_BYTES) stop('too long')
      else pieces.push(piece)
    },
    said(piece: Buffer): void {
      if (said.length < MOST_SAID) said += piece
    },
    end(code: number | null): GitRun {
      stopClock()
      const whole = Buffer.concat(pieces)
      const out = encoding === 'names' ? decodeNames(whole) : whole.toString(encoding)
      return { out, said, code, ...(cut && { cut }) }
    },
  }
}
