import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type StatePlace, stateDirFor } from '../journal/place.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

/** Removes what killed processes left, while the command works. */
export let sweeping: Promise<unknown> | undefined

/** Where the journal of a workspace is, for the user who runs the command. */
export function placeOf(workspace: string, stateDir: string | undefined, { cwd, env, home, platform }: Io): StatePlace {
  const chosen = stateDir ? { stateDir: resolve(cwd, stateDir) } : stateDir === '' ? { stateDir } : {}
  const place = stateDirFor(workspace, { env, home, platform, ...chosen })
  sweeping = import('../evidence/clean-room/room-places.ts').then(({ sweep }) => sweep(place.dir))
  return place
}

/** The project folder, by its real path. */
export function workspaceOf(cwd: string, dir: string | undefined): string {
  const path = resolve(cwd, dir ?? '.')
  try {
    if (statSync(path).isDirectory()) return realpathSync.native(path)
  } catch {
    throw new InputError(`--dir ${path} does not exist. Pass the project folder.`)
  }
  throw new InputError(`--dir ${path} is not a folder. Pass the project folder.`)
}
