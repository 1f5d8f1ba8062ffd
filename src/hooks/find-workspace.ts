import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { stateDirFor } from '../journal/place.ts'
import { type Goal, goalOf } from './goal.ts'
import type { Environment } from './hook-client.ts'
import { approvedHash } from './trust-file.ts'

/** The environment of a hook. */
export interface HookContext {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly platform: string
  readonly stateDir?: string
  now(): number
  /** When this process started, on the same clock. */
  readonly started: number
  /** Milliseconds since this process started. */
  age(): number
}

export interface FoundWorkspace {
  readonly workspace: string
  readonly stateDir: string
  readonly goal?: Goal
}

const MAX_FOLDERS = 64

/**
 * The workspace of a stop: the folder with a goal, else an approved folder, else the repository. The agent may be in a subfolder, so
 * every parent folder up to the repository is searched.
 */
export function findWorkspace(folders: readonly string[], world: HookContext): FoundWorkspace {
  const named = folders.filter((folder) => isAbsolute(folder))
  const places = [...new Set((named.length === 0 ? [world.cwd] : named).flatMap(foldersUpTo))].map((workspace) => ({
    workspace,
    stateDir: stateDirFor(workspace, world).dir,
  }))
  for (const place of places) {
    const goal = goalOf(place.stateDir)
    if (goal !== undefined) return { ...place, goal }
  }
  return (
    places.find(({ stateDir }) => approvedHash(stateDir) !== undefined) ??
    places.find(({ workspace }) => existsSync(join(workspace, '.git'))) ??
    places[0]!
  )
}

/** The folder and its parents up to the repository; outside a repository, only the folder. */
function foldersUpTo(start: string): readonly string[] {
  let real = start
  try {
    real = realpathSync.native(start)
  } catch {
    // A folder that the agent deleted is still its folder.
  }
  const folders: string[] = []
  for (let folder = real; folders.length < MAX_FOLDERS; folder = dirname(folder)) {
    folders.push(folder)
    if (existsSync(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) break
  }
  return [real]
}
