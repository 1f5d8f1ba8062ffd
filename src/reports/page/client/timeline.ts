import { endingText } from '../../../core/policy/ending-text.ts'
import type { BreakerState } from '../../../core/types.ts'
import { BREAKER_TEXT } from '../../plain-words.ts'
import { ANSWERS, type Columns, MARKS } from '../columns.ts'
import { el, moneyText, spanText, words } from './dom.ts'
import { claimAndProof } from './shapes.ts'
import { filters } from './timeline-filters.ts'

const ROW = 44
/** Extra rows above and below the visible ones. */
const SPARE = 6
const PAGE = 10
const INTRO =
  'Each row shows the agent’s claim, then the proof. A run completes when the agent says it’s done and the proof passes.'

export interface Timeline {
  readonly element: HTMLElement
  /** Makes the iteration at that place the chosen one, and shows it. */
  choose(place: number, focus?: boolean): void
  /** More iterations of the same run. Filter, focus and scroll position stay. If the newest was chosen, the new one is. */
  update(columns: Columns): void
}

/** The iterations as a virtual list. One row has the focus; arrow keys move it. */
export function timeline(first: Columns, chosen: (place: number) => void, open: () => void): Timeline {
  let columns = first
  let places: readonly number[] = columns.n.map((_n, place) => place)
  let current = Math.max(0, places.length - 1)
  const rows = new Map<number, HTMLElement>()
  const inner = el('div', { class: 'rows', role: 'presentation' })
  const list = el('div', { class: 'list', role: 'listbox', 'aria-label': 'Iterations' }, inner)
  const none = el('p', { class: 'none', hidden: '' }, 'No iterations match.')

  const draw = (): void => {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE)
    const last = Math.min(places.length - 1, Math.ceil((list.scrollTop + (list.clientHeight || 600)) / ROW) + SPARE)
    const wanted = new Set<number>([current])
    for (let at = first; at <= last; at++) wanted.add(at)
    for (const [at, row] of rows)
      if (!wanted.has(at)) {
        row.remove()
        rows.delete(at)
      }
    for (const at of [...wanted].sort((one, other) => one - other)) {
      const place = places[at]
      if (place === undefined) continue
      let row = rows.get(at)
      if (row === undefined) {
        row = rowFor(columns, place)
        row.style.top = `${at * ROW}px`
        row.setAttribute('aria-posinset', String(at + 1))
        row.dataset.at = String(at)
        rows.set(at, row)
        inner.insertBefore(row, following(at))
      }
      row.setAttribute('aria-setsize', String(places.length))
      row.tabIndex = at === current ? 0 : -1
      row.setAttribute('aria-selected', String(at === current))
    }
  }
  /** Rows are in the page in reading order. */
  const following = (at: number): Node | null => {
    const later = [...rows.keys()].filter((other) => other > at)
    return later.length === 0 ? null : (rows.get(Math.min(...later)) ?? null)
  }

  const move = (at: number, focus: boolean): void => {
    if (places.length === 0) return
    current = Math.min(places.length - 1, Math.max(0, at))
    const top = current * ROW
    const height = list.clientHeight || ROW
    if (top < list.scrollTop) list.scrollTop = top
    else if (top + ROW > list.scrollTop + height) list.scrollTop = top + ROW - height
    draw()
    if (focus) rows.get(current)?.focus({ preventScroll: true })
    const place = places[current]
    if (place !== undefined) chosen(place)
  }

  const show = (kept: readonly number[]): void => {
    const before = places[current]
    places = kept
    for (const row of rows.values()) row.remove()
    rows.clear()
    inner.style.height = `${places.length * ROW}px`
    none.hidden = places.length > 0
    list.hidden = places.length === 0
    const at = before === undefined ? -1 : places.indexOf(before)
    move(at >= 0 ? at : places.length - 1, false)
  }

  list.addEventListener('scroll', draw, { passive: true })
  new ResizeObserver(draw).observe(list)
  list.addEventListener('click', (event) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-at]') : null
    if (row === null) return
    move(Number(row.dataset.at), true)
    open()
  })
  const steps: Readonly<Record<string, () => number>> = {
    ArrowDown: () => current + 1,
    ArrowUp: () => current - 1,
    PageDown: () => current + PAGE,
    PageUp: () => current - PAGE,
    Home: () => 0,
    End: () => places.length - 1,
  }
  list.addEventListener('keydown', (event) => {
    const step = steps[event.key]
    if (step !== undefined) move(step(), true)
    else if (event.key === 'Enter' || event.key === ' ') open()
    else return
    event.preventDefault()
  })

  const choose = (place: number, focus = false): void => {
    if (!places.includes(place)) bar.all()
    move(places.indexOf(place), focus)
  }
  const update = (next: Columns): void => {
    const wasNewest = places[current] === columns.n.length - 1
    const wasAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - ROW / 2
    const hadFocus = rows.get(current)?.contains(document.activeElement) === true
    columns = next
    places = bar.update(next)
    inner.style.height = `${places.length * ROW}px`
    if (wasNewest) current = places.length - 1
    if (wasNewest && wasAtEnd) list.scrollTop = list.scrollHeight
    draw()
    if (hadFocus) rows.get(current)?.focus({ preventScroll: true })
    const place = places[current]
    if (wasNewest && place !== undefined) chosen(place)
  }
  const bar = filters(columns, show, (place) => choose(place, true))
  const element = el(
    'section',
    { class: 'timeline' },
    el('h2', {}, 'Iterations'),
    el('p', { class: 'soft' }, INTRO),
    bar.element,
    list,
    none,
  )
  inner.style.height = `${places.length * ROW}px`
  return { element, choose, update }
}

/** One row of the timeline: number, claim and proof, verdict, and its reason. */
function rowFor(columns: Columns, place: number): HTMLElement {
  const n = columns.n[place] ?? 0
  const text = (column: readonly number[]): string => columns.texts[column[place] ?? -1] ?? ''
  const claim = ANSWERS[columns.claim[place] ?? 2] ?? 'unknown'
  const proof = ANSWERS[columns.proof[place] ?? 2] ?? 'unknown'
  const marks = columns.marks[place] ?? 0
  const verdict = text(columns.verdict)
  const phase = text(columns.phase)
  const breaker = text(columns.breaker)
  const refused = (marks & MARKS.refused) !== 0
  const decided = refused
    ? 'claim rejected'
    : (marks & MARKS.broken) !== 0
      ? `failed, ${verdictTitle(verdict)}`
      : verdictTitle(verdict)
  const tone =
    (marks & MARKS.forced) !== 0 ? 'unknown' : (marks & MARKS.opened) !== 0 ? 'yes' : refused ? 'no' : 'plain'
  const usd = columns.series.usd[place] ?? 0
  return el(
    'div',
    { class: 'row', role: 'option' },
    el('span', { class: 'number' }, el('span', { class: 'unseen' }, 'Iteration '), String(n)),
    el('span', { class: 'keys' }, ...claimAndProof(claim, proof)),
    el(
      'span',
      { class: 'told' },
      el(
        'span',
        { class: `decided ${tone}` },
        decided,
        phase === '' ? undefined : el('span', { class: 'tag' }, words(phase)),
        breaker === 'closed' || breaker === ''
          ? undefined
          : el('span', { class: 'tag breaker' }, 'circuit breaker ', BREAKER_TEXT[breaker as BreakerState]),
        (marks & MARKS.tampering) === 0 ? undefined : el('span', { class: 'tag breaker' }, 'tests weakened'),
      ),
      el('span', { class: 'gist' }, words(text(columns.gist))),
    ),
    el(
      'span',
      { class: 'spent' },
      spanText(1000 * (columns.series.seconds[place] ?? 0)),
      usd > 0 ? ` ${moneyText(usd)}` : '',
    ),
  )
}

/** `completed/verified` is a code; people read `verified`. */
const verdictTitle = (verdict: string): string => endingText(verdict.split('/')[1] ?? verdict)
