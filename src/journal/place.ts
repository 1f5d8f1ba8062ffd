import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { digest } from '../system/digest.ts'
import { JournalError } from './errors.ts'

export interface PlaceOptions {
  /** The value of --state-dir. */
  readonly stateDir?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly home: string
}

export interface StatePlace {
  readonly dir: string
  /** Set if the agent can write to the journal. */
  readonly warning?: string
}

/** The folder of a workspace's journal. It is outside the workspace unless the user chooses otherwise. */
export function stateDirFor(workspace: string, options: PlaceOptions): StatePlace {
  const real = realPath(resolve(workspace))
  const root = realPath(stateRoot(options))
  const dir = join(root, folderName(real))
  if (dir !== real && !dir.startsWith(real.endsWith(sep) ? real : real + sep)) return { dir }
  return {
    dir,
    warning: `the state folder ${dir} is inside the workspace, so the agent can change it. Choose another one with --state-dir.`,
  }
}

function stateRoot({ stateDir, env, platform, home }: PlaceOptions): string {
  const explicit = stateDir ?? env.EXITGATE_STATE_DIR
  if (explicit !== undefined) {
    if (explicit.trim() !== '') return resolve(explicit)
    const name = stateDir === undefined ? 'EXITGATE_STATE_DIR' : '--state-dir'
    throw new JournalError(`${name} is empty. Set it to a folder for the journal.`, 64)
  }
  const xdg = env.XDG_STATE_HOME
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'exitgate')
  const local = env.LOCALAPPDATA
  if (platform === 'win32' && local !== undefined && isAbsolute(local)) return join(local, 'exitgate')
  if (!isAbsolute(home)) {
    throw new JournalError('no home folder found for the journal. Choose a folder with --state-dir.', 64)
  }
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'exitgate')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'exitgate')
  return join(home, '.local', 'state', 'exitgate')
}

/** Readable, and unique even for workspaces with the same name. */
function folderName(workspace: string): string {
  const name = basename(workspace)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40)
  return `${name || 'root'}-${digest(workspace).slice(0, 12)}`
}

/** Resolves links in the part of the path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
