import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { entriesOf } from '../../system/file-names.ts'
import { removeFolder, removeFolderSync } from '../../system/remove-folder.ts'
import { COPIED_SETTINGS, realHome, toolchainsIn } from '../../system/sandbox/sandbox.ts'
import { ownerState, readOwner, thisOwner } from '../red-proof/owner.ts'

/** Why there is no clean room here. The message is for the user. */
export class NoCleanRoom extends Error {}

const MOST_ROOMS = 8
const OWNER = 'owner.json'

/** In the run's folder, which a sandbox hides from the agent. */
export const roomsFolder = (stateDir: string): string => join(stateDir, 'rooms')

/** Without a sandbox the room is not below the home: tools look for settings in all folders above the project. */
export function temporaryRooms(stateDir: string): string {
  const id = createHash('sha256').update(stateDir).digest('hex').slice(0, 16)
  const folder = join(realpathSync.native(tmpdir()), `exitgate-rooms-${id}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid()))
    throw new NoCleanRoom(`${folder} belongs to someone else`)
  return folder
}

/** Removes the rooms of a run. What compilers built at its start stays if the run can be resumed. */
export async function removeRooms(stateDir: string, { isOver }: { readonly isOver: boolean }): Promise<void> {
  try {
    const kept = roomsFolder(stateDir)
    const numbered = entriesOf(kept).flatMap(({ name }) => (isOver || /^\d+$/.test(name) ? [join(kept, name)] : []))
    for (const folder of [...numbered, temporaryRooms(stateDir)]) await removeFolder(folder)
  } catch {
    // Something in there is in use. The next run uses the folder again.
  }
}

/** A home with the user's programs and nothing else, for commands without a sandbox. */
export function freshHome(home: string, env: Environment): string {
  removeFolderSync(home)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const userHome = realHome(env)
  for (const tool of toolchainsIn(userHome, env)) {
    const link = join(home, relative(userHome, tool))
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 })
    symlinkSync(tool, link)
  }
  for (const path of COPIED_SETTINGS) {
    if (!existsSync(join(userHome, path))) continue
    mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 })
    copyFileSync(join(userHome, path), join(home, path))
  }
  return home
}

/** A folder that no other process uses. It may have the files of an earlier room, which saves copying them. */
export function takePlace(rooms: string): string {
  mkdirSync(rooms, { recursive: true, mode: 0o700 })
  for (let number = 1; number <= MOST_ROOMS; number++) {
    const place = join(rooms, String(number))
    mkdirSync(place, { recursive: true, mode: 0o700 })
    if (isTaken(join(place, OWNER))) continue
    try {
      writeFileSync(join(place, OWNER), JSON.stringify(thisOwner()), { flag: 'wx', mode: 0o600 })
      return place
    } catch {
      // Another process was faster.
    }
  }
  throw new NoCleanRoom(`all ${MOST_ROOMS} folders in ${rooms} are in use`)
}

/** An owner that is being written, or one of another machine, counts for this long. */
const UNCLEAR_MS = { unwritten: 10_000, elsewhere: 24 * 60 * 60 * 1000 }

function isTaken(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return false
  const age = Date.now() - stat.mtimeMs
  const owner = readOwner(readFileSync(file, 'utf8'))
  const state = owner === undefined ? 'unwritten' : ownerState(owner)
  if (state === 'alive' || (state !== 'ended' && age < UNCLEAR_MS[state])) return true
  rmSync(file, { force: true })
  return false
}

export const releasePlace = (place: string): void => rmSync(join(place, OWNER), { force: true })
