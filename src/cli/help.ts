import { type CommandGroups, type Commands, type Page, type Row, rowsOf } from './command.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'

export const ABOUT = 'exitgate knows when an autonomous coding agent is really done.'

const FOOTER = [
  'exitgate <command> --help    options and examples of a command',
  'exitgate help <topic>        search the docs, for example for "permissions"',
  '',
  'Exit codes: 0 completed, 1 stuck, 2 aborted, 3 interrupted, 10 continue,',
  '64 wrong usage or configuration, 70 internal error, 75 in use, try again later.',
  '`next` swaps 0 and 10.',
]

/** `exitgate --help`: every command, in groups. */
export function overview(groups: CommandGroups, io: Io): 0 {
  const width = Math.max(...groups.flatMap(([, commands]) => Object.keys(commands)).map((name) => name.length))
  const parts = groups.map(([title, commands]) => [
    `${title}:`,
    ...Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`),
  ])
  const lines = [ABOUT, '', 'Usage: exitgate <command> [options]', '', ...parts.flatMap((part) => [...part, ''])]
  io.stdout.write(`${[...lines, ...FOOTER].join('\n')}\n`)
  return 0
}

/** `exitgate lab`: the commands that begin with this word. */
export function subcommands(word: string, commands: Commands, args: readonly string[], io: Io): 0 {
  const [extra] = args.filter((arg) => arg !== '--help' && arg !== '-h')
  if (extra !== undefined) throw new InputError(`Unknown option ${extra}. See exitgate ${word} --help.`)
  const rows = Object.entries(commands).filter(([name]) => name.startsWith(`${word} `))
  const names = rows.map(([name]) => name.slice(word.length + 1))
  const width = Math.max(...names.map((name) => name.length))
  const lines = rows.map(([, { about }], at) => `  ${(names[at] ?? '').padEnd(width)}  ${about}`)
  io.stdout.write(`Usage: exitgate ${word} ${names.join('|')} [options]\n\n${lines.join('\n')}\n\n`)
  io.stdout.write(`exitgate ${word} ${names[0]} --help shows options and examples.\n`)
  return 0
}

/** The width of an ordinary terminal. */
const WIDTH = 80
const LONGEST_NAME = 22

/** The page as --help shows it. */
export function pageText(page: Page): string {
  const { usage, about, rows, groups = [], more, examples } = page
  const calls = usage.map((call, at) => `${at === 0 ? 'Usage: ' : '       '}${callOf(call)}`)
  const names = rowsOf(page).map(([name]) => name.length)
  const column = Math.max(0, ...names.filter((length) => length <= LONGEST_NAME)) + 4
  const listed = (title: string, some: readonly Row[]): readonly string[] =>
    some.length === 0 ? [] : [`${title}:`, ...some.flatMap((row) => rowLines(row, column))]
  const parts = [
    calls,
    wrap(about, WIDTH),
    listed('Options', rows),
    ...groups.map(([title, some]) => listed(title, some)),
    more === undefined ? [] : wrap(more, WIDTH),
    ['Examples:', ...examples.map((example) => `  ${example}`)],
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** How to call it in a shell. A line that contains the program's name already stays as it is. */
export const callOf = (call: string): string => (/\bexitgate\b/.test(call) ? call : `exitgate ${call}`)

function rowLines([name, text]: Row, column: number): readonly string[] {
  // A short default stays on one line.
  const kept = text.replace(/\(default: [^)]{1,24}\)$/, (last) => last.replaceAll(' ', '\u00a0'))
  const lines = wrap(kept, WIDTH - column).map((line) => line.replaceAll('\u00a0', ' '))
  const [first = '', ...rest] = lines.map((line) => ' '.repeat(column) + line)
  const head = `  ${name}`
  return head.length + 2 <= column ? [head + first.slice(head.length), ...rest] : [head, first, ...rest]
}

export function wrap(text: string, width: number): readonly string[] {
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
