import { type Columns, MARKS } from '../columns.ts'
import { el } from './dom.ts'

const FILTERS: readonly { readonly name: string; readonly mark: number }[] = [
  { name: 'All', mark: 0 },
  { name: 'Refused claims', mark: MARKS.refused },
  { name: 'Failures', mark: MARKS.failure },
  { name: 'Tampering', mark: MARKS.tampering },
]

export interface Filters {
  readonly element: HTMLElement
  /** Shows every iteration again. */
  all(): void
}

/** Which iterations are listed, each choice with its number, and a way to one of them by its number. */
export function filters(
  columns: Columns,
  show: (places: readonly number[]) => void,
  go: (place: number) => void,
): Filters {
  const places = columns.marks.map((_mark, place) => place)
  const counted = FILTERS.map(({ name, mark }) => ({
    name,
    kept: mark === 0 ? places : places.filter((place) => ((columns.marks[place] ?? 0) & mark) !== 0),
  })).filter(({ kept }, at) => at === 0 || kept.length > 0)
  const buttons = counted.map(({ name, kept }, at) => {
    const pressed = String(at === 0)
    const number = el('span', { class: 'count' }, kept.length.toLocaleString('en'))
    const button = el('button', { type: 'button', 'aria-pressed': pressed }, `${name} `, number)
    button.addEventListener('click', () => press(at))
    return button
  })
  const press = (at: number): void => {
    for (const [n, button] of buttons.entries()) button.setAttribute('aria-pressed', String(n === at))
    show(counted[at]?.kept ?? places)
  }
  const group = el('div', { class: 'filters', role: 'group', 'aria-label': 'Which iterations are listed' }, ...buttons)
  const bar = el('div', { class: 'tools' }, group)
  if (places.length > 20) bar.append(jump(columns, go))
  return { element: bar, all: () => press(0) }
}

function jump(columns: Columns, go: (place: number) => void): HTMLElement {
  const input = el('input', { type: 'number', min: String(columns.n[0] ?? 1), max: String(columns.n.at(-1) ?? 1) })
  const form = el('form', { class: 'jump' }, el('label', {}, 'Go to ', input))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const place = columns.n.indexOf(Number(input.value))
    if (place >= 0) go(place)
  })
  return form
}
