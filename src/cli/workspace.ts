import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { InputError } from './errors.ts'

/** The folder that is decided about, by its real path. */
export function workspaceOf(cwd: string, dir: string | undefined): string {
  const path = resolve(cwd, dir ?? '.')
  try {
    if (statSync(path).isDirectory()) return realpathSync.native(path)
  } catch {
    throw new InputError(`--dir ${path} does not exist; name the folder of the project`)
  }
  throw new InputError(`--dir ${path} is not a folder; name the folder of the project`)
}
