import { dirname } from 'node:path'
import { compile } from '../evidence/compiled.ts'

/** The journal and all that it needs as plain JavaScript, for child processes that run on bare Node. Gives its folder. */
export function compileJournal(folder: string): string {
  compile(folder, 'src/journal/read.ts')
  return dirname(compile(folder, 'src/journal/log.ts'))
}
