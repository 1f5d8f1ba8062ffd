import { chooseFindings, findingText } from '../../core/accepting.ts'
import type { Control } from '../../core/run.ts'
import type { OpenFinding } from '../../core/types.ts'
import { isCode, newCode } from '../../loop/control/codes.ts'
import { clean } from '../../reports/live/clean.ts'
import { DEFAULT_BY } from '../io.ts'
import { typeAtTerminal } from '../person.ts'
import type { TerminalIo } from './terminal.ts'

type Type = typeof typeAtTerminal

type AskIo = Pick<TerminalIo, 'stdout'>

interface AskOptions {
  /** Another process runs the loop and asks for its own code. */
  readonly withoutCode?: boolean | undefined
  readonly type?: Type
}

const NOTHING = 'Nothing was done.'

/**
 * The code at the end shows that you see this terminal: a program could press keys, but not read it. Undefined if it is right.
 */
async function whyNoCode(
  action: string,
  { withoutCode, type = typeAtTerminal }: AskOptions,
): Promise<string | undefined> {
  if (withoutCode) return undefined
  const code = newCode()
  return isCode(await line(type, `To ${action}, type ${code}`), code) ? undefined : 'The code was wrong.'
}

async function line(type: Type, question: string): Promise<string> {
  const typed = await type(question)
  return typeof typed === 'string' ? '' : typed.line
}

/** Asks which findings you accept, and why. */
export async function askToAccept(
  io: AskIo,
  open: readonly OpenFinding[],
  options: AskOptions = {},
): Promise<Control | string> {
  const { type = typeAtTerminal } = options
  const none = 'Nothing was accepted.'
  if (open.length === 0) return 'There is no finding to accept.'
  io.stdout.write(`These changes wait for your decision:\n`)
  for (const finding of open) io.stdout.write(`  ${finding.id}  ${clean(findingText(finding))}\n`)
  const ids = (await line(type, 'Ids to accept, or Enter for none')).split(/[\s,]+/).filter((id) => id !== '')
  if (ids.length === 0) return none
  const chosen = chooseFindings(open, ids)
  if (typeof chosen === 'string') return chosen
  const reason = await line(type, 'Reason')
  if (reason === '') return `${none} The journal records why, so a reason is needed.`
  const wrong = await whyNoCode(`accept ${ids.join(' ').toUpperCase()}`, options)
  return wrong === undefined ? { kind: 'accept', by: DEFAULT_BY, reason, ids } : `${none} ${wrong}`
}

/** Asks why the run is to end as completed without proof. */
export async function askToForce(options: AskOptions = {}): Promise<Control | string> {
  const { type = typeAtTerminal } = options
  const reason = await line(type, 'End the run as completed without proof? Reason, or Enter to go back')
  if (reason === '') return NOTHING
  const wrong = await whyNoCode('force the run', options)
  return wrong === undefined ? { kind: 'force', by: DEFAULT_BY, reason } : `${NOTHING} ${wrong}`
}

/** Asks what the agent is to know. */
export async function askToSay(options: AskOptions = {}): Promise<Control | string> {
  const { type = typeAtTerminal } = options
  const reason = await line(type, 'What should the agent know? Enter goes back')
  if (reason === '') return NOTHING
  const wrong = await whyNoCode('send it', options)
  return wrong === undefined ? { kind: 'guidance', by: DEFAULT_BY, reason } : `${NOTHING} ${wrong}`
}
