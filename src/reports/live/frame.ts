import { listedFindings } from '../../core/accepting.ts'
import { headBlock, phasesBlock, statusBlock, taskBlock } from './blocks/head.ts'
import { breakerBlock, budgetBlock, sparksBlock } from './blocks/progress.ts'
import { checksBlock, gateBlock, missingBlock } from './blocks/verdict.ts'
import { clean } from './clean.ts'
import { type Block, distributeRows, type FrameOptions, paintFrame, rowsNeeded, sideBySide } from './layout.ts'
import { cutLine, type Line, type Look, lineWidth, marksOf, span, wrapText } from './line.ts'
import { EMPTY_TAIL, tailLines } from './tail.ts'
import type { View } from './view.ts'

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
    factsBlock(view, columns, options),
    ...(columns >= TWO_COLUMNS ? [columnsBlock(view, columns, rows, options)] : stacked(view, columns, options)),
    // After the end there is no more output, and Ctrl+C does nothing.
    ...(over ? [] : [tailBlock(view, columns, rows, options), footBlock(view, columns, options)]),
  ]
}

const stacked = (view: View, columns: number, options: FrameOptions): readonly Block[] => [
  gateBlock(view, columns, options),
  missingBlock(view, columns, options),
  checksBlock(view, columns, options),
  breakerBlock(view, columns, options),
  budgetBlock(view, columns, options.now, options),
  sparksBlock(view, columns, options),
  notesBlock(view, columns, options),
]

/** Text on the left, numbers on the right. */
function columnsBlock(view: View, columns: number, rows: number, options: FrameOptions): Block {
  const right = Math.min(72, Math.floor(columns * 0.4))
  const left = columns - right - 3
  const texts = [gateBlock, missingBlock, notesBlock].map((block) => block(view, left, options))
  const numbers = [
    checksBlock(view, right, options),
    breakerBlock(view, right, options),
    budgetBlock(view, right, options.now, options),
    sparksBlock(view, right, options),
  ]
  const most = Math.min(
    Math.max(rowsNeeded(flush(texts)), rowsNeeded(flush(numbers))),
    Math.max(4, Math.floor(rows * 0.7)),
  )
  return {
    rank: 2,
    least: Math.min(4, most),
    most,
    gap: true,
    draw: (given) =>
      sideBySide(distributeRows(flush(texts), given), distributeRows(flush(numbers), given), left + 1, options),
  }
}

/** Both columns start on the same row, so the first block of each has no gap of its own. */
const flush = (blocks: readonly Block[]): readonly Block[] => {
  const first = blocks.findIndex(({ most }) => most > 0)
  return blocks.map((block, at) => (at === first ? { ...block, gap: false } : block))
}

const FACT_TONES = { good: 'dim', note: 'yellow', bad: 'red' } as const

/** What was checked before the first iteration, until that starts. */
function factsBlock({ facts, iteration }: View, columns: number, look: Look): Block {
  const lines = (iteration > 0 ? [] : facts).map(({ name, state, text }): Line => {
    const words = [span(`${name.padEnd(10)}`, FACT_TONES[state]), span(clean(text))]
    return cutLine(words, columns, look)
  })
  const { length: most } = lines
  return { rank: 2.5, least: 0, most, gap: true, draw: (rows) => lines.slice(0, rows) }
}

/** Warnings first, newest first, then those of the last decision, then everything else. */
function notesBlock(view: View, columns: number, look: Look): Block {
  const verdict = view.decided?.verdict
  const others = verdict?.action === 'continue' ? verdict.warnings.filter((text) => text !== verdict.reason) : []
  const warnings = others.map((text) => ({ text, warning: true }))
  const newest = [...view.notes].reverse()
  const warned = newest.filter(({ warning }) => warning)
  const lines = [...warned, ...warnings, ...newest.filter(({ warning }) => !warning)].slice(0, 3).map((note): Line => {
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

/** The end of the agent's output. A bar on every row keeps it apart from our own lines. */
function tailBlock(view: View, columns: number, height: number, look: Look): Block {
  const { rule, bar } = marksOf(look)
  return {
    rank: 11,
    least: Math.max(3, Math.min(8, Math.floor(height / 5))),
    most: Number.POSITIVE_INFINITY,
    gap: true,
    draw: (rows) => {
      if (rows < 1) return []
      const title = `${rule}${rule} agent output `
      const head: Line = [span(title + rule.repeat(Math.max(0, columns - title.length)), 'dim')]
      const texts = tailLines(shownTail(view)).slice(-rows)
      const wrapped = texts.flatMap((text) => wrapText(text, Math.max(2, columns - 2))).slice(1 - rows)
      const shown =
        rows === 1 ? [] : wrapped.map((text) => cutLine([span(`${bar} `, 'dim'), span(text)], columns, look))
      const blank = Array.from({ length: rows - 1 - shown.length }, (): Line => [])
      return [cutLine(head, columns, look), ...shown, ...blank]
    },
  }
}

/** The last output there is. */
const shownTail = ({ iterations }: View) =>
  iterations.findLast(({ output }) => output !== EMPTY_TAIL)?.output ?? EMPTY_TAIL

/** What Ctrl+C does now, in the longest form that fits. */
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

function footForms(view: View): readonly string[] {
  const forms = interruptForms(view)
  const n = listedFindings(view.state.previous?.evidence).length
  if (n === 0 || view.stopping !== undefined) return forms
  return [`a: accept a finding   ${forms[0]}`, 'a: accept   Ctrl+C: stop', ...forms]
}

function interruptForms({ stopping, state }: View): readonly string[] {
  if (stopping?.now) return [clean(stopping.message), 'Ctrl+C again: stop now']
  if (stopping)
    return [
      clean(stopping.message),
      'Ctrl+C again stops the agent immediately, in the middle of its work',
      'Ctrl+C again: stop now',
    ]
  if (state.config?.run.interrupt === 'immediate')
    return ['Ctrl+C stops the agent and saves the state', 'Ctrl+C: stop and save']
  return ['Ctrl+C: stop after this iteration   twice: stop immediately', 'Ctrl+C: stop   twice: now']
}
