import { approvableIn } from '../../hooks/trust.ts'
import { type Approvable, approve, trustOf, withdraw } from '../../hooks/trust-file.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse } from '../parse.ts'
import { peopleOnly } from '../people-only.ts'
import { placeOf } from '../place.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = { ...LOOK_OPTIONS, show: { type: 'boolean' }, withdraw: { type: 'boolean' } } as const
type Values = LookValues & { readonly show?: boolean; readonly withdraw?: boolean }

/** `exitgate trust`: show what a hook would run in this folder, and approve exactly that. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('trust', args, OPTIONS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  if (values.withdraw) {
    peopleOnly('trust --withdraw', io)
    withdraw(dir)
    return tell(io, values, { workspace, trust: 'never' }, [`hooks run nothing in ${workspace} any more`])
  }
  const found = await approvableIn(workspace, io.platform)
  if (values.show) {
    const trust = trustOf(dir, found)
    return tell(io, values, { workspace, trust, ...found }, [...linesOf(workspace, found), WORDS[trust]])
  }
  peopleOnly('trust', io)
  approve(dir, found, io.now())
  const lines = [...linesOf(workspace, found), 'Approved as it stands; a change of it has to be approved again.']
  return tell(io, values, { workspace, trust: 'approved', ...found }, lines)
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

function tell(io: Io, { json }: Values, data: object, lines: readonly string[]): number {
  io.stdout.write(json ? `${JSON.stringify(data)}\n` : `${lines.join('\n')}\n`)
  return 0
}
