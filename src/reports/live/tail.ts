import { clean } from './clean.ts'

/** The end of a program's output: complete lines, cleaned, and the raw start of the last, incomplete one. */
export interface Tail {
  readonly lines: readonly string[]
  readonly open: string
}

export const EMPTY_TAIL: Tail = { lines: [], open: '' }

const MOST_LINES = 1_000
const MOST_TEXT = 65_536
const MOST_OPEN = 4096

/**
 * The tail with one more piece; of a long piece only the end counts. The incomplete line stays raw, because an escape sequence may be
 * split between pieces.
 */
export function appendText(tail: Tail, text: string): Tail {
  const parts = (tail.open + text.slice(-MOST_TEXT)).replaceAll('\r\n', '\n').split('\n')
  const open = parts.pop() ?? ''
  const lines = parts.slice(-MOST_LINES).map((part) => clean(shownPart(part)))
  const kept = [...tail.lines, ...lines].slice(-MOST_LINES)
  return { lines: withoutGaps(kept), open: shownPart(open).slice(-MOST_OPEN) }
}

/** A carriage return starts the line again, as progress bars do. One at the very end has not overwritten anything yet. */
function shownPart(text: string): string {
  const bare = text.replace(/\r+$/, '')
  const again = bare.slice(bare.lastIndexOf('\r') + 1)
  return text.endsWith('\r') ? `${again}\r` : again
}

/** No more than one empty line in a row. */
const withoutGaps = (lines: readonly string[]): readonly string[] =>
  lines.filter((line, at) => line.trim() !== '' || (at > 0 && lines[at - 1]?.trim() !== ''))

/** The lines to show, the incomplete one last. */
export function tailLines(tail: Tail): readonly string[] {
  const open = clean(tail.open)
  return open === '' ? tail.lines : [...tail.lines, open]
}
