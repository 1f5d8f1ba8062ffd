import { spawn } from 'node:child_process'
import type { Io } from '../io.ts'

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Hands the page to the program that the system has for it. Gives false when there is none. */
export function openPage(path: string, io: Io): Promise<boolean> {
  const [command = 'xdg-open', ...words] = OPENERS[io.platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const child = spawn(command, [...words, path], { stdio: 'ignore', detached: true, env: { ...io.env } })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
