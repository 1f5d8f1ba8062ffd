import { copyFileSync, existsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { entriesOf } from '../../system/file-names.ts'
import { makeFolder } from '../../system/files.ts'
import { removeFolder, removeFolderSync } from '../../system/remove-folder.ts'
import { COPIED_SETTINGS, realHome, toolchainsIn } from '../../system/sandbox/sandbox.ts'
import { makeTemporaryFolder, sweepTemporaryFolders } from '../../system/temporary-folder.ts'

/** Why there is no clean room here. The message is for the user. */
export class NoCleanRoom extends Error {}

/** In the run's folder, which a sandbox hides from the agent. */
export const roomsFolder = (stateDir: string): string => join(stateDir, 'rooms')

/** Rooms of this process that no claim uses, by their run and where they are. The next claim takes one, which saves copying. */
const free = new Map<string, string[]>()

/** A folder for a room. It may have the files of an earlier room. */
export const takePlace = (stateDir: string, rooms: string): string =>
  free.get(`${stateDir}\0${rooms}`)?.pop() ?? makeTemporaryFolder('room', rooms)

export function releasePlace(stateDir: string, rooms: string, place: string): void {
  const key = `${stateDir}\0${rooms}`
  free.set(key, [...(free.get(key) ?? []), place])
}

/** Removes the rooms of a run that no claim uses. */
export async function removeRooms(stateDir: string): Promise<void> {
  for (const [key, places] of free) {
    if (!key.startsWith(`${stateDir}\0`)) continue
    free.delete(key)
    // If something in there is in use, a later command removes it.
    for (const place of places) await removeFolder(place).catch(() => {})
  }
}

/** Removes what killed processes left, also those of other projects. */
export function sweep(stateDir: string): Promise<void> {
  const states = dirname(stateDir)
  const rooms = entriesOf(states).map(({ name }) => roomsFolder(join(states, name)))
  return sweepTemporaryFolders([tmpdir(), ...rooms]).catch(() => {})
}

/** A home with the user's programs and nothing else, for commands without a sandbox. */
export function freshHome(home: string, env: Environment): string {
  removeFolderSync(home)
  makeFolder(home)
  const userHome = realHome(env)
  for (const tool of toolchainsIn(userHome, env)) {
    const link = join(home, relative(userHome, tool))
    makeFolder(dirname(link))
    symlinkSync(tool, link)
  }
  for (const path of COPIED_SETTINGS) {
    if (!existsSync(join(userHome, path))) continue
    makeFolder(dirname(join(home, path)))
    copyFileSync(join(userHome, path), join(home, path))
  }
  return home
}
