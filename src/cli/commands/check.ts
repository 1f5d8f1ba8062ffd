import { decideOnce } from '../decide-once.ts'
import { CHECK_OPTIONS } from '../decide-options.ts'
import { InputError } from '../errors.ts'
import { exitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'

export { CHECK_OPTIONS as OPTIONS } from '../decide-options.ts'

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('check', args, CHECK_OPTIONS)
  if (values.ci) {
    const { checkInCi } = await import('../check-ci.ts')
    return checkInCi(values, io)
  }
  if (values.sarif !== undefined) throw new InputError('--sarif needs --ci.')
  const claimed = values.claim ? ({ ...values, claimedBy: 'caller' } as const) : values
  return decideOnce(claimed, io, { code: ({ verdict }) => exitCode(verdict), onlyStarts: () => false })
}
