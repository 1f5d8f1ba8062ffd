import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../system/digest.ts'
import { JOURNAL } from './load.ts'
import { readJournal } from './read.ts'

const FOLDER = 'sessions'

/** The name of an interactive session: its client, and part of a hash of the client's session id. */
export const sessionName = (client: string, session: string): string =>
  `${client}-${digest(`${client}\0${session}`).slice(0, 12)}`

/** The journal folder of an interactive session. It is separate, so that sessions and loops share no iterations and no lock. */
export const sessionDir = (stateDir: string, name: string): string => join(stateDir, FOLDER, name)

/** The journal that recorded a run. Run names of sessions end with the name of the session. */
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
