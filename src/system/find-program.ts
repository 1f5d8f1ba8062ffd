import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { Environment } from './environment.ts'
import { shellCommands } from './shell/commands.ts'

/** Built-in commands of the shell. */
const BUILTINS =
  /^(?:cd|echo|printf|true|false|test|\[|:|set|export|unset|exit|return|trap|wait|eval|source|\.|exec|command|if|then|else|fi|for|do|done|while)$/

/** The programs that a command line calls by name, without duplicates. */
export function programsIn(line: string): readonly string[] {
  const names = shellCommands(line).map(({ words: [name = ''] }) => name)
  return [...new Set(names.filter((name) => name !== '' && !BUILTINS.test(name) && !/[$`*?<>]/.test(name)))]
}

/** The path of a program started in this folder, or undefined if it isn't found. */
export function findProgram(
  name: string,
  dir: string,
  env: Environment,
  platform: string = process.platform,
): string | undefined {
  const windows = platform === 'win32'
  const endings = windows ? ['', ...(env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : ['']
  const folders = /[\\/]/.test(name)
    ? [dir]
    : (env.PATH ?? env.Path ?? '').split(delimiter).map((each) => resolve(dir, each))
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
  return (/^(?:[\\/]|[A-Za-z]:)/.test(name) ? endings.map((ending) => name + ending) : paths).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
