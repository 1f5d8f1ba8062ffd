import { order, parseOrder } from '../ask-run.ts'
import type { Io } from '../io.ts'

export { ASK_OPTIONS as OPTIONS } from '../ask-run.ts'

/** `exitgate interrupt`: the same as Ctrl+C in the terminal of the run. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  return order(parseOrder('interrupt', args), io, {
    name: 'interrupt',
    kind: 'interrupt',
    reason: 'a person interrupted the run from another terminal',
  })
}
