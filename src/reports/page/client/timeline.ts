import type { Columns } from '../columns.ts'
import { el } from './dom.ts'
import { filters } from './filters.ts'
import { rowFor } from './row.ts'

const ROW = 44
/** Rows kept above and below what is seen. */
const SPARE = 6
const PAGE = 10
const KEYS = 'Each has two keys: the agent’s claim, then the proof. The gate opens when both turn at once.'

export interface Timeline {
  readonly element: HTMLElement
  /** Makes the iteration at that place the chosen one, and shows it. */
  choose(place: number, focus?: boolean): void
}

/** The iterations as a list of which only what is seen is in the page. One row has the keyboard; arrows move it on. */
export function timeline(columns: Columns, chosen: (place: number) => void, open: () => void): Timeline {
  let places: readonly number[] = columns.n.map((_n, place) => place)
  let current = Math.max(0, places.length - 1)
  const rows = new Map<number, HTMLElement>()
  const inner = el('div', { class: 'rows', role: 'presentation' })
  const list = el('div', { class: 'list', role: 'listbox', 'aria-label': 'Iterations' }, inner)
  const none = el('p', { class: 'none', hidden: '' }, 'No iteration is like that.')

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
        row.setAttribute('aria-setsize', String(places.length))
        row.setAttribute('aria-posinset', String(at + 1))
        row.dataset.at = String(at)
        rows.set(at, row)
        inner.insertBefore(row, following(at))
      }
      row.tabIndex = at === current ? 0 : -1
      row.setAttribute('aria-selected', String(at === current))
    }
  }
  /** The rows stand in the page in the order in which they are read. */
  const following = (at: number): Node | null => {
    const behind = [...rows.keys()].filter((other) => other > at)
    return behind.length === 0 ? null : (rows.get(Math.min(...behind)) ?? null)
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
  const bar = filters(columns, show, (place) => choose(place, true))
  const element = el(
    'section',
    { class: 'timeline' },
    el('h2', {}, 'Iterations'),
    el('p', { class: 'soft' }, KEYS),
    bar.element,
    list,
    none,
  )
  inner.style.height = `${places.length * ROW}px`
  return { element, choose }
}
