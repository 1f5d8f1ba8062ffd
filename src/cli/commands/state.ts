import { readJournal, verifyJournal } from '../../journal/read.ts'
import { stateText } from '../../reports/state-text.ts'
import type { Page } from '../command.ts'
import { INTERNAL } from '../exit-codes.ts'
import { type Io, usesColor } from '../io.ts'
import { parse } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, verify: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['state [--verify] [options]'],
  about: 'Where the run stands: iteration, phase, streaks, breaker, spending.',
  rows: [['--verify', 'check every line of the journal against its hash'], ...LOOK_ROWS],
  examples: ['exitgate state', 'exitgate state --verify --json'],
}

/** `exitgate state`: where the run stands, read without taking the lock. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('state', args, OPTIONS)
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
