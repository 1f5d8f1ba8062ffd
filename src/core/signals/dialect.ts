import type { ReadOptions, Transcript } from '../types.ts'
import type { Field } from './fields.ts'
import type { Line } from './lines.ts'

/** One way to write a status block. A new one is a file in dialects/ and a line in its index. */
export interface Dialect {
  readonly name: string
  /** Has no header of its own: reads only lines that no block with a header holds. */
  readonly bare?: boolean
  readonly find: (source: Source) => readonly Block[]
  /** The explicit yes or no of these fields; undefined when they say neither. */
  readonly claim: (fields: readonly Field[], options: ReadOptions) => boolean | undefined
  /** Field without which a block that lacks its end mark claims nothing: what was cut off may have said no. */
  readonly needs?: string
  /** What is odd about a block of this dialect, beyond what the table of meanings sees. */
  readonly odd?: (fields: readonly Field[], options: ReadOptions) => readonly string[]
}

export interface Source {
  readonly lines: readonly Line[]
  readonly transcript: Transcript
  readonly taken: ReadonlySet<number>
}

export interface Block {
  readonly dialect: string
  /** First and last line. What was said before the message stands at -1, what stands beside it at Infinity. */
  readonly at: number
  readonly end: number
  readonly fields: readonly Field[]
  /** False when the end mark or the field that matters is missing. */
  readonly complete: boolean
  /** Adds to what is said, but is no block: it claims nothing and replaces nothing. */
  readonly report?: boolean
}

/** No agent writes a longer one; a start mark without an end must not swallow the whole message. */
export const BLOCK_LIMIT = 200

/** The numbers of all lines that these blocks hold. */
export function heldBy(blocks: readonly Block[]): Set<number> {
  const held = new Set<number>()
  for (const { at, end } of blocks)
    for (let line = Math.max(at, 0); line <= end && Number.isFinite(end); line += 1) held.add(line)
  return held
}

/** The words of a line without the marks around them: `**---X---**` and `### X:` are what they say. */
export function bareText(text: string): string {
  return text
    .trim()
    .slice(0, 200)
    .replaceAll('\\_', '_')
    .replace(/^[#*`_\s]+|[*`_\s]+$/g, '')
}
