import { readJournal, verifyJournal } from '../../journal/read.ts'
import { stateText } from '../../reports/state-text.ts'
import { INTERNAL } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse } from '../parse.ts'
import { placeOf } from '../place.ts'
import { usesColor } from '../terminal.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = { ...LOOK_OPTIONS, verify: { type: 'boolean' } } as const

/** `exitgate state`: where the run stands, read without taking the lock. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<LookValues & { verify?: boolean }>('state', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  if (values.verify) {
    const checked = verifyJournal(dir)
    if (values.json) io.stdout.write(`${JSON.stringify({ dir, ...checked })}\n`)
    else
      io.stdout.write(
        checked.ok
          ? `${checked.events} events in ${dir}, every line follows the one before it\n`
          : `${checked.problems.join('\n')}\n`,
      )
    return checked.ok ? 0 : INTERNAL
  }
  const { state, problems } = readJournal(dir)
  for (const problem of problems) io.stderr.write(`exitgate: ${problem}\n`)
  if (values.json) io.stdout.write(`${JSON.stringify({ dir, ...state })}\n`)
  else io.stdout.write(stateText(state, { color: usesColor(io.stdout, io.env, values['no-color']) }))
  return 0
}
