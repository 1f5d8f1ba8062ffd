import { type Key, openRawKeyboard } from '../live/keyboard.ts'
import type { TerminalIo } from '../live/terminal.ts'

/** What a key says, if it says anything. */
function meaning(key: Key, usual: boolean): 'yes' | 'no' | 'none' | 'nothing' {
  if (key.name === 'interrupt' || key.name === 'end' || key.name === 'escape') return 'none'
  if (key.name === 'enter') return usual ? 'yes' : 'no'
  const letter = key.name === 'char' ? key.text.toLowerCase() : ''
  return letter === 'y' ? 'yes' : letter === 'n' ? 'no' : 'nothing'
}

/** A question to a person: Enter is the answer that is written large, Ctrl+C or a closed terminal is no answer. */
export function askYesNo(io: TerminalIo, question: string, usual: boolean): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const answer = (said: boolean | undefined): void => {
      keyboard.stop()
      io.stdout.write(`${said === undefined ? '' : said ? 'yes' : 'no'}\n`)
      resolve(said)
    }
    const press = (keys: readonly Key[]): void => {
      const said = keys.map((key) => meaning(key, usual)).find((each) => each !== 'nothing')
      if (said !== undefined) answer(said === 'none' ? undefined : said === 'yes')
    }
    const keyboard = openRawKeyboard(io.stdin ?? process.stdin, press, () => answer(undefined))
    keyboard.start(() => io.stdout.write(`${question} ${usual ? '[Y/n]' : '[y/N]'} `))
  })
}
