import { order, parseOrder } from '../ask-run.ts'
import type { Io } from '../io.ts'
import { closeBreaker } from '../without-run.ts'

export { ASK_OPTIONS as OPTIONS } from '../ask-run.ts'

/** `exitgate reset-breaker`: a person has removed what the run was stuck at. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  return order(parseOrder('reset-breaker', args), io, {
    name: 'reset-breaker',
    kind: 'reset-breaker',
    act: closeBreaker,
  })
}
