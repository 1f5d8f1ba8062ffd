import { accessSync, constants, lstatSync, mkdtempSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { journalError } from '../journal/errors.ts'
import { type StatePlace, stateDirFor } from '../journal/place.ts'
import { errorCode } from '../system/files.ts'
import { fileError, InputError } from './errors.ts'
import { type Io, meanwhile } from './io.ts'

/** Where the journal of a workspace is, for the user who runs the command. */
export function placeOf(workspace: string, stateDir: string | undefined, { cwd, env, home, platform }: Io): StatePlace {
  const chosen = stateDir ? { stateDir: resolve(cwd, stateDir) } : stateDir === '' ? { stateDir } : {}
  const place = stateDirFor(workspace, { env, home, platform, ...chosen })
  assertUsable(dirname(place.dir))
  // What killed processes left.
  meanwhile.push(import('../evidence/clean-room/room-places.ts').then(({ sweep }) => sweep(place.dir)))
  return place
}

const READ = constants.R_OK | constants.X_OK

/** A state folder that can't be read or made would look like one without runs. */
function assertUsable(root: string): void {
  try {
    let nearest = root
    while (lstatSync(nearest, { throwIfNoEntry: false }) === undefined) nearest = dirname(nearest)
    if (nearest === root) accessSync(`${root}/.`, READ)
    else rmdirSync(mkdtempSync(join(nearest, '.exitgate-')))
  } catch (error) {
    throw journalError('open the journal', root, error)
  }
}

/** Every test run needs it. */
export function assertTemporaryFolder(): void {
  try {
    accessSync(`${tmpdir()}/.`, constants.W_OK)
  } catch (error) {
    throw new InputError(
      `The temporary folder ${tmpdir()} can't be used (${errorCode(error)}). Set TMPDIR to a folder you can write to.`,
    )
  }
}

/** The project folder, by its real path. */
export function workspaceOf(cwd: string, dir: string | undefined): string {
  const path = resolve(cwd, dir ?? '.')
  try {
    if (statSync(path).isDirectory()) {
      accessSync(path, READ)
      return realpathSync.native(path)
    }
  } catch (error) {
    throw fileError(dir === undefined ? 'The project folder' : '--dir', path, error)
  }
  throw new InputError(`--dir ${path} is not a folder. Pass the project folder.`)
}
