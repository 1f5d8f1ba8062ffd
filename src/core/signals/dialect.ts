import type { ReadOptions, Transcript } from '../types.ts'
import type { Field } from './fields.ts'
import type { Line } from './lines.ts'

/** One format of status blocks. To add one, add a file in dialects/ and a line in its index. */
export interface Dialect {
  readonly name: string
  /** Has no header. Reads only lines outside all blocks with a header. */
  readonly headerless?: boolean
  readonly find: (source: Source) => readonly Block[]
  /** The explicit yes or no in these fields. Undefined if there is neither. */
  readonly claim: (fields: readonly Field[], options: ReadOptions) => boolean | undefined
  /** Without this field, a block that lacks its end mark claims nothing, because the missing part may say no. */
  readonly requiredField?: string
  /** Problems of a block that only this dialect can detect. */
  readonly problems?: (fields: readonly Field[], options: ReadOptions) => readonly string[]
}

export interface Source {
  readonly lines: readonly Line[]
  readonly transcript: Transcript
  readonly usedLines: ReadonlySet<number>
}

export interface Block {
  readonly dialect: string
  /** First and last line. -1 for a statement before the message, Infinity for one outside it. */
  readonly at: number
  readonly end: number
  readonly fields: readonly Field[]
  /** False if the end mark or the deciding field is missing. */
  readonly complete: boolean
  /** Only adds fields. It claims nothing and replaces no block. */
  readonly fieldsOnly?: boolean
}

/** Longer than any real block, so that a start mark without an end doesn't swallow the whole message. */
export const BLOCK_LIMIT = 200

/** The line numbers of all these blocks. */
export function linesOf(blocks: readonly Block[]): Set<number> {
  const held = new Set<number>()
  for (const { at, end } of blocks)
    for (let line = Math.max(at, 0); line <= end && Number.isFinite(end); line += 1) held.add(line)
  return held
}

/** A line without Markdown around it: `**---X---**` becomes `---X---`, `### X:` becomes `X:`. */
export function withoutMarkup(text: string): string {
  return text
    .slice(0, 200)
    .replaceAll('\\_', '_')
    .replace(/^[#*`_\s]+|[*`_\s]+$/g, '')
}
