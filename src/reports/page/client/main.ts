import { ANSWERS, type Columns } from '../columns.ts'
import { type Children, childrenOf, ITERATIONS_PER_PIECE, type Packed, type PageData } from '../pack.ts'
import type { Iteration } from '../types.ts'
import { charts } from './charts.ts'
import { details } from './details.ts'
import { diffView } from './diff/view.ts'
import { el, words } from './dom.ts'
import { header } from './header.ts'
import { outcome } from './outcome.ts'
import { sections } from './sections.ts'
import { answer } from './shapes.ts'
import { timeline } from './timeline.ts'
import { workSection } from './work.ts'

/** More rows are not useful on paper. */
const MOST_PRINTED = 400

/** For printing: the iterations as a table, made when needed. */
function printed(columns: Columns): HTMLElement {
  const section = el('section', { class: 'printed' })
  const fill = (): void => {
    if (section.childElementCount === 0) section.append(el('h2', {}, 'Iterations'), ...note(columns), table(columns))
  }
  addEventListener('beforeprint', fill)
  const paper = matchMedia('print')
  paper.addEventListener('change', () => {
    if (paper.matches) fill()
  })
  return section
}

function note({ n }: Columns): readonly HTMLElement[] {
  if (n.length <= MOST_PRINTED) return []
  return [el('p', {}, `The last ${MOST_PRINTED} of ${n.length.toLocaleString('en')} iterations.`)]
}

function table(columns: Columns): HTMLElement {
  const text = (column: readonly number[], place: number): string => columns.texts[column[place] ?? -1] ?? ''
  const first = Math.max(0, columns.n.length - MOST_PRINTED)
  const rows = columns.n.slice(first).map((n, at) => {
    const place = first + at
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, String(n)),
      el('td', {}, answer(ANSWERS[columns.claim[place] ?? 2] ?? 'unknown')),
      el('td', {}, answer(ANSWERS[columns.proof[place] ?? 2] ?? 'unknown')),
      el('td', {}, text(columns.verdict, place)),
      el('td', {}, words(text(columns.gist, place))),
    )
  })
  const names = ['Iteration', 'Claim', 'Proof', 'Verdict', 'Reason']
  return el(
    'table',
    {},
    el('thead', {}, el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows),
  )
}

const read = <T>(id: string): T | undefined => {
  const text = document.getElementById(id)?.textContent
  if (!text) return undefined
  const value: T = JSON.parse(text)
  return value
}

const pageData = (): PageData | undefined => read<PageData>('data')

const hunksOf = (name: string) => () => read<readonly (string | null)[]>(`diff-${name}`) ?? []

const pieces = new Map<number, Children<Iteration>>()
const MOST = 8

/** The details of one iteration. The last few decoded pieces are kept. */
function iterationAt(place: number): Iteration | undefined {
  const piece = Math.floor(place / ITERATIONS_PER_PIECE)
  let children = pieces.get(piece)
  if (children === undefined) {
    const packed = read<Packed>(`piece-${piece}`)
    if (packed === undefined) return undefined
    children = childrenOf<Iteration>(packed)
    if (pieces.size >= MOST) pieces.clear()
    pieces.set(piece, children)
  }
  return children.at(place % ITERATIONS_PER_PIECE)
}

/** The page, from top to bottom. */
function show(): void {
  const data = pageData()
  const page = document.getElementById('page')
  if (data === undefined || page === null) return
  const { head, columns } = data
  const pane = el('section', { class: 'details', tabindex: '0', 'aria-labelledby': 'details-title' })
  const main = el('main')
  let wanted = -1
  let drawn = -1
  const draw = (): void => {
    const iteration = drawn === wanted ? undefined : iterationAt(wanted)
    if (iteration === undefined) return
    drawn = wanted
    const changed = head.work?.iterations.find(({ n }) => n === iteration.n)
    const diff = changed && diffView(changed, hunksOf(String(changed.n)))
    pane.replaceChildren(...details(iteration, head.run, diff).filter((each) => each !== undefined))
    pane.scrollTop = 0
  }
  let asked = false
  const chosen = (place: number): void => {
    if (place === wanted) return
    wanted = place
    if (asked) return
    asked = true
    // A held arrow key passes many iterations; only the one at the next frame is drawn.
    requestAnimationFrame(() => {
      asked = false
      draw()
    })
  }
  const open = (): void => {
    draw()
    const title = document.getElementById('details-title')
    title?.focus({ preventScroll: true })
    pane.scrollIntoView({ block: 'nearest' })
  }
  const list = timeline(columns, chosen, open)
  pane.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.choose(wanted, true)
  })
  const byNumber = (n: number): void => list.choose(columns.n.indexOf(n))
  if (columns.n.length > 0) main.append(el('div', { class: 'look' }, list.element, pane))
  else main.append(el('p', { class: 'soft' }, 'No iterations yet.'))
  const goTo = (n: number): void => {
    byNumber(n)
    open()
  }
  const above = [outcome(head, goTo), workSection(head.work, hunksOf('total'))].filter((each) => each !== undefined)
  main.prepend(...above)
  main.append(printed(columns), ...[charts(columns, byNumber), ...sections(head)].filter((each) => each !== undefined))
  page.replaceChildren(header(data), main)
  if (columns.n.length > 0) {
    const linked = columns.n.indexOf(Number(/^#iteration-(\d+)$/.exec(location.hash)?.[1]))
    list.choose(linked >= 0 ? linked : columns.n.length - 1)
    draw()
  }
  document.documentElement.dataset.ready = 'yes'
}

show()
