import { endSentence } from '../../core/policy/ending-text.ts'
import { amountText, durationText } from '../../reports/live/duration.ts'
import { el, marked, moneyText, plural, words } from '../../reports/page/client/dom.ts'
import { answer, answerOfEnd, claimed, shape } from '../../reports/page/client/shapes.ts'
import { BREAKER_TEXT } from '../../reports/plain-words.ts'
import type { LiveRun } from '../../reports/runs/live.ts'
import { type RunRow, statusText } from '../../reports/runs/row.ts'

export interface RunHead {
  readonly element: HTMLElement
  show(row: RunRow, live: LiveRun | undefined): void
  /** Moves the clock. */
  tick(now: number): void
}

/** The verdict in words, what the run does now, and what it has used of its limits. */
export function runHead(controls: HTMLElement): RunHead {
  const title = el('h1', { tabindex: '-1' })
  const now = el('p', { class: 'phase' })
  const reason = el('p', { class: 'reason' })
  const tiles = el('dl', { class: 'tiles' })
  const about = el('dl', { class: 'tiles' })
  const element = el(
    'header',
    { class: 'top' },
    el('div', { class: 'title' }, title, controls),
    now,
    reason,
    tiles,
    about,
  )
  let shown: { readonly row: RunRow; readonly live: LiveRun | undefined } | undefined
  let clock = 0
  let drawn = ''

  const draw = (): void => {
    if (shown === undefined) return
    const { row, live } = shown
    const parts = [stateOf(row, live), phaseText(row, live, clock), reasonText(row, live), tilesOf(row, live, clock)]
    const text = JSON.stringify([parts, row.project, row.task, row.claim, row.proof])
    if (text === drawn) return
    drawn = text
    const [state] = parts
    const tone = row.status === 'unreadable' ? 'no' : answerOfEnd(row.outcome, row.ending)
    title.replaceChildren(
      words(row.task === undefined ? row.project : `${row.project}: ${row.task}`),
      el('span', { class: `doing ${state}` }, ...(row.status === 'ended' ? [shape(tone)] : []), stateText(row, live)),
    )
    now.textContent = phaseText(row, live, clock)
    now.hidden = now.textContent === ''
    reason.replaceChildren(...(row.crashed ? marked(CRASHED) : []), words(reasonText(row, live)))
    tiles.replaceChildren(...tilesOf(row, live, clock).map(tile))
    about.replaceChildren(...aboutOf(row).map(tile))
  }
  return {
    element,
    show(row, live) {
      shown = { row, live }
      draw()
    },
    tick(at) {
      clock = at
      draw()
    },
  }
}

/** The name of the colour. */
function stateOf(row: RunRow, live: LiveRun | undefined): string {
  if (row.status === 'ended') return answerOfEnd(row.outcome, row.ending)
  if (live !== undefined && live.pause !== 'no') return 'held'
  return row.status === 'unreadable' || row.crashed ? 'no' : row.status
}

export function stateText(row: RunRow, live: LiveRun | undefined): string {
  if (row.status === 'ended') return statusText(row)
  if (live?.pause === 'pausing') return 'pausing'
  if (live?.pause === 'paused') return 'paused'
  return live !== undefined && live.stopping !== null ? 'stopping' : statusText(row)
}

/** What the run does, and since when. */
function phaseText(row: RunRow, live: LiveRun | undefined, now: number): string {
  const most = row.limits?.iterations
  const n = live?.iteration ?? row.iteration
  const iteration = n === 0 ? '' : `Iteration ${n.toLocaleString('en')}${most === undefined ? '' : ` of ${most}`}`
  if (row.status === 'ended' || row.status === 'unreadable') return ''
  const after =
    live?.pause === 'pausing'
      ? 'will pause after this iteration'
      : live !== undefined && live.stopping !== null
        ? 'will stop after this iteration'
        : ''
  const parts = [iteration, live === undefined ? '' : doingText(live, now), after]
  // The title has the task of the run.
  const named = [live?.phase ?? row.phase ?? '', live?.task === row.task ? '' : (live?.task ?? '')]
  return [...parts, ...named].filter((each) => each !== '').join(' · ')
}

function doingText({ doing, pause, commands }: LiveRun, now: number): string {
  const time = durationText(now - doing.since)
  if (pause === 'paused') return `paused for ${time}`
  switch (doing.kind) {
    case 'starting':
      return 'starting'
    case 'baseline':
      return 'checking the project before the first iteration'
    case 'agent':
      return `agent working for ${time}`
    case 'evidence':
      return commands.some(({ check }) => check === 'tests')
        ? `running the tests, ${time}`
        : `running the checks, ${time}`
    case 'deciding':
      return 'deciding'
    case 'waiting':
      return doing.until === undefined
        ? `waiting for you: ${doing.why}`
        : `waiting ${durationText(doing.until - now)} more: ${doing.why}`
    case 'ended':
      return ''
  }
}

const CRASHED =
  'The run was killed before it could end. Run `exitgate run --resume` in the folder of the project to continue it. '

/** The verdict so far. */
function reasonText(row: RunRow, live: LiveRun | undefined): string {
  const { status, reason, ending, iteration } = row
  if (status === 'ended' && ending !== undefined) return endSentence({ ending, reason })
  if (reason !== '') return status === 'unreadable' ? reason : `Last verdict: ${lower(reason)}`
  if (live?.doing.kind === 'baseline') return 'exitgate runs your tests first, so that it knows what the agent changes.'
  if (live?.doing.kind === 'evidence') return 'No verdict yet. exitgate checks what the agent did.'
  if (status === 'running') return `No verdict yet. The agent works on iteration ${Math.max(1, iteration)}.`
  return 'No verdict yet.'
}

const lower = (text: string): string => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)

interface Tile {
  readonly name: string
  readonly text: string | HTMLElement
  /** How much of the limit is used, 0 to 1. */
  readonly share?: number
}

function tilesOf(row: RunRow, live: LiveRun | undefined, now: number): readonly Tile[] {
  const { limits = {}, spent } = row
  const running = isRunning(row)
  const elapsed = Math.max(0, (running ? Math.max(now, row.seenAt) : row.seenAt) - row.startedAt)
  const usd = spent.usd + (live?.used.usd ?? 0)
  const tokens = spent.tokens + (live?.used.tokens ?? 0)
  const iteration = live?.iteration ?? row.iteration
  const test = live?.commands.find(({ check, counts }) => check === 'tests' && counts !== undefined)?.counts
  const tests =
    test !== undefined
      ? `${test.passed} passed${test.failed > 0 ? `, ${test.failed} failed` : ''}`
      : row.tests && `${row.tests.passed} of ${row.tests.total} pass`
  return [
    limited('Elapsed', elapsed, limits.minutes && limits.minutes * 60_000, durationText),
    limited('Iterations', iteration, limits.iterations, (n) => n.toLocaleString('en')),
    ...(usd > 0 || limits.usd !== undefined ? [limited('Cost', usd, limits.usd, moneyText)] : []),
    ...(tokens > 0 || limits.tokens !== undefined ? [limited('Tokens', tokens, limits.tokens, amountText)] : []),
    ...(tests === undefined ? [] : [{ name: 'Tests', text: tests }]),
    ...(row.breaker === 'closed' ? [] : [{ name: 'Circuit breaker', text: BREAKER_TEXT[row.breaker] }]),
  ]
}

/** The second row. */
const aboutOf = (row: RunRow): readonly Tile[] => [
  ...(row.claim === undefined ? [] : [{ name: 'Claim', text: claimed(row.claim) }]),
  ...(row.proof === undefined ? [] : [{ name: 'Proof', text: answer(row.proof) }]),
  ...(row.sandbox === undefined && !isRunning(row) ? [] : [{ name: 'Sandbox', text: row.sandbox ?? 'off' }]),
  { name: 'Preset', text: row.preset },
  { name: 'Run', text: row.run },
]

const isRunning = ({ status, answers }: RunRow): boolean => status !== 'ended' && answers

function limited(name: string, value: number, limit: number | undefined, text: (value: number) => string): Tile {
  if (limit === undefined) return { name, text: text(value) }
  return { name, text: `${text(value)} of ${text(limit)}`, share: limit === 0 ? 1 : Math.min(1, value / limit) }
}

function tile({ name, text, share }: Tile): HTMLElement {
  const value = el('dd', {}, typeof text === 'string' ? words(text) : text)
  if (share !== undefined) {
    const fill = el('span', { class: share > 0.9 ? 'fill near' : 'fill' })
    fill.style.width = `${(100 * share).toFixed(1)}%`
    value.append(el('span', { class: 'meter', 'aria-hidden': 'true' }, fill))
  }
  return el('div', { class: 'tile' }, el('dt', {}, name), value)
}

/** `3 of 8 items done` */
export const planText = (items: readonly { readonly state: string }[]): string =>
  `${items.filter(({ state }) => state === 'done').length} of ${plural(items.length, 'item')} done`
