import { type Key, openKeys } from '../live/keyboard.ts'
import type { Keyboard, TerminalIo } from '../live/terminal.ts'

const ENDS = ['end', 'close', 'error'] as const

/** What a key says, if it says anything. */
function meaning(key: Key, usual: boolean): 'yes' | 'no' | 'none' | 'nothing' {
  if (key.name === 'interrupt' || key.name === 'end' || key.name === 'escape') return 'none'
  if (key.name === 'enter') return usual ? 'yes' : 'no'
  const letter = key.name === 'char' ? key.text.toLowerCase() : ''
  return letter === 'y' ? 'yes' : letter === 'n' ? 'no' : 'nothing'
}

/** A question to a person: Enter is the answer that is written large, Ctrl+C or a closed terminal is no answer. */
export function askYesNo(io: TerminalIo, question: string, usual: boolean): Promise<boolean | undefined> {
  const keyboard: Keyboard = io.stdin ?? process.stdin
  return new Promise((resolve) => {
    const read = openKeys()
    const wasRaw = keyboard.isRaw === true
    const answer = (said: boolean | undefined): void => {
      keyboard.off('data', heard)
      for (const event of ENDS) keyboard.off(event, gone)
      process.off('exit', restore)
      restore()
      keyboard.pause()
      io.stdout.write(`${said === undefined ? '' : said ? 'yes' : 'no'}\n`)
      resolve(said)
    }
    const restore = (): void => {
      try {
        keyboard.setRawMode?.(wasRaw)
      } catch {
        // A terminal that is gone has no mode to restore.
      }
    }
    const heard = (bytes: Uint8Array): void => {
      const said = read(bytes)
        .map((key) => meaning(key, usual))
        .find((each) => each !== 'nothing')
      if (said !== undefined) answer(said === 'none' ? undefined : said === 'yes')
    }
    const gone = (): void => answer(undefined)
    process.on('exit', restore)
    for (const event of ENDS) keyboard.on(event, gone)
    keyboard.on('data', heard)
    try {
      // Whoever reads the question may answer at once, and Ctrl+C has to be an answer by then.
      keyboard.setRawMode?.(true)
      io.stdout.write(`${question} ${usual ? '[Y/n]' : '[y/N]'} `)
      keyboard.resume()
    } catch {
      gone()
    }
  })
}
