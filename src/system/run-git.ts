import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { awake } from './awake-clock.ts'
import { decodeNames } from './file-names.ts'
import { killTreeNow } from './kill-tree.ts'
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
export function runGit(args: readonly string[], call: GitCall): Promise<GitRun> {
  const { cwd, env, input, encoding, deadlineMs = DEADLINE_MS } = call
  return new Promise((resolve) => {
    const settings = { cwd, env, detached: process.platform !== 'win32', windowsHide: true }
    const { child, command } = startCommand(
      randomBytes(8).toString('hex'),
      (): ChildProcess => spawn('git', args, settings),
    )
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
      commandEnded(command)
      const whole = Buffer.concat(out)
      const text = encoding === 'names' ? decodeNames(whole) : whole.toString(encoding)
      resolve({ out: text, said, code, ...(error && { error }), ...(cut && { cut }) })
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
    // A failed git doesn't read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
