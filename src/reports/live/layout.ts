import { cutLine, type Line, type Look, padLine, paintLine, span } from './line.ts'

export interface FrameOptions extends Look {
  readonly columns: number
  readonly rows: number
  /** The current time, in ms since 1970. */
  readonly now: number
}

/** No window is larger than this; a terminal may report anything as its size. */
export const LARGEST_WINDOW = 1000

/** Draws lines for a window of that size: none wider than it, and no more of them than it has rows. */
export function paintFrame(
  options: FrameOptions,
  draw: (columns: number, rows: number) => readonly Line[],
): readonly string[] {
  const columns = Math.min(LARGEST_WINDOW, Math.floor(options.columns))
  const rows = Math.min(LARGEST_WINDOW, Math.floor(options.rows))
  if (!(columns >= 1 && rows >= 1)) return []
  return draw(columns, rows)
    .slice(0, rows)
    .map((line) => paintLine(cutLine(line, columns, options), options))
}

/** A part of the frame that can be drawn in more or fewer rows. */
export interface Block {
  /** The lower, the earlier it gets its rows. */
  readonly rank: number
  /** Below so many rows it is left out. */
  readonly least: number
  /** More than so many it has no use for. */
  readonly most: number
  /** A blank row before it where there is room. */
  readonly gap?: boolean
  /** At most `rows` lines. */
  readonly draw: (rows: number) => readonly Line[]
}

/** Hands out the rows: to each block by rank what it needs at least, then what it has use for, then the gaps; draws in the given order. */
export function distributeRows(blocks: readonly Block[], rows: number): readonly Line[] {
  let left = rows
  const byRank = [...blocks].filter(({ most }) => most > 0).sort((a, b) => a.rank - b.rank)
  const given = new Map<Block, number>()
  for (const block of byRank) {
    if (block.least > left) continue
    given.set(block, block.least)
    left -= block.least
  }
  const bounded = byRank.filter(({ most }) => most !== Number.POSITIVE_INFINITY)
  const endless = byRank.filter(({ most }) => most === Number.POSITIVE_INFINITY)
  const grow = (block: Block): void => {
    const has = given.get(block)
    if (has === undefined) return
    const more = Math.min(left, block.most - has)
    given.set(block, has + more)
    left -= more
  }
  for (const block of bounded) grow(block)
  const gaps = new Set<Block>()
  for (const block of blocks.filter((each) => each.gap && given.has(each))) {
    if (left === 0) break
    gaps.add(block)
    left -= 1
  }
  for (const block of endless) grow(block)
  return blocks.flatMap((block) => {
    const lines = block.draw(given.get(block) ?? 0).slice(0, given.get(block) ?? 0)
    return gaps.has(block) && lines.length > 0 ? [[], ...lines] : lines
  })
}

/** Rows the blocks have use for, gaps included. */
export const rowsNeeded = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, { most, gap }) => sum + (most > 0 ? most + (gap ? 1 : 0) : 0), 0)

/** Two stacks next to each other. */
export function sideBySide(left: readonly Line[], right: readonly Line[], width: number, look: Look): readonly Line[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const second = right[at] ?? []
    return second.length === 0 ? (left[at] ?? []) : [...padLine(left[at] ?? [], width, look), span('  '), ...second]
  })
}

/** Short lines of a kind, two in a row where both have room. */
export function inPairs(make: (columns: number) => readonly Line[], columns: number, look: Look): readonly Line[] {
  if (columns < 70) return make(columns)
  const half = Math.floor((columns - 3) / 2)
  const lines = make(half)
  const every = (rest: number): readonly Line[] => lines.filter((_, at) => at % 2 === rest)
  return sideBySide(every(0), every(1), half + 1, look)
}

/** A list below its title; the title goes first when there is no room for both. */
export function titled(title: Line, lines: readonly Line[], rows: number): readonly Line[] {
  return rows > Math.min(lines.length, 2) ? [title, ...shortened(lines, rows - 1)] : shortened(lines, rows)
}

/** A list of which the end may not fit: its last row then says how many are left out, if it has more than one. */
function shortened(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows || rows < 2) return lines.slice(0, rows)
  const shown = lines.slice(0, rows - 1)
  return [...shown, [span(`  and ${lines.length - shown.length} more`, 'dim')]]
}
