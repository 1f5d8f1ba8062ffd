import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { readJsonFile, writeJsonFile } from '../hooks/json-file.ts'
import { CODE_MS, codeFile, isCode, MOST_TRIES, newCode, removeCode, writeCode } from '../loop/control/codes.ts'
import { digest } from '../system/digest.ts'
import { removeFile } from '../system/files.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

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
export function confirmPerson({ dir, name, code, about = name }: Action, io: Io): void {
  // Called inside another program, which answers for its user.
  if (io.pid === undefined) return
  if (code !== undefined) {
    checkGiven(dir, about, code, io.now())
    return
  }
  const expected = newCode()
  for (let nth = 1; nth <= MOST_TRIES; nth++) {
    const typed = typeAtTerminal(
      `${nth === 1 ? '' : 'That is not the code. '}To confirm "exitgate ${name}", type ${expected}: `,
    )
    if (typed === undefined) giveOut(dir, name, about, io.now())
    if (typed !== undefined && isCode(typed, expected)) return
  }
  throw new InputError('Not done: the code was wrong three times.')
}

const noteFile = (dir: string): string => `${codeFile(dir)}.json`

function giveOut(dir: string, name: string, about: string, now: number): never {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
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

const LONGEST = 200

/** What is typed at the terminal of this process, wherever its input comes from; undefined without a terminal. */
export function typeAtTerminal(question: string): string | undefined {
  // If a program has both our input and our output, the user would not see the question.
  if (process.stdin.isTTY !== true && process.stderr.isTTY !== true) return undefined
  let fd: number
  try {
    fd = openSync('/dev/tty', 'r+')
  } catch {
    return undefined
  }
  try {
    writeSync(fd, question)
    const bytes = Buffer.alloc(LONGEST)
    const read = readSync(fd, bytes, 0, LONGEST, null)
    return bytes.toString('utf8', 0, read).trim()
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}
