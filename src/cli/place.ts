import { resolve } from 'node:path'
import { type Place, stateDirFor } from '../journal/place.ts'
import type { Io } from './io.ts'

/** Where the journal of a workspace lives, for whoever runs the command. */
export function placeOf(workspace: string, stateDir: string | undefined, { cwd, env, home, platform }: Io): Place {
  return stateDirFor(workspace, {
    env,
    home,
    platform,
    ...(stateDir ? { stateDir: resolve(cwd, stateDir) } : stateDir === '' ? { stateDir } : {}),
  })
}
