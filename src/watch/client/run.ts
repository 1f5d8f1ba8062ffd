import { charts } from '../../reports/page/client/charts.ts'
import { details } from '../../reports/page/client/details.ts'
import { el, plural, words } from '../../reports/page/client/dom.ts'
import { sections } from '../../reports/page/client/sections.ts'
import { forgetThemes } from '../../reports/page/client/theme.ts'
import { type Timeline, timeline } from '../../reports/page/client/timeline.ts'
import { withMore } from '../../reports/page/columns.ts'
import type { Iteration } from '../../reports/page/types.ts'
import type { LiveNews, LiveRun } from '../../reports/runs/live.ts'
import type { DiffNews, ReportAnswer, RunNews, RunRow, SeenRun } from '../../reports/runs/row.ts'
import { aside } from './aside.ts'
import type { Ask } from './ask.ts'
import { buttons, type RunLink, whyDisabled } from './buttons.ts'
import { changesPanel, iterationChanges } from './changes.ts'
import type { AskUser } from './dialogs.ts'
import { runHead, stateText } from './head.ts'
import { outputPane } from './output.ts'
import { tabs } from './tabs.ts'

export interface RunView {
  readonly element: HTMLElement
  show(row: RunRow): void
  /** How much of the run is shown. */
  seen(): SeenRun | undefined
  /** The mark of the diff that was loaded last. */
  diff(): string | undefined
  take(news: RunNews): void
  takeDiff(news: DiffNews): void
  live(news: LiveNews): void
  /** Whether exitgate watch answers. */
  link(open: boolean): void
  /** `pausing`, `verified` and so on, for the title of the page. */
  state(row: RunRow): string
  /** Whether a key did something. */
  key(key: string): boolean
  /** Moves the clocks. */
  tick(): void
}

const TABS = ['live', 'iterations', 'changes', 'charts', 'details']

/**
 * One run: its status and buttons, then tabs. The live output comes over the stream as it is printed. The other tabs show the same as
 * the report, and are drawn when they are opened. `again` asks for the whole run instead of news.
 */
export function runView(id: string, ask: Ask, askUser: AskUser, again: () => void): RunView {
  const control = buttons(askUser, (kind, reason, ids) => ask.press(id, kind, reason, ids))
  const head = runHead(control.element)
  const output = outputPane()
  const side = aside(control.accept, (n) => showIteration(n))
  const pane = el('section', { class: 'details', 'aria-labelledby': 'details-title' })
  const listBox = el('div')
  const look = el('div', { class: 'look', hidden: '' }, listBox, pane)
  const none = el('p', { class: 'soft' }, 'No iteration has been decided yet.')
  const panel = (...inside: readonly HTMLElement[]): HTMLElement => el('section', { class: 'panel' }, ...inside)
  const changes = changesPanel(id, ask)
  const chartBox = panel()
  const rest = panel()
  const parts = tabs(
    [
      { name: 'live', title: 'Live', panel: panel(el('div', { class: 'live' }, output.element, side.element)) },
      { name: 'iterations', title: 'Iterations', panel: panel(none, look) },
      { name: 'changes', title: 'Changes', panel: panel(changes.element) },
      { name: 'charts', title: 'Charts', panel: chartBox },
      { name: 'details', title: 'Details', panel: rest },
    ],
    (name, byUser) => {
      if (byUser) chosenTab = name
      draw()
    },
  )
  const element = el('main', {}, head.element, control.said, parts.element)
  let row: RunRow | undefined
  let live: LiveRun | undefined
  let link: RunLink = { open: false, connected: false }
  /** How far the server's clock is ahead of this one. */
  let ahead = 0
  let chosenTab: string | undefined
  let drawn: ReportAnswer | undefined
  /** The newest iteration with its details, which come with the news. */
  let latest: Iteration | undefined
  let list: Timeline | undefined
  /** The iteration that is shown; nothing means the newest one, whichever that is. */
  let wanted: number | undefined
  /** `wanted` was chosen outside of the list. */
  let jumps = false
  let shown = ''
  /** The tabs that show something older. */
  const stale = new Set<string>()

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
    const diff = iterationChanges(id, run, n, ask)
    pane.replaceChildren(...details(found, run, diff).filter((each) => each !== undefined))
    pane.scrollTop = 0
  }
  const openDetails = (): void => {
    document.getElementById('details-title')?.focus({ preventScroll: true })
    pane.scrollIntoView({ block: 'nearest' })
  }
  const showIteration = (n: number): void => {
    wanted = n
    jumps = true
    stale.add('iterations')
    parts.open('iterations', true)
    openDetails()
  }
  const chosenPlace = (place: number): void => {
    const n = drawn?.columns.n[place]
    if (n === undefined) return
    wanted = n === drawn?.columns.n.at(-1) ? undefined : n
    void fill(n)
  }
  const drawIterations = ({ columns }: ReportAnswer): void => {
    const newest = columns.n.length - 1
    look.hidden = newest < 0
    none.hidden = newest >= 0
    if (newest < 0) return
    const n = wanted
    const moves = jumps || list === undefined
    jumps = false
    if (list === undefined) {
      list = timeline(columns, chosenPlace, openDetails)
      listBox.replaceChildren(list.element)
    } else list.update(columns)
    if (!moves) return
    const place = n === undefined ? newest : columns.n.indexOf(n)
    list.choose(place >= 0 ? place : newest)
  }
  const drawCharts = ({ columns }: ReportAnswer): void => {
    forgetThemes()
    const made = charts(columns, (n) => showIteration(n))
    chartBox.replaceChildren(made ?? el('p', { class: 'soft' }, 'There is nothing to draw before the first decision.'))
  }
  /** Draws the open tab, if something in it is new. */
  const draw = (): void => {
    const name = parts.current
    if (drawn !== undefined) changes.show(drawn.head.run, name === 'changes')
    if (drawn === undefined || !stale.delete(name)) return
    if (name === 'iterations') drawIterations(drawn)
    if (name === 'charts') drawCharts(drawn)
    if (name === 'details') rest.replaceChildren(...sections(drawn.head).filter((each) => each !== undefined))
  }
  const drawHead = (): void => {
    if (row === undefined) return
    const current = isOf(live, row) ? live : undefined
    head.show(row, current)
    control.show({ row, live: current, link })
    // While a run takes its baseline, the report is still that of the run before it.
    const columns = drawn?.head.run === row.run ? drawn.columns : undefined
    side.show(row, current, columns, whyDisabled('accept', { row, live: current, link }))
    output.instead(...instead(row, link, latest))
    // A run that is over has nothing to show live, until you ask for it.
    const tab = row.answers || drawn === undefined || live !== undefined ? 'live' : 'iterations'
    if (chosenTab === undefined && parts.current !== tab) parts.open(tab)
    parts.mark('iterations', columns === undefined || columns.n.length === 0 ? '' : String(columns.n.length))
  }
  const tick = (): void => {
    const now = Date.now() + ahead
    head.tick(now)
    output.now(live, link.connected, now)
  }
  pane.addEventListener('keydown', (event) => {
    const place = drawn?.columns.n.indexOf(wanted ?? drawn.columns.n.at(-1) ?? -1) ?? -1
    if (event.key === 'Escape' && place >= 0) list?.choose(place, true)
  })
  return {
    element,
    tick,
    state: (each) => stateText(each, isOf(live, each) ? live : undefined),
    show(next) {
      row = next
      drawHead()
      tick()
    },
    seen: () => drawn && { run: drawn.head.run, iterations: drawn.columns.n.length, seq: drawn.seq },
    diff: () => changes.mark(),
    takeDiff: (news) => changes.take(news),
    take(news) {
      const answer = news.whole ? wholeOf(news) : drawn && withNews(drawn, news)
      latest = news.whole ? news.newest : (news.newest ?? latest)
      if (answer === undefined) {
        drawn = undefined
        again()
        return
      }
      if (drawn?.head.run !== answer.head.run) wanted = undefined
      if (news.whole) list = undefined
      drawn = answer
      for (const name of TABS) stale.add(name)
      drawHead()
      draw()
    },
    live(news) {
      ahead = news.now - Date.now()
      const { connected, refused } = news
      link = { open: link.open, connected, ...(refused !== undefined && { refused }) }
      live = news.whole ? (news.live as LiveRun) : live && { ...live, ...news.live }
      output.take(news.log, news.whole)
      drawHead()
      tick()
    },
    link(open) {
      link = { ...link, open }
      drawHead()
    },
    key(key) {
      const finding = row?.answers ? (row.findings?.find(({ agents }) => !agents) ?? row.findings?.[0]) : undefined
      const tab = TABS[Number(key) - 1]
      if (tab !== undefined) parts.open(tab, true)
      else if (key === 'd') parts.open('changes', true)
      else if (key === 'a' && finding !== undefined) control.accept(finding)
      else return control.key(key)
      return true
    },
  }
}

/** Events of an earlier run in the same project don't count for this one. */
const isOf = (live: LiveRun | undefined, row: RunRow): boolean => live !== undefined && live.run === row.run

/** What is shown where output would be. */
function instead(row: RunRow, { connected, refused }: RunLink, latest: Iteration | undefined): readonly HTMLElement[] {
  const text = latest?.said.text ?? ''
  const why = connected
    ? 'Waiting for output.'
    : !row.answers
      ? `This run is not running${row.iteration === 0 ? '' : `. It has ${plural(row.iteration, 'iteration')}`}.`
      : refused === undefined
        ? 'Connecting to the run. An older version of exitgate shows its output only in its own terminal.'
        : `The run doesn't show its output here: ${refused}.`
  return [
    el('p', { class: 'soft' }, words(why)),
    ...(text === '' || connected
      ? []
      : [el('h3', {}, `The agent’s last message, iteration ${latest?.n ?? 0}`), el('pre', { class: 'last' }, text)]),
  ]
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
