import { el, plural, whenText, words } from '../../reports/page/client/dom.ts'
import { answerOfEnd, claimAndProof } from '../../reports/page/client/shapes.ts'
import { inOrder, type RunRow, statusText } from '../../reports/runs/row.ts'

export interface RunList {
  readonly element: HTMLElement
  show(rows: ReadonlyMap<string, RunRow>, chosen: string | undefined): void
  search(): void
  /** The run so many places after the chosen one. */
  next(by: number): string | undefined
}

/** More are found by the search. */
const AT_ONCE = 300

const FILTERS: readonly { readonly name: string; keeps(row: RunRow): boolean }[] = [
  { name: 'All', keeps: () => true },
  { name: 'Running', keeps: ({ status }) => ['running', 'held', 'waiting'].includes(status) },
  {
    name: 'Needs you',
    keeps: (row) =>
      row.earlier === undefined &&
      (row.ending === 'needs-human' ||
        (row.findings ?? []).some(({ agents }) => !agents) ||
        row.status === 'held' ||
        row.crashed === true),
  },
  { name: 'Verified', keeps: ({ ending }) => ending === 'verified' },
  { name: 'Not verified', keeps: ({ status, ending }) => status === 'ended' && ending !== 'verified' },
  { name: 'Not running', keeps: ({ status }) => status === 'idle' || status === 'unreadable' },
]

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
  const none = el('p', { class: 'soft' })
  const count = el('span', { class: 'soft' })
  const search = el('input', {
    type: 'search',
    placeholder: 'Search project, task, verdict',
    'aria-label': 'Search the runs',
    'aria-keyshortcuts': '/',
  })
  const project = el('select', { 'aria-label': 'Project' })
  const status = el('div', { class: 'filters', role: 'group', 'aria-label': 'Which runs are listed' })
  let latest: { readonly rows: ReadonlyMap<string, RunRow>; readonly chosen: string | undefined } | undefined
  let filter = FILTERS[0]?.name ?? ''
  let shownIds: readonly string[] = []
  let projects = ''

  const draw = (): void => {
    if (latest === undefined) return
    const { rows, chosen } = latest
    const all = [...rows.values()]
    drawProjects(all)
    const wanted = search.value.trim().toLowerCase().split(/\s+/)
    const found = all.filter(
      (row) =>
        (project.value === '' || row.project === project.value) && wanted.every((word) => textOf(row).includes(word)),
    )
    drawStatus(found)
    const keeps = FILTERS.find(({ name }) => name === filter)?.keeps ?? (() => true)
    const matching = inOrder(found.filter(keeps))
    const shown = matching.slice(0, AT_ONCE)
    shownIds = shown.map(({ id }) => id)
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
    const kept = new Set(shownIds)
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
    const more = matching.length - shown.length
    none.textContent =
      rows.size === 0
        ? 'No run has been recorded here yet. Start one with exitgate run.'
        : matching.length === 0
          ? 'No run matches.'
          : `${plural(more, 'more run')}. Use the search to find them.`
    none.hidden = rows.size > 0 && matching.length > 0 && more === 0
    count.textContent = matching.length === rows.size ? String(rows.size) : `${matching.length} of ${rows.size}`
  }
  /** Only if there is something to choose. */
  const drawProjects = (rows: readonly RunRow[]): void => {
    const names = [...new Set(rows.map((row) => row.project))].sort()
    const text = names.join('\n')
    project.hidden = names.length < 2
    if (text === projects) return
    projects = text
    const before = project.value
    project.replaceChildren(
      el('option', { value: '' }, 'All projects'),
      ...names.map((name) => el('option', { value: name }, name)),
    )
    project.value = names.includes(before) ? before : ''
  }
  const buttons = FILTERS.map(({ name, keeps }) => {
    const number = el('span', { class: 'count' })
    const button = el('button', { type: 'button', 'aria-pressed': String(name === filter) }, `${name} `, number)
    button.addEventListener('click', () => {
      filter = name
      draw()
    })
    status.append(button)
    return { name, keeps, number, button }
  })
  const drawStatus = (rows: readonly RunRow[]): void => {
    for (const { name, keeps, number, button } of buttons) {
      const matching = rows.filter(keeps).length
      number.textContent = String(matching)
      button.hidden = matching === 0 && name !== filter
      button.setAttribute('aria-pressed', String(name === filter))
    }
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
  search.addEventListener('input', draw)
  search.addEventListener('keydown', ({ key }) => {
    const first = list.querySelector<HTMLElement>('[tabindex="0"]')
    if (key === 'ArrowDown' || key === 'Enter') first?.focus()
  })
  project.addEventListener('change', draw)
  return {
    element: el(
      'nav',
      { class: 'side-list', 'aria-label': 'Runs' },
      el('h2', {}, 'Runs ', count),
      el('div', { class: 'find' }, search, project, status),
      list,
      none,
    ),
    show(rows, chosen) {
      latest = { rows, chosen }
      draw()
    },
    search() {
      search.focus()
      search.select()
    },
    next: (by) => shownIds[shownIds.indexOf(latest?.chosen ?? '') + by],
  }
}

/** What the search looks at. */
const textOf = (row: RunRow): string =>
  `${row.project} ${row.run} ${row.task ?? ''} ${row.reason} ${row.preset} ${statusText(row)}`.toLowerCase()

/** Runs of one project differ mostly in this. */
const startText = ({ startedAt }: RunRow): string =>
  new Date(startedAt).toLocaleString(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })

function inside(row: RunRow): readonly HTMLElement[] {
  const { status, claim, proof, iteration, task: name = row.project } = row
  const isBad = status === 'unreadable' || row.crashed === true
  const tone = status === 'ended' ? answerOfEnd(row.outcome, row.ending) : isBad ? 'no' : status
  const started = status === 'unreadable' ? undefined : el('time', { title: whenText(row.startedAt) }, startText(row))
  return [
    el('span', { class: 'name' }, words(name), ' ', el('span', { class: `status ${tone}` }, statusText(row))),
    el(
      'span',
      { class: 'soft keys' },
      row.task === undefined ? '' : words(row.project),
      `iteration ${iteration}`,
      ...claimAndProof(claim, proof),
      started,
    ),
    el('span', { class: 'gist' }, words(row.reason)),
  ]
}
