import type { PlanItem } from '../../../core/loop-event.ts'
import { verdictSentence } from '../../../core/policy/ending-text.ts'
import type { Answer } from '../../../core/types.ts'
import { toneOf } from '../../verdict-text.ts'
import { clean } from '../clean.ts'
import type { IterationView } from '../iterations.ts'
import { type Block, sideBySide } from '../layout.ts'
import {
  answerMark,
  cutLine,
  type Line,
  type Look,
  marksOf,
  padLine,
  span,
  type Tone,
  textWidth,
  wrapText,
} from '../line.ts'
import type { Ui } from '../ui.ts'
import type { View } from '../view.ts'

const MOST_ROWS = 9

/** The plan and the iterations next to each other; without a plan, only the iterations. */
export function panesBlock(view: View, ui: Ui, columns: number, look: Look): Block {
  const items = view.plan?.items.length ?? 0
  const decided = view.iterations.length
  const most = Math.max(items, decided) === 0 ? 0 : Math.min(MOST_ROWS, Math.max(items, decided) + 1)
  return {
    rank: 4.5,
    least: Math.min(3, most),
    most,
    gap: true,
    draw: (rows) => {
      if (rows < 2) return []
      if (items === 0) return iterationsPane(view, ui, columns, rows, look)
      const left = Math.floor((columns - 3) * 0.45)
      const right = columns - left - 3
      return sideBySide(
        planPane(view, ui, left, rows, look),
        iterationsPane(view, ui, right, rows, look),
        left + 1,
        look,
      )
    },
  }
}

function heading(text: string, isFocused: boolean, columns: number, look: Look): Line {
  const { rule } = marksOf(look)
  const title = `${rule}${rule} ${text} `
  const fill = rule.repeat(Math.max(0, columns - textWidth(title)))
  return cutLine([span(title, isFocused ? 'bold' : 'dim'), span(fill, 'dim')], columns, look)
}

const STATES: Readonly<Record<PlanItem['state'], Tone | undefined>> = {
  done: 'green',
  current: 'cyan',
  open: undefined,
  skipped: 'dim',
}

/** The items around the current one, or from the row you scrolled to. Zoomed, long titles are wrapped. */
export function planPane(view: View, ui: Ui, columns: number, rows: number, look: Look): readonly Line[] {
  const { path = 'plan', items = [] } = view.plan ?? {}
  const done = items.filter(({ state }) => state === 'done').length
  const head = heading(`${clean(path)} ${done} of ${items.length}`, ui.pane === 'plan', columns, look)
  const { step } = marksOf(look)
  const marks = { done: step.done, current: step.now, open: step.ahead, skipped: '-' } as const
  const current = items.findIndex(({ state }) => state === 'current')
  const room = rows - 1
  const top = ui.pane === 'plan' ? ui.planTop : Math.max(0, Math.min(current - 1, items.length - room))
  const lines = items.slice(top, top + room).flatMap(({ title, state }): readonly Line[] => {
    const mark = span(`${marks[state]} `, STATES[state])
    const tone = state === 'current' ? 'bold' : state === 'open' ? undefined : 'dim'
    if (!ui.zoom) return [cutLine([mark, span(clean(title), tone)], columns, look)]
    return wrapText(clean(title), columns - 2).map((row, at): Line => [at === 0 ? mark : span('  '), span(row, tone)])
  })
  return [head, ...lines.slice(0, room)]
}

/** The newest at the bottom, or around the one you selected. */
export function iterationsPane(view: View, ui: Ui, columns: number, rows: number, look: Look): readonly Line[] {
  const { iterations } = view
  const isFocused = ui.pane === 'iterations'
  const most = view.state.config?.limits.iterations
  const title = `iterations${most === undefined ? '' : ` (limit ${most})`}`
  const at = iterations.findIndex(({ iteration }) => iteration === ui.iteration)
  const chosen = at < 0 ? iterations.length - 1 : at
  const room = rows - 1
  const top = Math.max(0, Math.min(chosen - Math.floor(room / 2), iterations.length - room))
  const groups = iterations.slice(top, top + room).map((each, nth): readonly Line[] => {
    const isChosen = top + nth === chosen && (isFocused || ui.iteration !== undefined)
    return iterationLines(each, view, { columns, isChosen, wraps: ui.zoom }, look)
  })
  // Wrapped, the earlier ones may leave no room for the chosen one.
  const end = groups.slice(0, chosen - top + 1).flat().length
  const from = Math.max(0, Math.min(end - room, end - (groups[chosen - top]?.length ?? 0)))
  return [heading(title, isFocused, columns, look), ...groups.flat().slice(from, from + room)]
}

interface IterationRow {
  readonly columns: number
  readonly isChosen: boolean
  readonly wraps: boolean
}

function iterationLines(each: IterationView, view: View, row: IterationRow, look: Look): readonly Line[] {
  const { iteration, decided } = each
  const mark = span(row.isChosen ? '> ' : '  ', 'cyan')
  const name = span(iteration === 0 ? 'baseline ' : `${iteration} `, 'bold')
  if (decided === undefined) {
    const isNow = each === view.iterations.at(-1) && view.doing.kind !== 'ended'
    return [cutLine([mark, name, span(isNow ? 'now' : 'done', isNow ? 'cyan' : 'dim')], row.columns, look)]
  }
  const { verdict } = decided
  const head = [mark, name, ...answer('claim', verdict.gate.claim, look), ...answer('proof', verdict.gate.proof, look)]
  const reason = clean(verdictSentence(verdict))
  const tone = toneOf(verdict)
  if (!row.wraps) return [cutLine([...head, span(reason, tone)], row.columns, look)]
  const indent = span('    ')
  const texts = [reason, ...verdict.missing.map((text) => `still needed: ${clean(text)}`)]
  return [
    padLine(head, row.columns, look),
    ...texts.flatMap((text, at) =>
      wrapText(text, row.columns - 4).map((line): Line => [indent, span(line, at === 0 ? tone : undefined)]),
    ),
  ]
}

const answer = (name: 'claim' | 'proof', given: Answer, look: Look): Line => [
  span(`${name} `, 'dim'),
  answerMark(name, given, look),
  span(' '),
]
