import { decideOnce } from '../decide-once.ts'
import { DECIDE_OPTIONS, type DecideValues } from '../decide-options.ts'
import { exitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'

/** `exitgate check`: decide once about the iteration that just ended. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<DecideValues>('check', args, DECIDE_OPTIONS)
  return decideOnce(values, io, { code: ({ verdict }) => exitCode(verdict), onlyBegins: () => false })
}
