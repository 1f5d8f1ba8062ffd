import { order, parseOrder } from '../ask-run.ts'
import type { Io } from '../io.ts'
import { forceRun } from '../without-run.ts'

/** `exitgate force`: a person says that the run is done. Shown as forced everywhere. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  return order(parseOrder('force', args), io, { name: 'force', kind: 'force', act: forceRun })
}
