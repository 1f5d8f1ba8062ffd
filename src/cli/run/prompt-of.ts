import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Loaded } from '../../config/load.ts'
import { InputError } from '../errors.ts'
import { assertReadable, isThere, readText } from '../read-text.ts'

/** The second is where older loops keep it. */
const USUAL = ['PROMPT.md', '.ralph/PROMPT.md']
const MOST_MEGABYTES = 4

/**
 * The user's prompt: from the file in the option or configuration, else from the usual place. It may be missing: a command may know
 * what to do. An existing file without a prompt is an error, because the agent would start without its task.
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
  assertReadable('The prompt', file)
  const stat = statSync(file, { throwIfNoEntry: false })
  // Opening a pipe without a writer would never return.
  if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
    throw new InputError(`The prompt ${file} is not a regular file. Replace it with a file.`)
  return promptIn('The prompt', file, hasTask || config.plan !== undefined)
}

function promptIn(what: string, file: string, mayBeEmpty = false): string {
  const text = readText(what, file, MOST_MEGABYTES)
  if (text.trim() === '' && !mayBeEmpty)
    throw new InputError(`${what} ${file} is empty. Write what the agent should do, or remove the file.`)
  return text
}
