import type { ReadOptions, Transcript } from '../types.ts'
import { type Field, fieldOf, itemOf, readTree } from './fields.ts'
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
const BLOCK_LIMIT = 200

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

/** Blocks between `---NAME---` and `---END_NAME---`, each alone on its line. */
export function markedBlocks(dialect: string, name: string, lines: readonly Line[]): Block[] {
  const start = new RegExp(`^-{2,}\\s*${name}\\s*-{2,}$`)
  const end = new RegExp(`^-{2,}\\s*END_${name}\\s*-{2,}$`)
  const blocks: Block[] = []
  let at: number | undefined
  const close = (to: number, complete: boolean) => {
    if (at === undefined) return
    const last = complete ? to : lastField(lines, at, Math.min(to, at + BLOCK_LIMIT))
    blocks.push({ dialect, at, end: last, fields: readTree(lines.slice(at + 1, last + 1).filter(isWords)), complete })
    at = undefined
  }
  for (const [index, line] of lines.entries()) {
    if (at !== undefined && index - at > BLOCK_LIMIT) close(index - 1, false)
    if (!line.text.includes(name)) continue
    const text = bareText(line.text)
    if (end.test(text)) close(index, true)
    else if (start.test(text)) {
      close(index - 1, false)
      at = index
    }
  }
  close(lines.length - 1, false)
  return blocks
}

const isWords = (line: Line): boolean => !line.fence && !/^\s*-{2,}/.test(line.text)

/** A block that was cut off ends with its last field before the first line that is none. */
function lastField(lines: readonly Line[], at: number, to: number): number {
  let last = at
  for (let index = at + 1; index <= to; index += 1) {
    const line = lines[index]
    if (line === undefined || line.blank) continue
    if (line.fence || (!fieldOf(line.text) && itemOf(line.text) === undefined)) break
    last = index
  }
  return last
}

/** Blocks under a header `NAME:` alone on its line. Known keys need no indent; other keys must stand deeper. */
export function headedBlocks(
  dialect: string,
  name: string,
  known: ReadonlySet<string>,
  lines: readonly Line[],
): Block[] {
  const header = new RegExp(`^${name}[*_\`]*\\s*[:：][*_\`]*$`)
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]
    if (line === undefined || !line.text.includes(name) || !header.test(bareText(line.text))) continue
    const end = bodyEnd(lines, at, known)
    const body = lines.slice(at + 1, end + 1).filter((inner) => !inner.fence)
    blocks.push({ dialect, at, end, fields: readTree(body), complete: true })
    at = end
  }
  return blocks
}

function bodyEnd(lines: readonly Line[], at: number, known: ReadonlySet<string>): number {
  const header = lines[at]?.indent ?? 0
  let end = at
  let openList = false
  for (let index = at + 1; index < lines.length && index - at <= BLOCK_LIMIT; index += 1) {
    const line = lines[index]
    if (line === undefined) break
    // Agents put a blank line or the opening of a fence between the header and its fields.
    if (line.blank || (line.fence && end === at && line.standing !== 'hidden')) {
      if (end > at && !isKnown(lines[index + 1], known)) break
      continue
    }
    const field = fieldOf(line.text)
    const deeper = line.indent > header
    const belongs = field ? deeper || known.has(field.key) : openList && (deeper || itemOf(line.text) !== undefined)
    if (!belongs || line.fence) break
    end = index
    openList = field ? field.value === '' : openList
  }
  return end
}

function isKnown(line: Line | undefined, known: ReadonlySet<string>): boolean {
  const key = line && fieldOf(line.text)?.key
  return key !== undefined && known.has(key)
}

/**
 * Runs of known fields that stand by themselves, blank lines between them allowed. Keys must be written in capitals and
 * must not be indented like code; `lead` names the field that makes a run a block, and its return begins a new one.
 */
export function bareRuns(dialect: string, lead: string, known: ReadonlySet<string>, source: Source): Block[] {
  const blocks: Block[] = []
  let run: number[] = []
  let keys = new Set<string>()
  let openList = false
  const close = () => {
    const at = run[0]
    const end = run.at(-1)
    if (at !== undefined && end !== undefined) {
      const fields = readTree(run.flatMap((index) => source.lines[index] ?? []))
      blocks.push({ dialect, at, end, fields, complete: keys.has(lead) })
    }
    run = []
    keys = new Set()
    openList = false
  }
  for (const [index, line] of source.lines.entries()) {
    if (line.blank && !source.taken.has(index)) continue
    // In a fence a `#` is the comment of a script, not a heading.
    const comment = line.standing === 'fenced' && /^\s*#/.test(line.text)
    const skipped = source.taken.has(index) || line.indent >= 4 || line.fence || comment
    const field = skipped ? undefined : fieldOf(line.text)
    if (field && known.has(field.key) && !isSentence(field.key, field.value)) {
      const last = run.at(-1)
      if (keys.has(field.key) || (last !== undefined && source.lines[last]?.standing !== line.standing)) close()
      keys.add(field.key)
      run.push(index)
      openList = field.value === ''
    } else if (openList && run.length > 0 && itemOf(line.text) !== undefined) run.push(index)
    // Agents mix their formats: a field of another dialect in between does not end the run.
    else if (field && /^[A-Z]+(?:_[A-Z]+)+$/.test(field.key)) openList = false
    else close()
  }
  close()
  return blocks
}

const WORDS = new Set(['EXIT_STATUS', 'EXIT_SIGNAL', 'EXIT_OVERRIDE', 'STATUS', 'PHASE_COMPLETE'])

/** `EXIT_STATUS: COMPLETE is what I would print` talks about the line; it is not one. */
function isSentence(key: string, value: string): boolean {
  if (!WORDS.has(key)) return false
  const head = value.split(/\s+(?:#|\/\/|--?|–|—)\s|\s*[(,;<{[|]/)[0] ?? ''
  return head.split(/\s+/).length > 3
}
