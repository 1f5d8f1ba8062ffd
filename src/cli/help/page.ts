/** An option, or several that belong together, as they are written; and what they are for. */
export type Row = readonly [names: string, text: string]

/** The help of one command: shown by --help, in the manual and beside completions, so it is data and not a text. */
export interface Page {
  /** Each way to call it, without the program's name in front. */
  readonly usage: readonly string[]
  readonly about: string
  readonly rows: readonly Row[]
  /** What one should know besides. */
  readonly more?: string
  readonly examples: readonly string[]
}

/** Wider lines are broken by small terminals, which no page survives. */
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

/** A shell line that only contains the program stands as it is. */
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
