import { chooseFindings, findingText } from '../../core/accepting.ts'
import type { Control } from '../../core/run.ts'
import type { OpenFinding } from '../../core/types.ts'
import { isCode, newCode } from '../../loop/control/codes.ts'
import { clean } from '../../reports/live/clean.ts'
import { DEFAULT_BY } from '../io.ts'
import { typeAtTerminal } from '../person.ts'
import { openRawKeyboard } from './keyboard.ts'
import { canAsk, keyboardOf } from './menu.ts'
import type { TerminalIo } from './terminal.ts'

/** The key in the live view that asks which findings you accept. */
export const ACCEPT_KEY = 'a'

interface Listening {
  stop(): void
}

/** Calls back for every letter that is pressed. Ctrl+C stays an interrupt. */
export function listenForLetters(io: TerminalIo, pressed: (letter: string) => void): Listening | undefined {
  if (!canAsk(io)) return undefined
  const keyboard = openRawKeyboard(
    keyboardOf(io),
    (keys) => {
      for (const key of keys) {
        if (key.name === 'interrupt') process.kill(process.pid, 'SIGINT')
        if (key.name === 'char') pressed(key.text.toLowerCase())
      }
    },
    () => keyboard.stop(),
  )
  keyboard.start(() => {})
  return keyboard
}

type Type = typeof typeAtTerminal

/**
 * Asks which findings you accept, and why. The code at the end shows that you see this terminal: a program could press keys, but not
 * read it.
 */
export async function askToAccept(
  io: Pick<TerminalIo, 'stdout'>,
  open: readonly OpenFinding[],
  type: Type = typeAtTerminal,
): Promise<Control | string> {
  const none = 'Nothing was accepted.'
  const ask = async (question: string): Promise<string> => {
    const typed = await type(question)
    return typeof typed === 'string' ? '' : typed.line
  }
  io.stdout.write(`These changes wait for your decision:\n`)
  for (const finding of open) io.stdout.write(`  ${finding.id}  ${clean(findingText(finding))}\n`)
  const ids = (await ask('Ids to accept, or Enter for none')).split(/[\s,]+/).filter((id) => id !== '')
  if (ids.length === 0) return none
  const chosen = chooseFindings(open, ids)
  if (typeof chosen === 'string') return chosen
  const reason = await ask('Reason')
  if (reason === '') return `${none} The journal records why, so a reason is needed.`
  const code = newCode()
  if (!isCode(await ask(`To accept ${ids.join(' ').toUpperCase()}, type ${code}`), code))
    return `${none} The code was wrong.`
  return { kind: 'accept', by: DEFAULT_BY, reason, ids }
}
