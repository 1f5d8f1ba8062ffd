import { chooseFindings, findingText } from '../../core/accepting.ts'
import type { Control } from '../../core/run.ts'
import type { OpenFinding } from '../../core/types.ts'
import { isCode, newCode } from '../../loop/control/codes.ts'
import { clean } from '../../reports/live/clean.ts'
import { wrapText } from '../../reports/live/line.ts'
import { withoutRemedy } from '../../reports/plain-words.ts'
import { DEFAULT_BY } from '../io.ts'
import { typeAtTerminal } from '../person.ts'
import { sizeOf, type TerminalIo } from './terminal.ts'

const NOTHING = 'Nothing was done.'

/**
 * The code at the end shows that you see this terminal: a program could press keys, but not read it. Undefined if it is right. A run
 * of another process asks for its own code.
 */
async function whyNoCode(action: string, attached: boolean): Promise<string | undefined> {
  if (attached) return undefined
  const code = newCode()
  const typed = await line(`To ${action}, type ${code}`)
  if (typed === '') return `${NOTHING} No code was typed.`
  return isCode(typed, code) ? undefined : `${NOTHING} The code was wrong.`
}

async function line(question: string): Promise<string> {
  const typed = await typeAtTerminal(question)
  return typeof typed === 'string' ? '' : typed.line
}

/** Asks which findings you accept, and why. */
export async function askToAccept(
  io: TerminalIo,
  open: readonly OpenFinding[],
  attached: boolean,
): Promise<Control | string> {
  if (open.length === 0) return 'There is no finding to accept.'
  const { columns } = sizeOf(io.stdout)
  const texts = open.flatMap((finding) =>
    wrapText(clean(withoutRemedy(findingText(finding))), columns - 9).map(
      (row, at) => `  ${(at === 0 ? finding.id : '').padEnd(5)}  ${row}\n`,
    ),
  )
  io.stdout.write(`These findings wait for your decision:\n${texts.join('')}`)
  const ids = (await line('Ids to accept')).split(/[\s,]+/).filter((id) => id !== '')
  if (ids.length === 0) return NOTHING
  const chosen = chooseFindings(open, ids)
  if (typeof chosen === 'string') return chosen
  const reason = await line('Reason')
  if (reason === '') return `${NOTHING} The journal records why, so a reason is needed.`
  const wrong = await whyNoCode(`accept ${ids.join(' ').toUpperCase()}`, attached)
  return wrong ?? { kind: 'accept', by: DEFAULT_BY, reason, ids }
}

const ASKED = {
  force: ['End the run as completed without proof? Reason', 'force the run'],
  guidance: ['What should the agent know?', 'send it'],
} as const

/** Asks why the run is to end as completed without proof, or what the agent is to know. */
export async function askWhy(kind: keyof typeof ASKED, attached: boolean): Promise<Control | string> {
  const [question, action] = ASKED[kind]
  const reason = await line(question)
  return reason === '' ? NOTHING : ((await whyNoCode(action, attached)) ?? { kind, by: DEFAULT_BY, reason })
}
