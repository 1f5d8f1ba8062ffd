import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'
import { sayWithoutRun } from '../without-run.ts'
import { OPTIONS as CONTROL_OPTIONS, type ControlCommand, NEEDS_TERMINAL, rowsFor, send } from './controls.ts'

const { reason: _reason, ...REST } = CONTROL_OPTIONS
export const OPTIONS = REST

const MOST_WORDS = 2000

export const HELP: Page = {
  usage: ['say "TEXT" [options]'],
  about: "Add your words to the agent's next prompts.",
  rows: rowsFor('').filter(([name]) => !name.startsWith('--reason')),
  more: `Works while a run is running, and before exitgate run --resume. The agent gets the words as guidance from the user. Only you may use it: agents are refused, and the attempt is recorded. ${NEEDS_TERMINAL}`,
  examples: [
    'exitgate say "use the existing parser, do not write a new one"',
    'exitgate say "skip Windows" --run login',
  ],
}

const COMMAND: ControlCommand = { name: 'say', kind: 'guidance', act: sayWithoutRun }

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('say', args, OPTIONS, MOST_WORDS)
  const text = positionals.join(' ').trim()
  if (text === '') throw new InputError('Add what the agent should know: exitgate say "TEXT"')
  return send({ ...values, reason: text }, io, COMMAND)
}
