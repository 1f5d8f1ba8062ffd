import { type Key, openRawKeyboard } from '../live/keyboard.ts'
import type { TerminalIo } from '../live/terminal.ts'

/** The answer that a key gives. */
function meaning(key: Key, usual: boolean): 'yes' | 'no' | 'none' | 'nothing' {
  if (key.name === 'interrupt' || key.name === 'end' || key.name === 'escape') return 'none'
  if (key.name === 'enter') return usual ? 'yes' : 'no'
  const letter = key.name === 'char' ? key.text.toLowerCase() : ''
  return letter === 'y' ? 'yes' : letter === 'n' ? 'no' : 'nothing'
}

/** Asks a yes/no question. Enter gives the default. Ctrl+C or a closed terminal means: no answer. */
export function askYesNo(io: TerminalIo, question: string, usual: boolean): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const answer = (yes: boolean | undefined): void => {
      keyboard.stop()
      io.stdout.write(`${yes === undefined ? '' : yes ? 'yes' : 'no'}\n`)
      resolve(yes)
    }
    const press = (keys: readonly Key[]): void => {
      const meant = keys.map((key) => meaning(key, usual)).find((each) => each !== 'nothing')
      if (meant !== undefined) answer(meant === 'none' ? undefined : meant === 'yes')
    }
    const keyboard = openRawKeyboard(io.stdin ?? process.stdin, press, () => answer(undefined))
    keyboard.start(() => io.stdout.write(`${question} ${usual ? '[Y/n]' : '[y/N]'} `))
  })
}
