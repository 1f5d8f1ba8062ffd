import { plain } from '../../reports/verdict-text.ts'
import { journalsBeside, reading, type Unreadable } from '../history/journals.ts'
import type { Io } from '../io.ts'

/** Reads a journal that `exitgate reset` has put aside; it may be there because it is damaged. */
export type Aside = (folder: string, read: (folder: string) => void) => void

/** Looks at the journal of a workspace; with `all` at every one in the state folder, and those that cannot be read are named. */
export function lookAt(
  dir: string,
  all: boolean | undefined,
  io: Io,
  look: (dir: string, project: string | undefined, aside: Aside) => void,
): readonly Unreadable[] {
  const damaged: Unreadable[] = []
  const aside: Aside = (folder, read) => damaged.push(...reading([folder], read))
  const broken = all ? reading(journalsBeside(dir), (each, project) => look(each, project, aside)) : []
  if (!all) look(dir, undefined, aside)
  const left = [...damaged, ...broken]
  for (const { project, problem } of left)
    io.stderr.write(`exitgate: ${plain(project)} is left out: ${plain(problem)}\n`)
  return left
}
