import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach } from 'vitest'

const hasPty = process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0
/** Why a test in a real terminal cannot run here; undefined when it can. */
export const noTerminal = hasPty ? undefined : 'python3 with its module pty is needed for a real terminal'

/** A real terminal with a command in it. */
export interface Terminal {
  /** Every byte it showed so far. */
  readonly bytes: () => string
  /** The same without what only steers it. */
  readonly text: () => string
  /** Waits until text shows that was not there at the last call; fails when the command ends before. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** As from the keyboard: what means something to the terminal, such as Ctrl+C, has its effect. */
  type(keys: string): void
  resize(rows: number, columns: number): void
  /** As if its window were closed. */
  close(): void
  /** The exit code of the command. */
  readonly ended: Promise<number>
}

export const CTRL_C = '\u0003'
export const CTRL_Z = '\u001a'

interface TerminalOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly rows?: number
  readonly columns?: number
}

const open: { kill(): void; readonly ended: Promise<number> }[] = []
afterEach(async () => {
  for (const { kill, ended } of open.splice(0)) {
    kill()
    await ended
  }
})

export function openTerminal(
  argv: readonly string[],
  { cwd, env, rows = 24, columns = 80 }: TerminalOptions,
): Terminal {
  const python = join(import.meta.dirname, 'in-terminal.py')
  const child = spawn('python3', [python, String(rows), String(columns), ...argv], {
    cwd,
    env: { TERM: 'xterm-256color', ...env },
  })
  let bytes = ''
  let errors = ''
  let taken = 0
  let over: string | undefined
  const listeners = new Set<() => void>()
  const heard = () => {
    for (const each of [...listeners]) each()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    bytes += text
    heard()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdin.on('error', () => {})
  const wish = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`)
  const ended = new Promise<number>((resolve) => {
    child.on('close', (code) => {
      over = `it ended with ${code}${errors}`
      heard()
      resolve(code ?? -1)
    })
  })
  const text = (): string => shown(bytes)
  open.push({ kill: () => child.stdin.end(), ended })
  return {
    bytes: () => bytes,
    text,
    ended,
    type: (keys) => wish({ type: keys }),
    resize: (height, width) => wish({ size: [height, width] }),
    close: () => wish({ close: true }),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(text().slice(taken))
          if (found !== null) {
            taken += found.index + found[0].length
            resolve(found)
          } else if (over !== undefined) reject(new Error(`${pattern} was never shown; ${over}:\n${text()}`))
          else return
          listeners.delete(look)
        }
        listeners.add(look)
        look()
      }),
  }
}

/** Moves of the cursor begin a new line here; colours, modes and titles are left out. A sequence that is not whole yet is left out too. */
const shown = (bytes: string): string =>
  bytes
    .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replace(/\u001b\[[0-9;]*H/g, '\n')
    .replace(/\u001b\[[?0-9;]*[A-Za-z]/g, '')
    .replace(/\u001b[^\n]*$/, '')
    .replace(/\r/g, '')
