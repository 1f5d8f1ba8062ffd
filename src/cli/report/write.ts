import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { writeCopies } from '../../journal/readable-copy.ts'
import { writeFileAtomic } from '../../system/files.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'

const OPENERS: Readonly<Record<string, readonly string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/** Opens the page with the system's default program. Returns false if there is none. */
export function openPage(path: string, io: Io): Promise<boolean> {
  const [command = 'xdg-open', ...args] = OPENERS[io.platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const child = spawn(command, [...args, path], { stdio: 'ignore', detached: true, env: { ...io.env } })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

/** Writes to `.exitgate/` in the workspace. Never follows a link: the agent may have put one there. Returns the path. */
export function writeIntoWorkspace(workspace: string, name: string, text: string): string {
  const problems = writeCopies(workspace, { [name]: text })
  const problem = problems.find((each) => each.includes(name)) ?? problems[0]
  if (problem !== undefined) throw new InputError(`${problem}; remove it, or pass another file with --out FILE`)
  return resolve(workspace, '.exitgate', name)
}

/** Writes to the user's file. Replaces an existing link instead of following it. */
export function writeFile(path: string, text: string): string {
  try {
    writeFileAtomic(path, text, { mode: 0o644 })
    return path
  } catch (error) {
    const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
    throw new InputError(`--out ${path} can't be written: ${why}. Pass a file in an existing folder.`)
  }
}
