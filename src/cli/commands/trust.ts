import { approvableIn } from '../../hooks/trust.ts'
import { type Approvable, approve, trustOf, withdraw } from '../../hooks/trust-file.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { type Io, printResult } from '../io.ts'
import { parse } from '../parse.ts'
import { CODE_OPTION, CODE_ROW, confirmPerson } from '../person.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { userOnly } from '../refuse-agent.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  show: { type: 'boolean' },
  withdraw: { type: 'boolean' },
  ...CODE_OPTION,
} as const

export const HELP: Page = {
  usage: ['trust [options]'],
  about: 'Show the commands that hooks would run in this project, and approve them.',
  rows: [['--show', 'only show the commands'], ['--withdraw', 'withdraw the approval'], CODE_ROW, ...LOOK_ROWS],
  more: 'It asks you to type a one-time code. Until you approve the commands, hooks check nothing and let the agent stop. If the commands change, you have to approve them again.',
  examples: ['exitgate trust --show', 'exitgate trust', 'exitgate trust --withdraw'],
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('trust', args, OPTIONS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  if (values.withdraw) {
    userOnly('trust --withdraw', io)
    withdraw(dir)
    return printResult(io, values, { workspace, trust: 'never' }, [
      `Approval withdrawn. Hooks run nothing in ${workspace}.`,
    ])
  }
  const found = await approvableIn(workspace, io.platform)
  if (values.show) {
    const trust = trustOf(dir, found)
    return printResult(io, values, { workspace, trust, ...found }, [...linesOf(workspace, found), STATUS[trust]])
  }
  userOnly('trust', io)
  if (!values.json) for (const line of linesOf(workspace, found)) io.stdout.write(`${line}\n`)
  // A code confirms these commands. If they change meanwhile, it is for others.
  await confirmPerson({ dir, name: 'trust', about: `trust ${found.hash}`, code: values.code }, io)
  approve(dir, found, io.now())
  const lines = ['Approved. You will be asked again if these commands change.']
  return printResult(io, values, { workspace, trust: 'approved', ...found }, lines)
}

const STATUS = {
  approved: 'Approved.',
  changed: 'These commands changed since you approved them. Approve them with exitgate trust.',
  never: 'Not approved yet. Approve them with exitgate trust.',
} as const

/** The commands that hooks would run. */
export function linesOf(workspace: string, { file, commands }: Approvable): readonly string[] {
  const from = file === undefined ? 'no configuration file' : `configuration ${file}`
  const none = '  (no test command found, so no claim can be verified; see exitgate doctor)'
  return [
    `Hooks would run these commands in ${plain(workspace)} (${plain(from)}):`,
    ...(commands.length === 0 ? [none] : commands.map((command) => `  ${plain(command)}`)),
  ]
}
