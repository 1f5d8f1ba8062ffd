import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const hasPty = process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0
/** Why tests can't open a real terminal here, or undefined. */
export const noTerminal = hasPty ? undefined : 'python3 with its module pty is needed for a real terminal'

/** A real terminal that runs a command. */
export interface Terminal {
  /** Everything printed so far, as raw bytes. */
  readonly bytes: () => string
  /** The same without control sequences. */
  readonly text: () => string
  /** Waits for new text since the last call; fails if the command ends first. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** Types like a keyboard: Ctrl+C and other control keys have their effect. */
  type(keys: string): void
  /** Types these keys when the question is shown. Unlike `shows`, it takes no text away. */
  answer(question: RegExp, keys: string): void
  resize(rows: number, columns: number): void
  /** Acts as if you closed the window, and waits until it is closed. */
  close(): Promise<void>
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
  const closed = new Promise<void>((resolve) => child.stdout.on('end', resolve))
  const text = (): string => shown(bytes)
  onTestFinished(async () => {
    child.stdin.end()
    await ended
  })
  return {
    bytes: () => bytes,
    text,
    ended,
    type: (keys) => wish({ type: keys }),
    resize: (height, width) => wish({ size: [height, width] }),
    close: () => {
      wish({ close: true })
      return closed
    },
    answer: (question, keys) => {
      const look = (): void => {
        if (!question.test(text())) return
        listeners.delete(look)
        wish({ type: keys })
      }
      listeners.add(look)
    },
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

/** Cursor moves start a new line here. Colours, modes, titles and incomplete sequences are removed. */
const shown = (bytes: string): string =>
  bytes
    .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replace(/\u001b\[[0-9;]*H/g, '\n')
    .replace(/\u001b\[[?0-9;]*[A-Za-z]/g, '')
    .replace(/\u001b[^\n]*$/, '')
    .replace(/\r/g, '')
