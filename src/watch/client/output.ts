import { durationText } from '../../reports/live/duration.ts'
import { checkText, runText } from '../../reports/live/view.ts'
import { el, words } from '../../reports/page/client/dom.ts'
import type { LiveCommand, LiveRun, LogPart } from '../../reports/runs/live.ts'

/** As much text as the server keeps, and some more. */
const MOST_TEXT = 400_000
const MOST_PARTS = 4000
/** Pixels from the end that still count as the end. */
const NEAR = 24
/** Agents think for a while; a shorter silence is normal. */
const SILENT_MS = 10_000

const SHOWN = [
  ['all', 'Everything'],
  ['agent', 'Agent'],
  ['checks', 'Checks'],
] as const

export interface OutputPane {
  readonly element: HTMLElement
  take(parts: readonly LogPart[], whole: boolean): void
  /** What runs now, with times up to this moment. */
  now(live: LiveRun | undefined, connected: boolean, at: number): void
  /** Shown while there is no output. */
  instead(...content: readonly HTMLElement[]): void
}

/** The output of the agent and the checks as it comes. It follows the end until you scroll up. */
export function outputPane(): OutputPane {
  const log = el('div', { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': 'Output', tabindex: '0' })
  const empty = el('div', { class: 'empty' })
  const running = el('div', { class: 'now' })
  const latest = el('button', { type: 'button', class: 'latest', hidden: '' }, 'Scrolling is paused. Go to the end')
  const known = new Map<number, { readonly node: Text; readonly element: HTMLElement; size: number }>()
  let size = 0
  let follows = true
  let lastTop = 0
  let drawn = ''

  const follow = (): void => {
    latest.hidden = follows
    if (!follows) return
    log.scrollTop = log.scrollHeight
    lastTop = log.scrollTop
  }
  log.addEventListener(
    'scroll',
    () => {
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - NEAR
      if (atEnd) follows = true
      else if (log.scrollTop < lastTop) follows = false
      lastTop = log.scrollTop
      latest.hidden = follows
    },
    { passive: true },
  )
  latest.addEventListener('click', () => {
    follows = true
    follow()
    log.focus({ preventScroll: true })
  })
  new ResizeObserver(follow).observe(log)

  const buttons = SHOWN.map(([name, title]) => {
    const button = el('button', { type: 'button', 'aria-pressed': String(name === 'all') }, title)
    button.addEventListener('click', () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === button))
      log.dataset.show = name
      follow()
    })
    return button
  })
  log.dataset.show = 'all'

  const add = (part: LogPart): void => {
    const before = known.get(part.id)
    size += part.text.length
    if (before !== undefined) {
      before.node.appendData(part.text)
      before.size += part.text.length
      return
    }
    const node = document.createTextNode(part.text)
    const element = el('div', { class: `part is-${part.kind}${part.tone ? ` tone-${part.tone}` : ''}` }, node)
    if (part.kind === 'iteration') element.setAttribute('role', 'heading')
    if (part.kind === 'iteration') element.setAttribute('aria-level', '3')
    known.set(part.id, { node, element, size: part.text.length })
    log.append(element)
  }
  const clear = (): void => {
    known.clear()
    size = 0
    log.replaceChildren()
  }
  /** The oldest parts go first. */
  const trim = (): void => {
    for (const [id, part] of known) {
      if (size <= MOST_TEXT && known.size <= MOST_PARTS) return
      size -= part.size
      part.element.remove()
      known.delete(id)
    }
  }
  const filters = el('div', { class: 'filters', role: 'group', 'aria-label': 'What is shown' }, ...buttons)
  return {
    element: el(
      'section',
      { class: 'output', 'aria-label': 'Live output' },
      el('div', { class: 'output-head' }, running, filters),
      el('div', { class: 'log-box' }, log, empty, latest),
    ),
    take(parts, whole) {
      if (whole) clear()
      for (const part of parts) add(part)
      trim()
      empty.hidden = known.size > 0
      log.hidden = known.size === 0
      follow()
    },
    now(live, connected, at) {
      const shown = live === undefined || !connected ? [] : nowLines(live, at)
      const text = JSON.stringify(shown)
      if (text === drawn) return
      drawn = text
      running.replaceChildren(...shown.map(nowLine))
    },
    instead(...content) {
      if (known.size === 0) log.hidden = true
      empty.hidden = known.size > 0
      empty.replaceChildren(...content)
    },
  }
}

interface NowLine {
  readonly title: string
  readonly detail: string
  readonly counts?: LiveCommand['counts']
}

/** One line for each running command, or what the run does otherwise. */
function nowLines(live: LiveRun, at: number): readonly NowLine[] {
  if (live.commands.length > 0)
    return live.commands.map((each) => ({
      title: each.command,
      detail: `${durationText(at - each.at)}${runText(each)}${checkText(each.check)}`,
      ...(each.counts && { counts: each.counts }),
    }))
  const { doing, heardAt, attempt } = live
  const silent = at - (heardAt ?? doing.since)
  const again = attempt > 1 ? `, start ${attempt}` : ''
  if (doing.kind !== 'agent') return []
  const quiet = silent >= SILENT_MS ? `, no output for ${durationText(silent)}` : ''
  return [{ title: 'Agent', detail: `${durationText(at - doing.since)}${again}${quiet}` }]
}

function nowLine({ title, detail, counts }: NowLine): HTMLElement {
  return el(
    'p',
    {},
    el('span', { class: 'spin', 'aria-hidden': 'true' }),
    el('code', {}, words(title)),
    el('span', { class: 'soft' }, words(detail)),
    counts && [
      el('span', { class: 'yes' }, `${counts.passed} passed`),
      counts.failed > 0 ? el('span', { class: 'no' }, `${counts.failed} failed`) : undefined,
      counts.skipped > 0 ? el('span', { class: 'soft' }, `${counts.skipped} skipped`) : undefined,
    ],
  )
}
