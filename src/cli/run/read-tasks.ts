import { dirname, resolve } from 'node:path'
import { readBacklog, type TextOf } from '../../backlog/read.ts'
import type { Backlog } from '../../backlog/types.ts'
import { InputError } from '../errors.ts'
import { readText } from '../read-text.ts'

const MOST_MEGABYTES = 16

/** Reads a list of tasks. Paths of prompt files in it are relative to the list. */
export function readTasks(name: string, cwd: string): { readonly backlog: Backlog; readonly path: string } {
  const path = resolve(cwd, name)
  const textOf: TextOf = (file) => {
    const target = resolve(dirname(path), file)
    try {
      return { text: readText('', target, MOST_MEGABYTES) }
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return { problem: error.message.slice(error.message.indexOf(target) + target.length).trim() }
    }
  }
  const read = readBacklog(readText('--tasks', path, MOST_MEGABYTES), name, textOf)
  if ('problems' in read) throw new InputError(read.problems.join('\n'))
  return { backlog: read.backlog, path }
}
