import { spawn, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { patience } from '../timing.ts'

/** Why tests can't use tmux here, or undefined. */
export const noTmux =
  spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is needed to read the screen of a terminal'

/** A shell in a window of tmux: what the test reads is the screen, as you would see it. */
export interface Window {
  /** Waits until the screen shows it. */
  shows(pattern: RegExp): Promise<string>
  /** Keys by their tmux name, such as `Tab`, `PPage` and `q`. */
  press(...keys: readonly string[]): void
  type(text: string): void
  /** Closes the window, as if you closed the terminal. */
  close(): Promise<void>
}

interface WindowOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns: number
  readonly rows: number
}

let nth = 0

/** In control mode tmux tells when the screen changes, so nothing here waits for a while. */
export function openWindow({ cwd, env, columns, rows }: WindowOptions): Window {
  const socket = `exitgate-test-${process.pid}-${++nth}`
  const size = ['-x', String(columns), '-y', String(rows)]
  const tmux = spawn(
    'tmux',
    ['-C', '-L', socket, '-f', '/dev/null', 'new-session', ...size, `exec env PS1='READY> ' bash --norc --noprofile`],
    {
      cwd,
      env: { ...env, TERM: 'xterm-256color' },
    },
  )
  let screen = ''
  let asked = false
  let again = false
  let reply: string[] | undefined
  let left = ''
  const listeners = new Set<() => void>()
  const look = (): void => {
    again = asked
    if (!asked) tmux.stdin.write('capture-pane -p\n')
    asked = true
  }
  const read = (line: string): void => {
    if (line.startsWith('%begin')) reply = []
    else if (line.startsWith('%end') || line.startsWith('%error')) {
      if (reply !== undefined && reply.length > 1) {
        screen = reply.join('\n')
        asked = false
        if (again) look()
        for (const listener of [...listeners]) listener()
      }
      reply = undefined
    } else if (reply !== undefined) reply.push(line)
    else if (line.startsWith('%output')) look()
  }
  tmux.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (left + text).split('\n')
    left = lines.pop() ?? ''
    for (const line of lines) read(line)
  })
  tmux.stdin.on('error', () => {})
  const gone = new Promise<void>((resolve) => tmux.on('close', () => resolve()))
  const window: Window = {
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new Error(`${pattern} was never shown:\n${screen}`))
        const deadline = setTimeout(fail, patience(30_000))
        const test = (): void => {
          if (!pattern.test(screen)) return
          clearTimeout(deadline)
          listeners.delete(test)
          resolve(screen)
        }
        listeners.add(test)
        void gone.then(fail)
        test()
      }),
    press: (...keys) => void tmux.stdin.write(`send-keys ${keys.join(' ')}\n`),
    type: (text) => void tmux.stdin.write(`send-keys -l "${text.replace(/["\\$]/g, '\\$&')}"\n`),
    async close() {
      tmux.stdin.write('kill-server\n')
      tmux.stdin.end()
      await gone
    },
  }
  onTestFinished(() => window.close())
  return window
}
