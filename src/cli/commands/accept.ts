import { acceptedFindings, findingText, listedFindings } from '../../core/accepting.ts'
import { readJournal } from '../../journal/read.ts'
import { journalOfRun } from '../../journal/sessions.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { type Io, printResult } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { runPlace } from '../task-place.ts'
import { acceptWithoutRun } from '../without-run.ts'
import { OPTIONS as CONTROL_OPTIONS, type ControlCommand, NEEDS_TERMINAL, rowsFor, send } from './controls.ts'

export const OPTIONS = CONTROL_OPTIONS
type Values = ValuesOf<typeof OPTIONS>

const MOST_IDS = 200

export const HELP: Page = {
  usage: ['accept ID [ID...] --reason TEXT [options]', 'accept'],
  about: 'Accept findings that keep a claim from being verified, such as a test that had to change.',
  rows: rowsFor('required'),
  more: `Without an ID it lists the findings. Only you may accept: agents are refused, and the attempt is recorded. Every verdict lists what you accepted. ${NEEDS_TERMINAL}`,
  examples: [
    'exitgate accept',
    'exitgate accept K3F9A --reason "the old format is gone"',
    'exitgate accept K3F9A M2QXC --reason "reviewed"',
  ],
}

const COMMAND: ControlCommand = { name: 'accept', kind: 'accept', act: acceptWithoutRun }

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('accept', args, OPTIONS, MOST_IDS)
  return positionals.length === 0 ? list(values, io) : send(values, io, COMMAND, positionals)
}

/** What you can accept now, and what you have accepted. */
function list(values: Values, io: Io): number {
  const { dir, run } = runPlace(values, io)
  const { previous, baseline } = readJournal(journalOfRun(dir, run)).state
  const evidence = previous?.evidence ?? baseline
  const [open, accepted] = [listedFindings(evidence), acceptedFindings(evidence)]
  const lines = [
    ...open.map((finding) => `${finding.id}  ${plain(findingText(finding))}`),
    ...accepted.map(
      ({ by, reason, ...finding }) => `accepted  ${plain(findingText(finding))} (${plain(by)}: ${plain(reason)})`,
    ),
    ...(open.length > 0 ? [`To accept one: exitgate accept ${open[0]?.id} --reason "..."`] : []),
  ]
  return printResult(io, values, { open, accepted }, lines.length === 0 ? ['There is nothing to accept.'] : lines)
}
