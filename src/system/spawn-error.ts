import { existsSync } from 'node:fs'
import { errorCode } from './files.ts'

/** Explains why a program couldn't be started. If the folder is missing, the system blames the program. */
export function spawnProblem(dir: string, command: string | readonly string[], error: Error): string {
  if (!existsSync(`${dir}/.`)) return `the folder ${dir} does not exist`
  const code = errorCode(error)
  const name = typeof command === 'string' ? 'the shell' : command[0]
  if (code === 'ENOENT') return `${name} was not found`
  if (code === 'EACCES') return `${name} is not executable`
  if (code === 'E2BIG') return `the command line of ${name} is longer than the system allows`
  return error.message
}
