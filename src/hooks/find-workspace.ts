import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { stateDirFor } from '../journal/place.ts'
import { type Goal, goalOf } from './goal.ts'
import type { Environment } from './host.ts'
import { approvedHash } from './trust-file.ts'

/** The world as a hook sees it. */
export interface HookContext {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  readonly platform: string
  readonly stateDir?: string
  now(): number
  /** Milliseconds since this process began. */
  age(): number
}

export interface FoundWorkspace {
  readonly workspace: string
  readonly stateDir: string
  readonly goal?: Goal
}

const MOST_FOLDERS = 64

/**
 * The workspace of a stop: the folder of a goal, else one that a person approved, else the repository. The agent may have gone
 * into a folder below, so every folder above counts up to the one that holds the repository.
 */
export function findWorkspace(folders: readonly string[], world: HookContext): FoundWorkspace {
  const named = folders.filter((folder) => isAbsolute(folder))
  const places = [...new Set((named.length === 0 ? [world.cwd] : named).flatMap(upwards))].map((workspace) => ({
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

/** The folder and those above it, up to the repository; outside of one, the folder alone. */
function upwards(start: string): readonly string[] {
  const real = realPath(start)
  const folders: string[] = []
  for (let folder = real; folders.length < MOST_FOLDERS; folder = dirname(folder)) {
    folders.push(folder)
    if (existsSync(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) break
  }
  return [real]
}

/** A folder that the agent has deleted is still the folder it worked in. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
