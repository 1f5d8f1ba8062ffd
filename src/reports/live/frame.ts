import { breakerBlock, budgetBlock } from './blocks/budget.ts'
import { checksBlock } from './blocks/checks.ts'
import { footBlock, notesBlock, tailBlock } from './blocks/foot.ts'
import { headBlock, phasesBlock, statusBlock, taskBlock } from './blocks/head.ts'
import { keysBlock, missingBlock } from './blocks/keys.ts'
import { sparksBlock } from './blocks/sparks.ts'
import { cutLine, type Look, paintLine } from './line.ts'
import { type Block, beside, handOut, wanted } from './rows.ts'
import type { View } from './view.ts'

export interface FrameOptions extends Look {
  readonly columns: number
  readonly rows: number
  /** The time it is, in ms since 1970. */
  readonly now: number
}

/** No window is larger than this; a terminal may say anything about itself. */
const LARGEST = 1000
/** From here on the numbers stand beside the words. */
const TWO_COLUMNS = 100

/** The view as lines for a terminal of that size: none wider than it, and no more of them than it has rows. */
export function frame(view: View, options: FrameOptions): readonly string[] {
  const columns = Math.min(LARGEST, Math.floor(options.columns))
  const rows = Math.min(LARGEST, Math.floor(options.rows))
  if (!(columns >= 1 && rows >= 1)) return []
  const blocks = blocksOf(view, columns, rows, options)
  return handOut(blocks, rows)
    .slice(0, rows)
    .map((line) => paintLine(cutLine(line, columns, options), options))
}

function blocksOf(view: View, columns: number, rows: number, options: FrameOptions): readonly Block[] {
  const { now } = options
  const over = view.doing.kind === 'ended'
  return [
    headBlock(view, columns, now, options),
    statusBlock(view, columns, now, options),
    phasesBlock(view, columns, options),
    taskBlock(view, columns, options),
    ...(columns >= TWO_COLUMNS ? [besideBlock(view, columns, rows, options)] : stacked(view, columns, options)),
    // A run that is over needs no keys, and its agent says nothing more.
    ...(over ? [] : [tailBlock(view, columns, rows, options), footBlock(view, columns, options)]),
  ]
}

const stacked = (view: View, columns: number, options: FrameOptions): readonly Block[] => [
  keysBlock(view, columns, options),
  missingBlock(view, columns, options),
  checksBlock(view, columns, options),
  breakerBlock(view, columns, options),
  budgetBlock(view, columns, options.now, options),
  sparksBlock(view, columns, options),
  notesBlock(view, columns, options),
]

/** Words on the left, numbers on the right. */
function besideBlock(view: View, columns: number, rows: number, options: FrameOptions): Block {
  const right = Math.min(72, Math.floor(columns * 0.4))
  const left = columns - right - 3
  const words = [keysBlock, missingBlock, notesBlock].map((block) => block(view, left, options))
  const numbers = [
    checksBlock(view, right, options),
    breakerBlock(view, right, options),
    budgetBlock(view, right, options.now, options),
    sparksBlock(view, right, options),
  ]
  const most = Math.min(Math.max(wanted(flush(words)), wanted(flush(numbers))), Math.max(4, Math.floor(rows * 0.7)))
  return {
    rank: 2,
    least: Math.min(4, most),
    most,
    gap: true,
    draw: (given) => beside(handOut(flush(words), given), handOut(flush(numbers), given), left + 1, options),
  }
}

/** Both columns begin on the same row: the first block of each has its gap above both. */
const flush = (blocks: readonly Block[]): readonly Block[] => {
  const first = blocks.findIndex(({ most }) => most > 0)
  return blocks.map((block, at) => (at === first ? { ...block, gap: false } : block))
}
