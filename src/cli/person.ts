import { closeSync, openSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { foldText } from '../../packages/core/src/fold.ts'
import { readJsonFile, writeJsonFile } from '../hooks/json-file.ts'
import { makeStateFolder } from '../journal/errors.ts'
import { CODE_MS, codeFile, isCode, MOST_TRIES, newCode, removeCode, writeCode } from '../loop/control/codes.ts'
import { textWidth } from '../reports/live/line.ts'
import { awake } from '../system/awake-clock.ts'
import { digest } from '../system/digest.ts'
import { removeFile } from '../system/files.ts'
import { minutesOf, QUESTION_MS } from './ask.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'
import { edited, type Key, openRawKeyboard } from './live/keyboard.ts'

/** Options of commands that only the user may use. */
export const CODE_OPTION = { code: { type: 'string' } } as const
export const CODE_ROW = [
  '--code CODE',
  'the one-time code, if there is no terminal to type it in (default: asked for)',
] as const

interface Action {
  /** The state folder. */
  readonly dir: string
  /** The command with everything that the code is meant for. */
  readonly name: string
  /** From --code. */
  readonly code?: string | undefined
  /** Identifies what the code is meant for, if the command doesn't name it. */
  readonly about?: string
}

/**
 * Asks for a one-time code while no run is running: in your terminal, or through a file that no sandbox shows, and --code. Throws if
 * the code is wrong.
 */
export async function confirmPerson({ dir, name, code, about = name }: Action, io: Io): Promise<void> {
  // Called inside another program, which answers for its user.
  if (io.pid === undefined) return
  if (code !== undefined) {
    checkGiven(dir, about, code, io.now())
    return
  }
  const expected = newCode()
  for (let nth = 1; nth <= MOST_TRIES; nth++) {
    const typed = await typeAtTerminal(
      `${nth === 1 ? '' : 'That is not the code. '}To confirm "exitgate ${name}", type ${expected}`,
    )
    if (typed === 'no terminal') giveOut(dir, name, about, io.now())
    if (typed === 'no answer') throw new InputError(`Not done: no answer within ${minutesOf(QUESTION_MS)}.`)
    if (isCode(typed.line, expected)) return
    if (typed.line === '') throw new InputError('Not done: no code was typed.')
  }
  throw new InputError('Not done: the code was wrong three times.')
}

const noteFile = (dir: string): string => `${codeFile(dir)}.json`

function giveOut(dir: string, name: string, about: string, now: number): never {
  makeStateFolder(dir)
  const code = newCode()
  const path = writeCode(dir, code, `exitgate ${name}`)
  writeJsonFile(noteFile(dir), { code: digest(code), name: about, until: now + CODE_MS, tries: 0 })
  throw new InputError(
    `Only you may do this, and there is no terminal to ask you on. So a code was written to ${path}. Repeat the command with --code CODE within five minutes.`,
  )
}

/** The code counts once, for this action only, and for five minutes. */
function checkGiven(dir: string, about: string, given: string, now: number): void {
  const note = readJsonFile(noteFile(dir))
  const forget = (): void => {
    removeCode(dir)
    removeFile(noteFile(dir))
  }
  if (note === undefined || note === 'broken')
    throw new InputError('No code was given out, or it was used already. Leave out --code to get one.')
  const { code, until, tries } = note
  if (note.name !== about || typeof code !== 'string' || typeof until !== 'number' || typeof tries !== 'number')
    throw new InputError('This code is for another command. Leave out --code to get one for this command.')
  if (now >= until) {
    forget()
    throw new InputError('The code has expired. Leave out --code to get a new one.')
  }
  if (isCode(digest(given.toUpperCase().replace(/[\s-]/g, '')).toUpperCase(), code.toUpperCase())) {
    forget()
    return
  }
  if (tries + 1 >= MOST_TRIES) forget()
  else writeJsonFile(noteFile(dir), { ...note, tries: tries + 1 })
  throw new InputError(`Wrong code (try ${tries + 1} of ${MOST_TRIES}).`)
}

const LONGEST = 4000

/** The line that is typed at the terminal of this process, wherever its input comes from. Escape gives an empty one. */
export async function typeAtTerminal(
  question: string,
): Promise<{ readonly line: string } | 'no terminal' | 'no answer'> {
  // If a program has both our input and our output, the user would not see the question.
  if (process.stdin.isTTY !== true && process.stderr.isTTY !== true) return 'no terminal'
  let fd: number
  let terminal: ReadStream
  try {
    fd = openSync('/dev/tty', 'r+')
    terminal = new ReadStream(fd)
  } catch {
    return 'no terminal'
  }
  const say = (text: string): void => void writeSync(fd, text)
  const width = process.stdout.columns || process.stderr.columns || 80
  const asked = foldText(`${question} (Esc goes back): `, width)
  let stop = (): void => {}
  try {
    return await new Promise((resolve) => {
      let typed = ''
      const stopClock = awake.after(QUESTION_MS, () => resolve('no answer'))
      const answer = (): void => resolve({ line: typed.trim() })
      const press = (keys: readonly Key[]): void => {
        for (const key of keys) {
          if (key.name === 'interrupt') process.kill(process.pid, 'SIGINT')
          const before = typed
          typed = ['escape', 'interrupt'].includes(key.name) ? '' : edited(before, key).slice(0, LONGEST)
          const gone = textWidth(before) - textWidth(typed)
          say(gone > 0 ? '\b \b'.repeat(gone) : typed.slice(before.length))
          if (['escape', 'interrupt', 'enter', 'end'].includes(key.name)) {
            answer()
            return
          }
        }
      }
      // Key by key, because the terminal itself would print Escape as ^[.
      const keyboard = openRawKeyboard(terminal, press, answer, () => say('\n'))
      stop = () => {
        stopClock()
        keyboard.stop()
      }
      keyboard.start(() => say(asked + typed))
    })
  } finally {
    stop()
    terminal.destroy()
    try {
      // The stream opened the terminal again and closes only that.
      closeSync(fd)
    } catch {
      // It had no permission to open it again, so it used this one.
    }
  }
}

/** The code is shown elsewhere, so that only someone who sees that place can type it here. */
export const typeCode = async (where: string, again: boolean): Promise<string | undefined> => {
  const typed = await typeAtTerminal(`${again ? 'That is not the code. ' : ''}Type the code shown in ${where}`)
  return typeof typed === 'string' || typed.line === '' ? undefined : typed.line
}
