import { spawn } from 'node:child_process'
import type { Io } from './io.ts'

/** Shows a text in the user's pager if stdout is a terminal, else prints it. */
export async function showInPager(text: string, io: Io): Promise<void> {
  const pager = io.env.PAGER ?? (io.platform === 'win32' ? 'more' : 'less')
  const plain = io.stdout.isTTY !== true || io.env.TERM === 'dumb' || pager === '' || pager === 'cat'
  if (plain || !(await opened(pager, text, io))) io.stdout.write(text)
}

const IGNORED = ['SIGINT', 'SIGQUIT'] as const

/** Resolves to false if the pager could not show the text. */
function opened(pager: string, text: string, io: Io): Promise<boolean> {
  // Ctrl+C belongs to the pager: if this process ended first, the shell and the pager would share the terminal.
  const ignore = (): void => {}
  for (const signal of IGNORED) process.on(signal, ignore)
  return new Promise<boolean>((resolve) => {
    // Colors, no clearing of the screen, and no paging of a text that fits.
    const child = spawn(pager, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', ...io.env } as NodeJS.ProcessEnv,
    })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code !== 126 && code !== 127))
    // You may quit before the pager has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  }).finally(() => {
    for (const signal of IGNORED) process.off(signal, ignore)
  })
}
