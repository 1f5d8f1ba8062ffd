import { plain } from '../../reports/verdict-text.ts'
import { journalsBeside, reading, type Unreadable } from '../history/journals.ts'
import type { Io } from '../io.ts'

/** Looks at the journal of a workspace; with `all` at every one in the state folder, and those that cannot be read are named. */
export function lookAt(
  dir: string,
  all: boolean | undefined,
  io: Io,
  look: (dir: string, project?: string) => void,
): readonly Unreadable[] {
  if (!all) {
    look(dir)
    return []
  }
  const broken = reading(journalsBeside(dir), look)
  for (const { project, problem } of broken)
    io.stderr.write(`exitgate: ${plain(project)} is left out: ${plain(problem)}\n`)
  return broken
}
