import { ANSWERS, type Columns } from '../columns.ts'
import { el, words } from './dom.ts'
import { answer } from './shapes.ts'

/** More is no reading matter on paper. */
const MOST = 400

/** On paper there is nothing to scroll or to click: the iterations as a table, made when it is needed. */
export function printed(columns: Columns): HTMLElement {
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
  if (n.length <= MOST) return []
  return [el('p', {}, `The last ${MOST} of ${n.length.toLocaleString('en')} iterations.`)]
}

function table(columns: Columns): HTMLElement {
  const text = (column: readonly number[], place: number): string => columns.texts[column[place] ?? -1] ?? ''
  const first = Math.max(0, columns.n.length - MOST)
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
  const names = ['Iteration', 'Claim', 'Proof', 'Verdict', 'Why']
  return el(
    'table',
    {},
    el('thead', {}, el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows),
  )
}
