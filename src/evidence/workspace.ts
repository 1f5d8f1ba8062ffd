import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Environment, scrubbed } from '../system/environment.ts'
import { askGit } from '../system/git.ts'
import { insideOf, readTextFile } from '../system/read-file.ts'
import { runCommand } from '../system/run-command.ts'
import { listFiles } from './list-files.ts'
import type { Ran, RunOptions, Workspace } from './types.ts'

export interface WorkspaceOptions {
  /** The environment that commands get after it was scrubbed; our own when absent. */
  readonly env?: Environment
  /** Variables that the user lets through although they look like secrets. */
  readonly allow?: readonly string[]
}

/** The one handle through which every check sees the workspace. */
export function openWorkspace(dir: string, { env = process.env, allow = [] }: WorkspaceOptions = {}): Workspace {
  const real = realPath(dir)
  return {
    dir: real,
    read: (path) => readTextFile(real, path),
    list: () => listFiles(real, env),
    git: async (args) => {
      const { out, problem } = await askGit(real, args, env)
      return problem === undefined ? out : undefined
    },
    run: (command, { cwd = '', env: added = {}, ...options }: RunOptions): Promise<Ran> => {
      const folder = insideOf(real, cwd)
      if (folder === undefined) return Promise.resolve(notStarted(`there is no folder ${cwd} in the workspace`))
      return runCommand(folder, command, { ...options, env: { ...scrubbed(env, allow), ...added } })
    },
  }
}

/** A folder that is not there answers every question with nothing instead of throwing. */
function realPath(dir: string): string {
  const full = resolve(dir)
  try {
    return realpathSync.native(full)
  } catch {
    return full
  }
}

const notStarted = (problem: string): Ran => ({ code: null, ended: 'not-started', output: '', cut: 0, ms: 0, problem })
