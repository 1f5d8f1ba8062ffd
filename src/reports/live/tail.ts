import { clean } from './clean.ts'

/** The end of a program's output: complete lines, cleaned, and the raw start of the last, incomplete one. */
export interface Tail {
  readonly lines: readonly string[]
  readonly open: string
  /** There was more before it. */
  readonly cut?: boolean
}

export const EMPTY_TAIL: Tail = { lines: [], open: '' }

const MOST_LINES = 1_000
const MOST_TEXT = 65_536
const MOST_OPEN = 4096
const MOST_OF_LINE = 2000
const PIECES = new RegExp(`.{1,${MOST_OF_LINE}}`, 'gsu')

/**
 * The tail with one more piece; of a long piece only the end counts. The incomplete line stays raw, because an escape sequence may be
 * split between pieces.
 */
export function appendText(tail: Tail, text: string): Tail {
  const parts = (tail.open + text.slice(-MOST_TEXT)).replaceAll('\r\n', '\n').split('\n')
  const open = parts.pop() ?? ''
  const lines = parts.slice(-MOST_LINES - 1).flatMap((part) => inPieces(shownPart(part)).map(clean))
  const more = withoutGaps(lines, tail.lines.at(-1) ?? '')
  const all = more.length === 0 ? tail.lines : tail.lines.concat(more)
  // Output that comes too fast to be read has a mark instead of its start.
  const cut = tail.cut || all.length > MOST_LINES || text.length > MOST_TEXT || text.startsWith('…')
  return { lines: all.slice(-MOST_LINES), open: shownPart(open).slice(-MOST_OPEN), ...(cut && { cut }) }
}

/** A long line as several, because only the start of a line is shown. */
const inPieces = (line: string): readonly string[] =>
  line.length <= MOST_OF_LINE ? [line] : (line.match(PIECES) ?? [])

/** A carriage return starts the line again, as progress bars do. One at the very end has not overwritten anything yet. */
function shownPart(text: string): string {
  const bare = text.replace(/\r+$/, '')
  const again = bare.slice(bare.lastIndexOf('\r') + 1)
  return text.endsWith('\r') ? `${again}\r` : again
}

/** No more than one empty line in a row, and none at the start. */
const withoutGaps = (lines: readonly string[], before: string): readonly string[] =>
  lines.filter((line, at) => line.trim() !== '' || (at > 0 ? lines[at - 1] : before)?.trim() !== '')

/** The lines to show, the incomplete one last. */
export function tailLines(tail: Tail): readonly string[] {
  const open = clean(tail.open)
  return open === '' ? tail.lines : [...tail.lines, open]
}
