import { type Line, span, wrapText } from './line.ts'

/** What a key does: the key, and one sentence. The help of the view and the page docs/terminal.md come from here. */
export const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['Tab', 'next pane: plan, iterations, detail'],
  ['Up Down', 'scroll, or select an iteration'],
  ['PgUp PgDn', 'scroll by a page; Home and End go all the way'],
  ['Left Right', 'detail: agent output, output of the checks, diff, verdict'],
  ['Enter', 'show the pane alone, with long lines in full'],
  ['Esc', 'back to what the run does now'],
  ['d', 'diff of the iteration'],
  ['p', 'pause after this iteration, or resume'],
  ['s', 'say something to the agent; it gets it with the next prompt'],
  ['a', 'accept a finding'],
  ['f', 'end the run as completed without proof'],
  ['q', 'leave the view; the run continues (exitgate attach)'],
  ['?', 'this help'],
]

const CODES = 's, a and f ask for a code that only you can see.'
const WIDTH = 12

/** All rows of the help, wrapped. */
function helpText(interrupts: readonly string[], columns: number): readonly Line[] {
  const room = Math.max(8, columns - WIDTH)
  const entry = ([key, what]: readonly [string, string]): readonly Line[] =>
    wrapText(what, room).map((row, at): Line => [span((at === 0 ? key : '').padEnd(WIDTH), 'cyan'), span(row)])
  return [
    [span('Keys', 'bold')],
    ...KEYS.flatMap(entry),
    ...interrupts.flatMap((text) => entry(['Ctrl+C', text.replace(/^Ctrl\+C:? /, '')])),
    [],
    ...wrapText(CODES, columns).map((row): Line => [span(row, 'dim')]),
  ]
}

interface Size {
  readonly columns: number
  readonly rows: number
}

/** The help for a window of that size, from row `top` on. What does not fit scrolls. */
export function helpLines(interrupts: readonly string[], { columns, rows }: Size, top: number): readonly Line[] {
  const lines = helpText(interrupts, columns)
  const scrolls = lines.length >= rows
  const from = scrolls ? Math.min(top, lines.length - rows + 1) : 0
  const foot = scrolls ? 'Up and Down scroll, other keys go back.' : 'Press any key to go back.'
  return [...lines.slice(from, from + rows - 1), [span(foot, 'dim')]].slice(-rows)
}

/** How far the help can scroll. The text about Ctrl+C takes about two rows. */
export const lastHelpRow = ({ columns, rows }: Size): number => Math.max(0, helpText([], columns).length + 2 - rows + 1)
