import { manPage } from '../../reports/man-page.ts'
import { MANUAL } from '../help/manual.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'

export const OPTIONS = {}

/** `exitgate man`: the manual page, for `man -l -` and for packages. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  parse('man', args, OPTIONS)
  io.stdout.write(manPage(MANUAL))
  return 0
}
