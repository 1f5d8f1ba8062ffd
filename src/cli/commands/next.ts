import { decideOnce } from '../decide-once.ts'
import { DECIDE_OPTIONS } from '../decide-options.ts'
import { InputError } from '../errors.ts'
import { shellCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'

export { DECIDE_OPTIONS as OPTIONS } from '../decide-options.ts'

/** `while exitgate next; do agent; done`: the first call only starts the run; each later one decides about the iteration before it. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('next', args, DECIDE_OPTIONS)
  if (values['new-run'] && values.transcript !== undefined)
    throw new InputError(
      'exitgate next --new-run only starts a run, so it takes no --transcript. In a loop leave out --new-run: a new run starts when the last one has ended.',
    )
  return decideOnce(values, io, {
    code: ({ verdict }) => shellCode(verdict),
    onlyStarts: (session) => session.fresh,
    isLoop: true,
  })
}
