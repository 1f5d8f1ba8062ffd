import { ASK_OPTIONS, type AskValues, order } from '../ask-run.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'

export const OPTIONS = { ...ASK_OPTIONS, off: { type: 'boolean' } } as const

/** `exitgate pause`: hold the run before its next iteration; with --off it goes on. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<AskValues & { readonly off?: boolean }>('pause', args, OPTIONS)
  return values.off
    ? order(values, io, { name: 'pause --off', kind: 'resume', reason: 'a person lets the run go on' })
    : order(values, io, { name: 'pause', kind: 'pause', reason: 'a person holds the run' })
}
