import type { Answer } from '../../../core/types.ts'
import { ANSWERS, type Columns, MARKS } from '../columns.ts'
import { el, words } from './dom.ts'
import { shape } from './shapes.ts'
import { moneyText, spanText } from './time.ts'

/** One line of the timeline: its number, the two keys, what was decided and the one sentence that tells most. */
export function rowFor(columns: Columns, place: number): HTMLElement {
  const n = columns.n[place] ?? 0
  const text = (column: readonly number[]): string => columns.texts[column[place] ?? -1] ?? ''
  const claim = ANSWERS[columns.claim[place] ?? 2] ?? 'unknown'
  const proof = ANSWERS[columns.proof[place] ?? 2] ?? 'unknown'
  const marks = columns.marks[place] ?? 0
  const verdict = text(columns.verdict)
  const phase = text(columns.phase)
  const breaker = text(columns.breaker)
  const refused = (marks & MARKS.refused) !== 0
  const decided = refused ? 'claim refused' : (marks & MARKS.broken) !== 0 ? `failed, ${verdict}` : verdict
  const tone =
    (marks & MARKS.forced) !== 0 ? 'unknown' : (marks & MARKS.opened) !== 0 ? 'yes' : refused ? 'no' : 'plain'
  const usd = columns.series.usd[place] ?? 0
  return el(
    'div',
    { class: 'row', role: 'option' },
    el('span', { class: 'number' }, unseen('Iteration '), String(n)),
    el('span', { class: 'keys' }, key('claim', claim), key('proof', proof)),
    el(
      'span',
      { class: 'told' },
      el('span', { class: `decided ${tone}` }, decided),
      el('span', { class: 'gist' }, words(text(columns.gist))),
    ),
    el(
      'span',
      { class: 'side' },
      phase === '' ? undefined : el('span', { class: 'tag' }, words(phase)),
      breaker === 'closed' || breaker === ''
        ? undefined
        : el('span', { class: 'tag breaker' }, unseen('breaker '), breaker),
      (marks & MARKS.tampering) === 0 ? undefined : el('span', { class: 'tag breaker' }, 'tampering'),
      el(
        'span',
        { class: 'spent' },
        spanText(1000 * (columns.series.seconds[place] ?? 0)),
        usd > 0 ? ` ${moneyText(usd)}` : '',
      ),
    ),
  )
}

/** For those who hear the page. */
const unseen = (text: string): HTMLElement => el('span', { class: 'unseen' }, text)

const key = (name: string, value: Answer): HTMLElement =>
  el('span', { title: `${name} ${value}` }, unseen(` ${name} ${value} `), shape(value))
