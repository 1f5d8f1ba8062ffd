import { clean } from './clean.ts'

/** The end of what the agent printed: whole lines, clean, and the raw beginning of the one that is not over. */
export interface Tail {
  readonly lines: readonly string[]
  readonly open: string
}

export const EMPTY_TAIL: Tail = { lines: [], open: '' }

const MOST_LINES = 200
const MOST_TEXT = 32_768
const MOST_OPEN = 4096

/**
 * The tail with one more piece. However much comes, only its end is looked at. The open line stays raw, because an escape sequence
 * may be cut in two between pieces.
 */
export function appendText(tail: Tail, text: string): Tail {
  const parts = (tail.open + text.slice(-MOST_TEXT)).replaceAll('\r\n', '\n').split('\n')
  const open = parts.pop() ?? ''
  const lines = parts.slice(-MOST_LINES).map((part) => clean(shownPart(part)))
  const kept = [...tail.lines, ...lines].slice(-MOST_LINES)
  return { lines: withoutGaps(kept), open: shownPart(open).slice(-MOST_OPEN) }
}

/** A carriage return begins the line anew: progress bars do that. One at the very end has not been written over yet. */
function shownPart(text: string): string {
  const bare = text.replace(/\r+$/, '')
  const again = bare.slice(bare.lastIndexOf('\r') + 1)
  return text.endsWith('\r') ? `${again}\r` : again
}

/** Two empty lines in a row say no more than one. */
const withoutGaps = (lines: readonly string[]): readonly string[] =>
  lines.filter((line, at) => line.trim() !== '' || (at > 0 && lines[at - 1]?.trim() !== ''))

/** What there is to show, the open line last. */
export function tailLines(tail: Tail): readonly string[] {
  const open = clean(tail.open)
  return open === '' ? tail.lines : [...tail.lines, open]
}
