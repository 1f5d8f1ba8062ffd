import { type Columns, MARKS } from '../columns.ts'
import { el } from './dom.ts'

const FILTERS: readonly { readonly name: string; readonly mark: number }[] = [
  { name: 'All', mark: 0 },
  { name: 'Rejected claims', mark: MARKS.refused },
  { name: 'Failures', mark: MARKS.failure },
  { name: 'Weakened tests', mark: MARKS.tampering },
]

interface Filters {
  readonly element: HTMLElement
  /** Shows every iteration again. */
  all(): void
  /** The places that the chosen filter keeps, of more iterations than before. */
  update(columns: Columns): readonly number[]
}

const JUMP_FROM = 20

/** Filters with counts, and a field to jump to an iteration. */
export function filters(
  first: Columns,
  show: (places: readonly number[]) => void,
  go: (place: number) => void,
): Filters {
  let columns = first
  let pressed = 0
  const keptBy = (mark: number): readonly number[] =>
    columns.marks.flatMap((marks, place) => (mark === 0 || (marks & mark) !== 0 ? [place] : []))
  const parts = FILTERS.map(({ name, mark }, at) => {
    const number = el('span', { class: 'count' })
    const button = el('button', { type: 'button' }, `${name} `, number)
    button.addEventListener('click', () => press(at))
    return { mark, number, button }
  })
  const input = el('input', { type: 'number' })
  const jump = el('form', { class: 'jump' }, el('label', {}, 'Go to ', input))
  jump.addEventListener('submit', (event) => {
    event.preventDefault()
    const place = columns.n.indexOf(Number(input.value))
    if (place >= 0) go(place)
  })
  const draw = (): readonly number[] => {
    let chosen: readonly number[] = []
    for (const [at, { mark, number, button }] of parts.entries()) {
      const kept = keptBy(mark)
      if (at === pressed) chosen = kept
      number.textContent = kept.length.toLocaleString('en')
      button.hidden = at > 0 && kept.length === 0
      button.setAttribute('aria-pressed', String(at === pressed))
    }
    input.min = String(columns.n[0] ?? 1)
    input.max = String(columns.n.at(-1) ?? 1)
    jump.hidden = columns.n.length <= JUMP_FROM
    return chosen
  }
  const press = (at: number): void => {
    pressed = at
    show(draw())
  }
  const buttons = parts.map(({ button }) => button)
  const group = el('div', { class: 'filters', role: 'group', 'aria-label': 'Which iterations are listed' }, ...buttons)
  draw()
  return {
    element: el('div', { class: 'tools' }, group, jump),
    all: () => press(0),
    update(next) {
      columns = next
      return draw()
    },
  }
}
