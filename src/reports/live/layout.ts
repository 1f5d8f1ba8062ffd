import { cutLine, type Line, type Look, padLine, paintLine, span, wrapLine } from './line.ts'

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
  /** With so many rows no text in it is cut. It gets them once the others have what they have use for. */
  readonly full?: number
  /** A blank row before it where there is room. */
  readonly gap?: boolean
  /** At most `rows` lines. */
  readonly draw: (rows: number) => readonly Line[]
}

/** Hands out the rows: to each block by rank what it needs at least, then what it has use for, the gaps, and texts in full. */
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
  const grow = (block: Block, most = block.most): void => {
    const has = given.get(block)
    if (has === undefined) return
    const more = Math.min(left, most - has)
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
  for (const block of bounded) grow(block, Math.max(block.most, block.full ?? 0))
  for (const block of endless) grow(block)
  return blocks.flatMap((block) => {
    const lines = block.draw(given.get(block) ?? 0).slice(0, given.get(block) ?? 0)
    return gaps.has(block) && lines.length > 0 ? [[], ...lines] : lines
  })
}

/** Rows the blocks have use for, gaps included; with `full`, for texts that are not cut. */
export const rowsNeeded = (blocks: readonly Block[], full = false): number =>
  blocks.reduce((sum, block) => {
    const rows = full ? Math.max(block.most, block.full ?? 0) : block.most
    return sum + (rows > 0 ? rows + (block.gap ? 1 : 0) : 0)
  }, 0)

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

interface Texts extends Pick<Block, 'rank'> {
  readonly lines: readonly Line[]
  /** Goes first when there is no room for it and two lines. */
  readonly title?: Line
  /** How many of the lines it needs (default: all). */
  readonly least?: number
  readonly most?: number
  readonly gap?: boolean
  /** How far the later rows of a text are indented. */
  readonly hang?: number
}

/** Lines as a block: one row each where there is little room, in full where rows are left. */
export function textBlock(texts: Texts, columns: number, look: Look): Block {
  const { rank, title, lines, least = lines.length, most = lines.length, gap = false, hang = 2 } = texts
  const all = title === undefined || lines.length === 0 ? lines : [title, ...lines]
  const rowsOf = (some: readonly Line[]): number =>
    some.reduce((sum, line) => sum + wrapLine(line, columns, hang).length, 0)
  return {
    rank,
    least: Math.min(lines.length, least),
    // A title is the first to be shown in full.
    most: Math.min(lines.length, most) + rowsOf(all.slice(0, all.length - lines.length)),
    full: rowsOf(all),
    gap,
    draw: (rows) => fitted(rows > Math.min(lines.length, 2) ? all : lines, rows, columns, hang, look),
  }
}

/** What does not fit is counted in the last row. The first lines are the first to get more than one row. */
function fitted(lines: readonly Line[], rows: number, columns: number, hang: number, look: Look): readonly Line[] {
  const isCut = lines.length > rows && rows >= 2
  const shown = lines.slice(0, isCut ? rows - 1 : rows)
  let left = rows - shown.length
  const drawn = shown.flatMap((line) => {
    const all = wrapLine(line, columns, hang)
    const more = Math.min(left, all.length - 1)
    left -= more
    if (more === 0) return [cutLine(line, columns, look)]
    return more === all.length - 1
      ? all
      : [
          ...all.slice(0, more),
          cutLine(
            all.slice(more).flatMap((row) => [...row, span(' ')]),
            columns,
            look,
          ),
        ]
  })
  return isCut ? [...drawn, [span(`  and ${lines.length - shown.length} more`, 'dim')]] : drawn
}
