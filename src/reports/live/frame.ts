import { listedFindings } from '../../core/accepting.ts'
import { detailBlock } from './blocks/detail.ts'
import { headBlock, phasesBlock, statusBlock, taskBlock } from './blocks/head.ts'
import { iterationsPane, panesBlock, planPane } from './blocks/panes.ts'
import { breakerBlock, budgetBlock, limitsBlock, sparksBlock } from './blocks/progress.ts'
import { checksBlock, gateBlock, missingBlock } from './blocks/verdict.ts'
import { clean } from './clean.ts'
import { helpLines } from './help.ts'
import {
  type Block,
  distributeRows,
  type FrameOptions,
  paintFrame,
  rowsNeeded,
  sideBySide,
  textBlock,
} from './layout.ts'
import { type Line, type Look, lineWidth, marksOf, span } from './line.ts'
import { START_UI, type Ui } from './ui.ts'
import type { View } from './view.ts'

/** From this width on the numbers are in a second column. */
const TWO_COLUMNS = 100

export interface ScreenOptions extends FrameOptions {
  readonly ui?: Ui
  /** The keys work. */
  readonly keys?: boolean
  /** Another process runs the loop; Ctrl+C only leaves the view. */
  readonly attached?: boolean
}

/** The view as lines for a terminal of that size: none wider than it, and no more of them than it has rows. */
export function frame(view: View, options: ScreenOptions): readonly string[] {
  return paintFrame(options, (columns, rows) => {
    const { ui = START_UI } = options
    const foot = footBlock(view, columns, options)
    if (view.doing.kind !== 'ended' && ui.help)
      return helpLines(interruptForms(view, options).slice(0, 1), { columns, rows }, ui.helpTop)
    const blocks = ui.zoom ? zoomed(view, ui, columns, options) : blocksOf(view, ui, columns, rows, options)
    return distributeRows(view.doing.kind === 'ended' ? blocks : [...blocks, foot], rows)
  })
}

/** One pane alone. */
function zoomed(view: View, ui: Ui, columns: number, options: ScreenOptions): readonly Block[] {
  const draw = { plan: planPane, iterations: iterationsPane }
  const pane: Block =
    ui.pane === 'detail'
      ? detailBlock(view, ui, columns, 0, options)
      : { ...ENDLESS, draw: (rows) => draw[ui.pane as 'plan'](view, ui, columns, rows, options) }
  return [statusBlock(view, columns, options.now, options), pane]
}

const ENDLESS = { rank: 1, least: 1, most: Number.POSITIVE_INFINITY } as const

function blocksOf(view: View, ui: Ui, columns: number, rows: number, options: ScreenOptions): readonly Block[] {
  const { now } = options
  const over = view.doing.kind === 'ended'
  return [
    headBlock(view, columns, now, options),
    statusBlock(view, columns, now, options),
    ...(over ? [] : [limitsBlock(view, columns, now, options)]),
    phasesBlock(view, columns, options),
    taskBlock(view, columns, options),
    factsBlock(view, columns, options),
    ...(columns >= TWO_COLUMNS ? [columnsBlock(view, columns, rows, options)] : stacked(view, columns, options)),
    // After the end there is no more output.
    ...(over ? [] : [panesBlock(view, ui, columns, options), detailBlock(view, ui, columns, rows, options)]),
  ]
}

const stacked = (view: View, columns: number, options: FrameOptions): readonly Block[] => [
  gateBlock(view, columns, options),
  missingBlock(view, columns, options),
  checksBlock(view, columns, options),
  breakerBlock(view, columns, options),
  ...(view.doing.kind === 'ended' ? [budgetBlock(view, columns, options.now, options)] : []),
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
  const needed = (full: boolean): number =>
    Math.min(
      Math.max(rowsNeeded(flush(texts), full), rowsNeeded(flush(numbers), full)),
      Math.max(4, Math.floor(rows * 0.7)),
    )
  const most = needed(false)
  return {
    rank: 2,
    least: Math.min(4, most),
    most,
    full: needed(true),
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
  const lines = (iteration > 0 ? [] : facts).map(
    ({ name, state, text }): Line => [span(name.padEnd(10), FACT_TONES[state]), span(clean(text))],
  )
  return textBlock({ rank: 2.5, lines, least: 0, gap: true, hang: 10 }, columns, look)
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
    return [mark, span(clean(note.text), note.warning ? 'yellow' : 'dim')]
  })
  return textBlock({ rank: 6.5, lines, least: 1, gap: true }, columns, look)
}

/** The answer to your last key for some seconds, and the keys in the longest form that fits; in a small window only one of them. */
function footBlock(view: View, columns: number, look: ScreenOptions): Block {
  const { message } = look.ui ?? START_UI
  const forms = footForms(view, look).map((text): Line => [span(text, 'dim')])
  const keys = forms.find((form) => lineWidth(form) <= columns) ?? forms.at(-1) ?? []
  const said = message === undefined || message.until <= look.now ? [] : [[span(clean(message.text), 'yellow')]]
  const least = look.rows < 12 ? 1 : 2
  return textBlock({ rank: 3.5, lines: [...said, keys], least }, columns, look)
}

function footForms(view: View, options: ScreenOptions): readonly string[] {
  const forms = interruptForms(view, options)
  if (options.keys !== true || view.stopping !== undefined) return forms
  const { zoom, iteration, tab } = options.ui ?? START_UI
  const isAway = zoom || iteration !== undefined || tab !== undefined
  const first = `${isAway ? 'Esc back   ' : ''}${view.paused ? 'p resume   ' : ''}`
  const n = listedFindings(view.state.previous?.evidence).length
  const [accept, short] = n === 0 ? ['', ''] : ['a accept a finding   ', 'a accept   ']
  return [
    `${first}? help   q detach   ${accept}${forms[0]}`,
    `${first}${short}? help   q detach   ${forms.at(-1)}`,
    `${first}? help`,
    ...forms,
  ]
}

function interruptForms({ stopping, state }: View, { attached }: ScreenOptions): readonly string[] {
  if (attached) return ['Ctrl+C: leave the view, the run continues', 'Ctrl+C: leave']
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
