import { charts } from '../../reports/page/client/charts.ts'
import { details } from '../../reports/page/client/details.ts'
import { el, moneyText, spanText, tokensText, whenText, words } from '../../reports/page/client/dom.ts'
import { sections } from '../../reports/page/client/sections.ts'
import { answer, answerOfEnd, shape } from '../../reports/page/client/shapes.ts'
import { forgetThemes } from '../../reports/page/client/theme.ts'
import { type Timeline, timeline } from '../../reports/page/client/timeline.ts'
import { withMore } from '../../reports/page/columns.ts'
import type { Iteration } from '../../reports/page/types.ts'
import { type ReportAnswer, type RunNews, type RunRow, type SeenRun, statusText } from '../../reports/runs/row.ts'
import type { Ask } from './ask.ts'
import { buttons } from './buttons.ts'

export interface RunView {
  readonly element: HTMLElement
  show(row: RunRow): void
  /** How much of the run is shown. */
  seen(): SeenRun | undefined
  take(news: RunNews): void
}

/**
 * One run: its status, the buttons, and the same charts and iterations as in the report. They are drawn again with all news of it.
 * `again` asks for the whole run instead of news.
 */
export function runView(id: string, ask: Ask, again: () => void): RunView {
  const head = el('header', { class: 'top' })
  const control = buttons((kind, reason, ids) => ask.press(id, kind, reason, ids))
  const chartBox = el('div', { class: 'parts' })
  const pane = el('section', { class: 'details', 'aria-labelledby': 'details-title' })
  const listBox = el('div')
  const look = el('div', { class: 'look', hidden: '' }, listBox, pane)
  const rest = el('div', { class: 'parts' })
  const element = el('main', {}, head, control.element, chartBox, look, rest)
  let drawn: ReportAnswer | undefined
  /** The newest iteration with its details, which come with the news. */
  let latest: Iteration | undefined
  let list: Timeline | undefined
  /** The iteration that is shown; nothing means the newest one, whichever that is. */
  let wanted: number | undefined
  let shown = ''

  const fill = async (n: number): Promise<void> => {
    const run = drawn?.head.run ?? ''
    const key = `${run} ${n}`
    if (key === shown) return
    shown = key
    const found = latest?.n === n ? latest : await ask.iteration(id, run, n)
    if (found === undefined || shown !== key) {
      if (shown === key) shown = ''
      return
    }
    pane.replaceChildren(...details(found, run).filter((each) => each !== undefined))
    pane.scrollTop = 0
  }
  const openDetails = (): void => {
    document.getElementById('details-title')?.focus({ preventScroll: true })
    pane.scrollIntoView({ block: 'nearest' })
  }
  const draw = (answer: ReportAnswer): void => {
    const { columns, head: data } = answer
    if (drawn?.head.run !== data.run) wanted = undefined
    drawn = answer
    forgetThemes()
    const focused =
      listBox.contains(document.activeElement) && document.activeElement?.getAttribute('role') === 'option'
    const newest = columns.n.length - 1
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
    list = timeline(columns, chosen, openDetails)
    listBox.replaceChildren(list.element)
    const place = wanted === undefined ? newest : columns.n.indexOf(wanted)
    if (newest >= 0) list.choose(place >= 0 ? place : newest, focused)
    settled = true
    rest.replaceChildren(...sections(data).filter((each) => each !== undefined))
  }
  pane.addEventListener('keydown', (event) => {
    const place = drawn?.columns.n.indexOf(wanted ?? drawn.columns.n.at(-1) ?? -1) ?? -1
    if (event.key === 'Escape' && place >= 0) list?.choose(place, true)
  })
  return {
    element,
    show(row) {
      head.replaceChildren(...runHead(row))
      control.show(row)
    },
    seen: () => drawn && { run: drawn.head.run, iterations: drawn.columns.n.length, seq: drawn.seq },
    take(news) {
      const answer = news.whole ? wholeOf(news) : drawn && withNews(drawn, news)
      latest = news.whole ? news.newest : (news.newest ?? latest)
      if (answer !== undefined) {
        draw(answer)
        return
      }
      drawn = undefined
      again()
    },
  }
}

const wholeOf = ({ head, columns, seq }: RunNews): ReportAnswer => ({
  head: head as ReportAnswer['head'],
  columns,
  seq,
})

/** What is drawn, with the news added; undefined if they don't follow it. */
function withNews({ head: before, columns }: ReportAnswer, news: RunNews): ReportAnswer | undefined {
  const head = { ...before, ...news.head }
  for (const name of news.gone) delete head[name]
  const together = withMore(columns, news.columns)
  if (news.run !== before.run || together.n.length !== news.iterations) return undefined
  return { head, columns: together, seq: news.seq }
}

/** The status, the last reason, what it cost, and what is still needed. */
function runHead(row: RunRow): readonly HTMLElement[] {
  const tone = row.status === 'unreadable' ? 'no' : answerOfEnd(row.outcome, row.ending)
  return [
    el('h1', { tabindex: '-1' }, shape(tone), words(row.project), el('span', { class: 'doing' }, doing(row))),
    el('p', { class: 'reason' }, words(row.reason === '' ? 'No decision yet.' : row.reason)),
    facts(row),
    ...(row.missing.length === 0
      ? []
      : [
          el(
            'section',
            { class: 'missing' },
            el('h2', {}, 'Still needed'),
            el('ul', {}, ...row.missing.map((each) => el('li', {}, words(each)))),
          ),
        ]),
  ]
}

function doing(row: RunRow): string {
  if (row.status === 'running') return `running, iteration ${row.iteration}`
  if (row.status === 'held') return 'paused'
  return row.status === 'waiting' ? 'waiting for the provider' : statusText(row)
}

function facts(row: RunRow): HTMLElement {
  const { spent } = row
  const rows: readonly (readonly [string, HTMLElement])[] = [
    ['Claim', answer(row.claim ?? 'unknown')],
    ['Proof', answer(row.proof ?? 'unknown')],
    ['Iteration', words(String(row.iteration))],
    ...(row.phase === undefined ? [] : [['Phase', words(row.phase)] as const]),
    ...(row.task === undefined ? [] : [['Task', words(row.task)] as const]),
    ['Circuit breaker', words(row.breaker)],
    ['Agent time', words(spanText(spent.ms))],
    ...(spent.usd > 0 ? [['Cost', words(moneyText(spent.usd))] as const] : []),
    ...(spent.tokens > 0 ? [['Tokens', words(tokensText(spent.tokens))] as const] : []),
    ['Preset', words(row.preset)],
    ['Run', words(row.run)],
    ['Started', words(whenText(row.startedAt))],
    ['Last event', words(whenText(row.seenAt))],
  ]
  return el(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}
