import { headBlock, phasesBlock, statusBlock, taskBlock } from './blocks/head.ts'
import { breakerBlock, budgetBlock, sparksBlock } from './blocks/progress.ts'
import { checksBlock, keysBlock, missingBlock } from './blocks/verdict.ts'
import { clean } from './clean.ts'
import { type Block, beside, distributeRows, type FrameOptions, paintFrame, rowsNeeded } from './layout.ts'
import { cutLine, type Line, type Look, lineWidth, marksOf, span, wrapText } from './line.ts'
import { tailLines, type View } from './view.ts'

/** From this width on the numbers are in a second column. */
const TWO_COLUMNS = 100

/** The view as lines for a terminal of that size: none wider than it, and no more of them than it has rows. */
export function frame(view: View, options: FrameOptions): readonly string[] {
  return paintFrame(options, (columns, rows) => distributeRows(blocksOf(view, columns, rows, options), rows))
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
  const most = Math.min(
    Math.max(rowsNeeded(flush(words)), rowsNeeded(flush(numbers))),
    Math.max(4, Math.floor(rows * 0.7)),
  )
  return {
    rank: 2,
    least: Math.min(4, most),
    most,
    gap: true,
    draw: (given) =>
      beside(distributeRows(flush(words), given), distributeRows(flush(numbers), given), left + 1, options),
  }
}

/** Both columns begin on the same row: the first block of each has its gap above both. */
const flush = (blocks: readonly Block[]): readonly Block[] => {
  const first = blocks.findIndex(({ most }) => most > 0)
  return blocks.map((block, at) => (at === first ? { ...block, gap: false } : block))
}

/** Warnings first, the newest before the older ones, then those of the last decision, then what else happened. */
function notesBlock(view: View, columns: number, look: Look): Block {
  const verdict = view.decided?.verdict
  const warnings = verdict?.action === 'continue' ? verdict.warnings.map((text) => ({ text, warning: true })) : []
  const newest = [...view.notes].reverse()
  const heard = newest.filter(({ warning }) => warning)
  const lines = [...heard, ...warnings, ...newest.filter(({ warning }) => !warning)].slice(0, 3).map((note): Line => {
    const mark = span(note.warning ? '! ' : `${marksOf(look).dot} `, note.warning ? 'yellow' : 'dim')
    return cutLine([mark, span(clean(note.text), note.warning ? 'yellow' : 'dim')], columns, look)
  })
  return {
    rank: 6.5,
    least: Math.min(1, lines.length),
    most: lines.length,
    gap: true,
    draw: (rows) => lines.slice(0, rows),
  }
}

/** The end of what the agent printed, behind a bar on every row: nothing it says can be taken for a line of ours. */
function tailBlock(view: View, columns: number, height: number, look: Look): Block {
  const { rule, bar } = marksOf(look)
  return {
    rank: 11,
    least: Math.max(3, Math.min(8, Math.floor(height / 5))),
    most: Number.POSITIVE_INFINITY,
    gap: true,
    draw: (rows) => {
      if (rows < 1) return []
      const title = `${rule}${rule} the agent `
      const head: Line = [span(title + rule.repeat(Math.max(0, columns - title.length)), 'dim')]
      const texts = tailLines(view.tail).slice(-rows)
      const wrapped = texts.flatMap((text) => wrapText(text, Math.max(2, columns - 2))).slice(1 - rows)
      const shown =
        rows === 1 ? [] : wrapped.map((text) => cutLine([span(`${bar} `, 'dim'), span(text)], columns, look))
      const blank = Array.from({ length: rows - 1 - shown.length }, (): Line => [])
      return [cutLine(head, columns, look), ...shown, ...blank]
    },
  }
}

/** What Ctrl+C does now. The longest form that fits. */
function footBlock(view: View, columns: number, look: Look): Block {
  return {
    rank: 3.5,
    least: 1,
    most: 1,
    draw: () => {
      const forms = footForms(view).map((text): Line => [span(text, 'dim')])
      return [cutLine(forms.find((form) => lineWidth(form) <= columns) ?? forms.at(-1) ?? [], columns, look)]
    },
  }
}

function footForms({ stopping, state }: View): readonly string[] {
  if (stopping?.now) return [clean(stopping.message), 'Ctrl+C again: end at once']
  if (stopping)
    return [
      clean(stopping.message),
      'Ctrl+C again ends the agent at once, in the middle of its work',
      'Ctrl+C again: end at once',
    ]
  if (state.config?.run.interrupt === 'immediate')
    return ['Ctrl+C ends the agent and saves the state', 'Ctrl+C: end, state saved']
  return [
    'Ctrl+C once: the agent finishes this iteration, then the run stops   twice: end at once',
    'Ctrl+C: stop after this iteration   twice: at once',
    'Ctrl+C: stop   twice: at once',
  ]
}
