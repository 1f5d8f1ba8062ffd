import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { knownCommands } from '../completion/tree.ts'
import { SHELLS } from '../completion/values.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { oneOf, parse } from '../parse.ts'

export const OPTIONS = {}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** `exitgate completion SHELL`: a script for the person's shell, made of the tables by which arguments are read. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { words } = parse('completion', args, OPTIONS, 1)
  const [name] = words
  if (name === undefined) throw new InputError(`exitgate completion needs one of ${SHELLS.join(', ')}`)
  io.stdout.write(SCRIPTS[oneOf('exitgate completion', name, SHELLS)](await knownCommands()))
  return 0
}
