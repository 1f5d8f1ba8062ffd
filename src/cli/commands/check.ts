import { JournalInUse } from '../../journal/errors.ts'
import { decideOnce } from '../decide-once.ts'
import { CHECK_OPTIONS, type CheckValues } from '../decide-options.ts'
import { InputError } from '../errors.ts'
import { exitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'

export { CHECK_OPTIONS as OPTIONS } from '../decide-options.ts'

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('check', args, CHECK_OPTIONS)
  try {
    return await check(values, io)
  } catch (error) {
    if (!(error instanceof JournalInUse) || error.command !== 'run') throw error
    // The loop keeps its journal for hours, and a decision about another claim does not belong to its run.
    const { shellWord } = await import('../../../packages/core/src/shell-word.ts')
    const line = ['exitgate', 'check', ...args, '--no-record'].map((word) => shellWord(word, io.platform)).join(' ')
    throw new JournalInUse(`${error.message} To check now without recording it: ${line}`, error.command)
  }
}

async function check(values: CheckValues, io: Io): Promise<number> {
  if (values.ci) {
    const { checkInCi } = await import('../check-ci.ts')
    return checkInCi(values, io)
  }
  if (values.sarif !== undefined) throw new InputError('--sarif needs --ci.')
  const claimed = values.claim ? ({ ...values, claimedBy: 'caller' } as const) : values
  return decideOnce(claimed, io, { code: ({ verdict }) => exitCode(verdict), onlyStarts: () => false })
}
