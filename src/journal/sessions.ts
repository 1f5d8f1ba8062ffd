import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../system/digest.ts'
import { JOURNAL } from './load.ts'
import { readJournal } from './read.ts'

const FOLDER = 'sessions'

/** The name of an interactive session: its client, and a part of the hash of what the client calls it. */
export const sessionName = (client: string, session: string): string =>
  `${client}-${digest(`${client}\0${session}`).slice(0, 12)}`

/** The journal of an interactive session: beside that of the workspace, so that sessions and loops do not share iterations or a lock. */
export const sessionDir = (stateDir: string, name: string): string => join(stateDir, FOLDER, name)

/** The journal in which a run of a workspace was recorded: the names of sessions' runs end with the session's. */
export function journalOfRun(stateDir: string, run: string | undefined): string {
  if (run !== undefined) return sessionsOf(stateDir).find(({ name }) => run.endsWith(`-${name}`))?.dir ?? stateDir
  const decidedAt = (dir: string) => readJournal(dir).state.last?.at ?? 0
  const newest = sessionsOf(stateDir)
    .map(({ dir }) => ({ dir, at: decidedAt(dir) }))
    .sort((a, b) => b.at - a.at)[0]
  return newest !== undefined && newest.at > decidedAt(stateDir) ? newest.dir : stateDir
}

/** Every session of a workspace that has a journal, by name. */
export function sessionsOf(stateDir: string): readonly { readonly name: string; readonly dir: string }[] {
  try {
    return readdirSync(join(stateDir, FOLDER), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ name, dir: sessionDir(stateDir, name) }))
      .filter(({ dir }) => readdirSync(dir).includes(JOURNAL))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
