import type { Answer } from '../../core/types.ts'
import { el, plural, words } from '../../reports/page/client/dom.ts'
import { answerOfEnd, shape } from '../../reports/page/client/shapes.ts'
import { inOrder, type RunRow, statusText } from '../../reports/runs/row.ts'

export interface RunList {
  readonly element: HTMLElement
  show(rows: ReadonlyMap<string, RunRow>, chosen: string | undefined): void
}

const MANY = 8

/** How far each key moves, in runs. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -1e6,
  End: 1e6,
}

/** The runs, those that are being worked on first. One has the keyboard; arrows move it on, Enter shows the run. */
export function runList(choose: (id: string) => void): RunList {
  const items = new Map<string, { readonly element: HTMLElement; seq: string }>()
  const list = el('div', { class: 'runs', role: 'listbox', 'aria-label': 'Runs' })
  const none = el('p', { class: 'soft' }, 'Nothing has been recorded here yet.')
  const count = el('span', { class: 'soft' })
  const filter = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter the runs by name' })
  let latest: { readonly rows: ReadonlyMap<string, RunRow>; readonly chosen: string | undefined } | undefined

  const draw = (): void => {
    if (latest === undefined) return
    const { rows, chosen } = latest
    const wanted = filter.value.trim().toLowerCase()
    const shown = inOrder(rows.values()).filter(({ project, run }) =>
      `${project} ${run}`.toLowerCase().includes(wanted),
    )
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
    const kept = new Set(shown.map(({ id }) => id))
    for (const [id, { element }] of items)
      if (!kept.has(id)) {
        element.remove()
        items.delete(id)
      }
    const key = chosen !== undefined && kept.has(chosen) ? chosen : shown[0]?.id
    for (const [at, row] of shown.entries()) {
      const element = itemFor(row)
      if (list.children[at] !== element) list.insertBefore(element, list.children[at] ?? null)
      element.tabIndex = row.id === key ? 0 : -1
      element.setAttribute('aria-selected', String(row.id === chosen))
    }
    // What was moved has lost the keyboard.
    if (focused !== undefined && document.activeElement === document.body) items.get(focused)?.element.focus()
    none.hidden = rows.size > 0
    filter.hidden = rows.size < MANY
    count.textContent = plural(rows.size, 'project')
  }
  const itemFor = (row: RunRow): HTMLElement => {
    const text = JSON.stringify(row)
    const known = items.get(row.id)
    if (known?.seq === text) return known.element
    const element = known?.element ?? el('div', { class: 'run', role: 'option', 'data-id': row.id })
    element.replaceChildren(...inside(row))
    items.set(row.id, { element, seq: text })
    return element
  }
  const step = (from: HTMLElement, by: number): void => {
    const all = [...list.children]
    const next = all[Math.min(all.length - 1, Math.max(0, all.indexOf(from) + by))]
    if (!(next instanceof HTMLElement)) return
    for (const each of all) if (each instanceof HTMLElement) each.tabIndex = each === next ? 0 : -1
    next.focus()
  }
  const runAt = (target: EventTarget | null): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null
  list.addEventListener('click', ({ target }) => {
    const id = runAt(target)?.dataset.id
    if (id !== undefined) choose(id)
  })
  list.addEventListener('keydown', (event) => {
    const run = runAt(event.target)
    const by = STEPS[event.key]
    if (run === null) return
    if (by !== undefined) step(run, by)
    else if (event.key === 'Enter' || event.key === ' ') choose(run.dataset.id ?? '')
    else return
    event.preventDefault()
  })
  filter.addEventListener('input', draw)
  return {
    element: el('nav', { class: 'side-list', 'aria-label': 'Runs' }, el('h2', {}, 'Runs ', count), filter, list, none),
    show(rows, chosen) {
      latest = { rows, chosen }
      draw()
    },
  }
}

const unseen = (text: string): HTMLElement => el('span', { class: 'unseen' }, text)

/** The shape for those who see it, its words for those who do not. */
const keyMark = (name: string, answer: Answer = 'unknown'): HTMLElement =>
  el('span', { title: `${name} ${answer}` }, unseen(` ${name} ${answer} `), shape(answer))

function inside(row: RunRow): readonly HTMLElement[] {
  const { status, claim, proof, iteration } = row
  const tone = status === 'ended' ? answerOfEnd(row.outcome, row.ending) : status === 'unreadable' ? 'no' : status
  return [
    el('span', { class: 'name' }, words(row.project), ' ', el('span', { class: `status ${tone}` }, statusText(row))),
    el('span', { class: 'soft keys' }, `iteration ${iteration}`, keyMark('claim', claim), keyMark('proof', proof)),
    el('span', { class: 'gist' }, words(row.reason)),
  ]
}
