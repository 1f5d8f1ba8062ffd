import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { digest } from '../system/digest.ts'
import { JournalError } from './errors.ts'

export interface PlaceOptions {
  /** As given with --state-dir. */
  readonly stateDir?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly home: string
}

export interface Place {
  readonly dir: string
  /** Said when the journal lies where the agent works. */
  readonly warning?: string
}

/** Where the journal of a workspace lives: outside of it unless somebody wants otherwise, one folder for each. */
export function stateDirFor(workspace: string, options: PlaceOptions): Place {
  const real = realPath(resolve(workspace))
  const root = realPath(stateRoot(options))
  const dir = join(root, folderName(real))
  if (dir !== real && !dir.startsWith(real.endsWith(sep) ? real : real + sep)) return { dir }
  return { dir, warning: `the journal's folder ${dir} lies inside the workspace: the agent can reach it` }
}

function stateRoot({ stateDir, env, platform, home }: PlaceOptions): string {
  const chosen = stateDir ?? env.EXITGATE_STATE_DIR
  if (chosen !== undefined) {
    if (chosen.trim() !== '') return resolve(chosen)
    const name = stateDir === undefined ? 'EXITGATE_STATE_DIR' : '--state-dir'
    throw new JournalError(`${name} is empty: name a folder for the journal`, 64)
  }
  const xdg = env.XDG_STATE_HOME
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'exitgate')
  const local = env.LOCALAPPDATA
  if (platform === 'win32' && local !== undefined && isAbsolute(local)) return join(local, 'exitgate')
  if (!isAbsolute(home)) {
    throw new JournalError('no home folder is known to keep the journal in: name a folder with --state-dir', 64)
  }
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'exitgate')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'exitgate')
  return join(home, '.local', 'state', 'exitgate')
}

/** Readable for people, and different for two workspaces of the same name. */
function folderName(workspace: string): string {
  const name = basename(workspace)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40)
  return `${name || 'root'}-${digest(workspace).slice(0, 12)}`
}

/** The path without links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
