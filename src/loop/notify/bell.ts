import type { RunEnd } from '../../core/run.ts'
import type { NotifyIo } from './types.ts'
import { endWords } from './words.ts'

const BELL = '\u0007'
const ESCAPE = '\u001b'

/** Terminals that know the second form; to others it would be the second notification of the same. */
const KNOWS_777 = /^(?:rxvt|foot|vte)/
/** These would print what they do not know. */
const KNOWS_NEITHER = /^(?:dumb|linux|cons25|vt\d+)?$/

/** The bell, and the notification that the terminal itself can show: only where a person looks. */
export function ring(end: RunEnd, { stderr, env }: NotifyIo): void {
  const terminal = env.TERM ?? ''
  if (stderr.isTTY !== true || terminal === 'dumb') return
  stderr.write(KNOWS_NEITHER.test(terminal) ? BELL : `${shown(endWords(end), terminal, env)}${BELL}`)
}

function shown(words: string, terminal: string, env: NotifyIo['env']): string {
  // A semicolon ends a field.
  if (KNOWS_777.test(terminal) || env.VTE_VERSION !== undefined)
    return `${ESCAPE}]777;notify;exitgate;${words.replaceAll(';', ',')}${BELL}`
  return `${ESCAPE}]9;exitgate: ${words}${BELL}`
}
