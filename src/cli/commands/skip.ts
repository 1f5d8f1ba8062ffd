import { order, parseOrder } from '../ask-run.ts'
import type { Io } from '../io.ts'
import { skipOne } from '../without-run.ts'

export { ASK_OPTIONS as OPTIONS } from '../ask-run.ts'

/** `exitgate skip`: the task or phase at hand is left out. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  return order(parseOrder('skip', args), io, { name: 'skip', kind: 'skip', act: skipOne })
}
