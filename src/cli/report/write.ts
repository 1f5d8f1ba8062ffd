import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { writeCopies } from '../../journal/readable-copy.ts'
import { writeFileAtomic } from '../../system/files.ts'
import { InputError } from '../errors.ts'
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

/** Into `.exitgate/` of the workspace, where the agent may have laid links: none is followed. Gives the path. */
export function writeIntoWorkspace(workspace: string, name: string, text: string): string {
  const problems = writeCopies(workspace, { [name]: text })
  const problem = problems.find((each) => each.includes(name)) ?? problems[0]
  if (problem !== undefined) throw new InputError(`${problem}; remove it, or name another file with --out FILE`)
  return resolve(workspace, '.exitgate', name)
}

/** Where a person wants it. A link that lies there is replaced, not written through. */
export function writeFile(path: string, text: string): string {
  try {
    writeFileAtomic(path, text, { mode: 0o644 })
    return path
  } catch (error) {
    const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
    throw new InputError(`--out ${path} cannot be written: ${why}; name a file in a folder that exists`)
  }
}
