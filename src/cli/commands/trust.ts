import { approvableIn } from '../../hooks/trust.ts'
import { type Approvable, approve, trustOf, withdraw } from '../../hooks/trust-file.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { type Io, printResult } from '../io.ts'
import { parse } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { peopleOnly } from '../refuse-agent.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, show: { type: 'boolean' }, withdraw: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['trust [options]'],
  about:
    'Shows what a hook would run in this folder, and approves exactly that. Until then a hook says so once and lets the agent stop.',
  rows: [['--show', 'only show it'], ['--withdraw', 'approve nothing any more'], ...LOOK_ROWS],
  examples: ['exitgate trust --show', 'exitgate trust'],
}

/** `exitgate trust`: show what a hook would run in this folder, and approve exactly that. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('trust', args, OPTIONS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  if (values.withdraw) {
    peopleOnly('trust --withdraw', io)
    withdraw(dir)
    return printResult(io, values, { workspace, trust: 'never' }, [`hooks run nothing in ${workspace} any more`])
  }
  const found = await approvableIn(workspace, io.platform)
  if (values.show) {
    const trust = trustOf(dir, found)
    return printResult(io, values, { workspace, trust, ...found }, [...linesOf(workspace, found), WORDS[trust]])
  }
  peopleOnly('trust', io)
  approve(dir, found, io.now())
  const lines = [...linesOf(workspace, found), 'Approved as it stands; a change of it has to be approved again.']
  return printResult(io, values, { workspace, trust: 'approved', ...found }, lines)
}

const WORDS = {
  approved: 'This is approved.',
  changed: 'Something else was approved: exitgate trust approves this.',
  never: 'This was never approved: exitgate trust does it.',
} as const

/** What would be run, for people. */
export function linesOf(workspace: string, { file, commands }: Approvable): readonly string[] {
  const from = file === undefined ? 'no configuration file' : `configuration ${file}`
  const none = '  (no command was found: a claim cannot be verified here; see exitgate doctor)'
  return [
    `In ${plain(workspace)} (${plain(from)}) exitgate would run:`,
    ...(commands.length === 0 ? [none] : commands.map((command) => `  ${plain(command)}`)),
  ]
}
