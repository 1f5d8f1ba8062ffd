import type { Commands, Page, Row } from './command.ts'
import { USAGE } from './exit-codes.ts'
import type { Io } from './io.ts'

export const ABOUT = 'knows when an autonomous coding agent is really done'

const CODES = `Exit codes: 0 completed, 1 stuck, 2 aborted, 3 interrupted, 10 continue; 64 wrong usage or
configuration, 70 internal error. \`next\` swaps 0 and 10, so that 0 means: go on.`

/** Help that fits a screen: the commands, or one command with examples. */
export async function help(name: string | undefined, commands: Commands, io: Io): Promise<number> {
  if (name === undefined || name.startsWith('-') || name === 'help') {
    const width = Math.max(...Object.keys(commands).map((command) => command.length))
    const rows = Object.entries(commands).map(([command, { about }]) => `  ${command.padEnd(width)} ${about}`)
    io.stdout.write(`exitgate ${ABOUT}.\n\nUsage: exitgate <command> [options]\n\n${rows.join('\n')}\n\n`)
    io.stdout.write(`exitgate <command> --help shows its options and examples.\n${CODES}\n`)
    return 0
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) {
    io.stderr.write(`exitgate: there is no command "${name}"; see exitgate --help\n`)
    return USAGE
  }
  io.stdout.write(pageText(await entry.help()))
  return 0
}

/** Small terminals break wider lines. */
const WIDTH = 100
const COLUMN = 23

/** The page as --help shows it. */
export function pageText({ usage, about, rows, more, examples }: Page): string {
  const calls = usage.map((call, at) => `${at === 0 ? 'Usage: ' : '       '}${callOf(call)}`)
  const parts = [
    [...calls, ...wrap(about, WIDTH)],
    rows.flatMap(rowLines),
    more === undefined ? [] : wrap(more, WIDTH),
    examples.map((example) => `  ${example}`),
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** How to call it in a shell; a line that names the program already is left alone. */
export const callOf = (call: string): string => (/\bexitgate\b/.test(call) ? call : `exitgate ${call}`)

function rowLines([names, text]: Row): readonly string[] {
  const head = `  ${names}`
  if (text === '') return wrap(names, WIDTH - 2).map((line) => `  ${line}`)
  if (head.length < COLUMN) {
    const [first = '', ...rest] = wrap(text, WIDTH - COLUMN)
    return [head.padEnd(COLUMN) + first, ...rest.map((line) => ' '.repeat(COLUMN) + line)]
  }
  if (head.length + 2 + text.length <= WIDTH) return [`${head}  ${text}`]
  return [head, ...wrap(text, WIDTH - COLUMN).map((line) => ' '.repeat(COLUMN) + line)]
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
