import { el } from '../dom.ts'
import type { Highlighter } from './highlight.ts'
import type { Row } from './rows.ts'
import { changedWords, markedPieces, type Span } from './words.ts'

/** Characters of a line that are drawn. A button shows the others. */
export const MOST_DRAWN = 2_000

const SIGNS: Readonly<Record<Row['kind'], string>> = { plus: '+', minus: '-', same: ' ', place: '', note: '' }

/** Draws the lines of one file. */
export class LineDrawer {
  constructor(
    readonly rows: readonly Row[],
    readonly colors: Highlighter,
  ) {}

  /** One line with both numbers. */
  unified(at: number): HTMLElement {
    const row = this.rows[at] ?? EMPTY
    return el('div', { class: `row ${row.kind}`, dir: 'ltr' }, number(row.old), number(row.new), this.#code(at, row))
  }

  /** One line of both sides. */
  pair(left: number | undefined, right: number | undefined): HTMLElement {
    const row = left === undefined ? undefined : this.rows[left]
    if (left !== undefined && left === right && row?.kind === 'place') return this.#wide(left, row)
    return el('div', { class: 'row pair', dir: 'ltr' }, this.#half(left, 'old'), this.#half(right, 'new'))
  }

  #wide(at: number, row: Row): HTMLElement {
    return el('div', { class: 'row place', dir: 'ltr' }, this.#code(at, row))
  }

  #half(at: number | undefined, side: 'old' | 'new'): HTMLElement {
    const row = at === undefined ? undefined : this.rows[at]
    if (at === undefined || row === undefined) return el('div', { class: 'half none' })
    return el('div', { class: `half ${row.kind}` }, number(row[side]), this.#code(at, row))
  }

  #code(at: number, row: Row): HTMLElement {
    const code = el('code', {}, el('span', { class: 'sign' }, SIGNS[row.kind]))
    const pieces = row.kind === 'place' || row.kind === 'note' ? [[row.text, ''] as const] : this.colors.pieces(at)
    let left = MOST_DRAWN
    for (const { text, color, marked } of markedPieces(pieces, this.#spans(row))) {
      if (left <= 0) break
      const drawn = text.slice(0, left)
      left -= drawn.length
      const classes = `${color}${marked ? ' word' : ''}`.trim()
      code.append(classes === '' ? drawn : el('span', { class: classes }, drawn))
    }
    if (row.text.length > MOST_DRAWN) code.append(more(row))
    return code
  }

  #spans(row: Row): readonly Span[] {
    const twin = row.twin === undefined ? undefined : this.rows[row.twin]
    if (twin === undefined) return []
    const [old, now] = row.kind === 'minus' ? [row, twin] : [twin, row]
    return changedWords(old.text, now.text)?.[row.kind === 'minus' ? 'minus' : 'plus'] ?? []
  }
}

const EMPTY: Row = { kind: 'same', text: '' }

/** Not in the text, so that copying takes only the code. */
const number = (n: number | undefined): HTMLElement =>
  el('span', { class: 'number', ...(n !== undefined && { 'data-n': String(n) }) })

function more({ text }: Row): HTMLElement {
  const left = (text.length - MOST_DRAWN).toLocaleString('en')
  const button = el('button', { type: 'button', class: 'more' }, `${left} more characters`)
  button.addEventListener('click', () => {
    const close = el('button', { type: 'button' }, 'Close')
    const whole = el(
      'pre',
      { class: 'text', tabindex: '0', role: 'region', 'aria-label': 'The whole line', dir: 'auto' },
      text,
    )
    const dialog = el('dialog', { class: 'whole-line', 'aria-label': 'One long line' }, whole, close)
    close.addEventListener('click', () => dialog.close())
    dialog.addEventListener('close', () => dialog.remove())
    document.body.append(dialog)
    dialog.showModal()
  })
  return button
}
