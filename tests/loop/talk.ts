import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name)

/** A process with line-based input and output. */
export interface Talk {
  readonly child: ChildProcessWithoutNullStreams
  /** All its output so far. */
  said(): string
  /** Waits for the next line that matches. Fails if the process ends first. */
  hears(pattern: RegExp): Promise<string>
  say(line: string): void
  /** The exit code, or the name of the signal. */
  readonly ended: Promise<number | string>
}

export function talkTo(argv: readonly string[], env: Readonly<Record<string, string>> = {}, detached = false): Talk {
  const [program = '', ...args] = argv
  const child = spawn(program, args, { env: { PATH: process.env.PATH ?? '', ...env }, detached })
  let said = ''
  let taken = 0
  let over: string | undefined
  const listeners = new Set<() => void>()
  const heard = () => {
    for (const each of [...listeners]) each()
  }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      heard()
    })
  child.stdin.on('error', () => {})
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => {
      over = `it ended with ${code ?? signal}`
      heard()
      resolve(code ?? signal ?? '')
    })
  })
  const talk: Talk = {
    child,
    said: () => said,
    say: (line) => void child.stdin.write(line),
    ended,
    hears: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const lines = said.slice(taken).split('\n').slice(0, -1)
          const found = lines.findIndex((line) => pattern.test(line))
          if (found >= 0) {
            taken += lines.slice(0, found + 1).join('\n').length + 1
            resolve(lines[found] ?? '')
          } else if (over !== undefined) reject(new Error(`${pattern} was never printed; ${over}:\n${said}`))
          else return
          listeners.delete(look)
        }
        listeners.add(look)
        look()
      }),
  }
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return talk
}

const hasPty = process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0
/** Why tests can't use a real terminal here; undefined if they can. */
export const noTerminal = hasPty ? undefined : 'needs python3 with the pty module for a real terminal'

/** The same in its own terminal. */
export const inTerminal = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Talk =>
  talkTo(['python3', fixture('in-terminal.py'), ...argv], env)
