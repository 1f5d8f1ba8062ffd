import { dirname } from 'node:path'
import { compile } from '../evidence/compiled.ts'

/** Compiles the journal to plain JavaScript for child processes, and returns the folder. */
export function compileJournal(folder: string): string {
  compile(folder, 'src/journal/read.ts')
  return dirname(compile(folder, 'src/journal/log.ts'))
}
