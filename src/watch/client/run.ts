import { charts } from '../../reports/page/client/charts.ts'
import { details } from '../../reports/page/client/details.ts'
import { el } from '../../reports/page/client/dom.ts'
import { sections } from '../../reports/page/client/sections.ts'
import { forgetThemes } from '../../reports/page/client/theme.ts'
import { type Timeline, timeline } from '../../reports/page/client/timeline.ts'
import type { ReportAnswer, RunRow } from '../../reports/runs/row.ts'
import type { Ask } from './ask.ts'
import { buttons } from './buttons.ts'
import { runHead } from './head.ts'

/** Not more often than this, however much happens. */
const REST_MS = 1000

export interface RunView {
  readonly element: HTMLElement
  show(row: RunRow): void
}

/** One run: where it stands, the buttons, and the same charts and iterations as in the report. They are drawn anew when it goes on. */
export function runView(id: string, ask: Ask): RunView {
  const head = el('header', { class: 'top' })
  const control = buttons((kind, reason) => ask.press(id, kind, reason))
  const chartBox = el('div', { class: 'parts' })
  const pane = el('section', { class: 'details', 'aria-labelledby': 'details-title' })
  const listBox = el('div')
  const look = el('div', { class: 'look', hidden: '' }, listBox, pane)
  const rest = el('div', { class: 'parts' })
  const element = el('main', {}, head, control.element, chartBox, look, rest)
  let row: RunRow | undefined
  let drawn: ReportAnswer | undefined
  let list: Timeline | undefined
  /** The iteration that is shown; nothing means the newest one, whichever that is. */
  let wanted: number | undefined
  let shown = ''
  let asking = false

  const fill = async (n: number): Promise<void> => {
    const run = drawn?.head.run ?? ''
    const key = `${run} ${n}`
    if (key === shown) return
    shown = key
    const found = await ask.iteration(id, run, n)
    if (found === undefined || shown !== key) {
      if (shown === key) shown = ''
      return
    }
    pane.replaceChildren(...details(found, run).filter((each) => each !== undefined))
    pane.scrollTop = 0
  }
  const draw = (answer: ReportAnswer): void => {
    const { columns, head: data } = answer
    if (drawn?.head.run !== data.run) wanted = undefined
    drawn = answer
    forgetThemes()
    const focused =
      listBox.contains(document.activeElement) && document.activeElement?.getAttribute('role') === 'option'
    const newest = columns.n.length - 1
    const open = (): void => {
      document.getElementById('details-title')?.focus({ preventScroll: true })
      pane.scrollIntoView({ block: 'nearest' })
    }
    let settled = false
    const chosen = (place: number): void => {
      const n = columns.n[place]
      if (n === undefined) return
      if (settled) wanted = place === newest ? undefined : n
      void fill(n)
    }
    chartBox.replaceChildren(
      ...[charts(columns, (n) => list?.choose(columns.n.indexOf(n)))].filter((each) => each !== undefined),
    )
    look.hidden = newest < 0
    list = timeline(columns, chosen, open)
    listBox.replaceChildren(list.element)
    const place = wanted === undefined ? newest : columns.n.indexOf(wanted)
    if (newest >= 0) list.choose(place >= 0 ? place : newest, focused)
    settled = true
    rest.replaceChildren(...sections(data).filter((each) => each !== undefined))
  }
  const update = async (): Promise<void> => {
    if (asking || row === undefined || row.status === 'unreadable') return
    asking = true
    const answer = await ask.report(id)
    if (answer !== undefined && answer.seq !== drawn?.seq) draw(answer)
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
    asking = false
    // Long runs are drawn less often by the server; and something may have happened meanwhile.
    if (element.isConnected && drawn?.seq !== row.seq) void update()
  }
  pane.addEventListener('keydown', (event) => {
    const place = drawn?.columns.n.indexOf(wanted ?? drawn.columns.n.at(-1) ?? -1) ?? -1
    if (event.key === 'Escape' && place >= 0) list?.choose(place, true)
  })
  return {
    element,
    show(now) {
      row = now
      head.replaceChildren(...runHead(now))
      control.show(now)
      if (now.seq !== drawn?.seq) void update()
    },
  }
}
