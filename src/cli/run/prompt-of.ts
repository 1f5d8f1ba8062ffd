import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Loaded } from '../../config/load.ts'
import { InputError } from '../errors.ts'
import { isThere, readText } from '../read-text.ts'

/** Where older loops keep their prompt, too. */
const USUAL = ['PROMPT.md', '.ralph/PROMPT.md']
const MOST_MEGABYTES = 4

/**
 * The user's own prompt: from the file named by flag or configuration, else from the usual place, else none, because a command may
 * know what it has to do. A file that is there but has no prompt is an error: the agent would start without its task.
 */
export function promptOf(workspace: string, cwd: string, { config, sources }: Loaded, hasTask = false): string {
  const { prompt } = config.run
  if (prompt !== undefined) {
    const source = sources.get('run.prompt') ?? ''
    const file = resolve(source.startsWith('flag ') ? cwd : workspace, prompt)
    return promptIn(source.replace(/^flag /, ''), file)
  }
  const file = USUAL.map((name) => join(workspace, name)).find(isThere)
  if (file === undefined) return ''
  const stat = statSync(file, { throwIfNoEntry: false })
  // Opening a pipe that nobody writes to would never return.
  if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
    throw new InputError(`the prompt ${file} is not a regular file; write the prompt into a file of that name`)
  return promptIn('the prompt', file, hasTask || config.plan !== undefined)
}

function promptIn(what: string, file: string, mayBeEmpty = false): string {
  const text = readText(what, file, MOST_MEGABYTES)
  if (text.trim() === '' && !mayBeEmpty)
    throw new InputError(`${what} ${file} is empty; write into it what the agent should do, or remove it`)
  return text
}
