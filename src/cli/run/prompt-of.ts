import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Loaded } from '../../config/load.ts'
import { fileError } from '../errors.ts'

/** Where older loops keep their prompt, too. */
const USUAL = ['PROMPT.md', '.ralph/PROMPT.md']
const LARGEST = 4 * 1024 * 1024

export interface Prompted {
  readonly text: string
  /** The file it came from. */
  readonly file?: string
}

/** The user's own words: from the file named by flag or configuration, else from the usual place. */
export function promptOf(workspace: string, cwd: string, { config, sources }: Loaded): Prompted {
  const { prompt } = config.run
  if (prompt !== undefined) {
    const source = sources.get('run.prompt') ?? ''
    const file = resolve(source.startsWith('flag ') ? cwd : workspace, prompt)
    return { text: textOf(source.replace(/^flag /, ''), file), file }
  }
  for (const name of USUAL) {
    const file = join(workspace, name)
    try {
      return { text: textOf('the prompt', file), file }
    } catch {
      // The next place, or none: a command may know what it has to do.
    }
  }
  return { text: '' }
}

function textOf(what: string, file: string): string {
  try {
    const bytes = readFileSync(file)
    if (bytes.length > LARGEST) throw new Error(`it is larger than ${LARGEST / 1024 / 1024} MB`)
    return bytes.toString('utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw fileError(what, file, error)
  }
}
