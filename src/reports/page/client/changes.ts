import type { Shown } from '../types.ts'
import { el, words } from './dom.ts'
import { shape } from './shapes.ts'

type Change = Partial<NonNullable<Shown['changes']>[number]> & { readonly detail: string }

/** One finding of tampering: where, what, and the text as it was and as it is. */
export function changeBlock({ id, file, line, kind, blocks, detail, before, after }: Change): HTMLElement {
  const place =
    file === undefined || file === ''
      ? undefined
      : el('code', {}, words(`${file}${line === undefined ? '' : `:${line}`}`))
  return el(
    'article',
    { class: 'change' },
    el(
      'p',
      {},
      shape(blocks ? 'no' : 'unknown'),
      place,
      kind === undefined ? undefined : el('span', { class: 'tag' }, kind.replaceAll('-', ' ')),
      el('span', { class: 'soft' }, blocks ? 'blocks' : 'warns'),
      id === undefined ? undefined : el('code', {}, `exitgate accept ${id} --reason "..."`),
    ),
    el('p', {}, words(detail)),
    before === undefined && after === undefined
      ? undefined
      : el('div', { class: 'sides' }, side('Before', before), side('After', after)),
  )
}

function side(title: string, text: string | undefined): HTMLElement {
  const sign = title === 'Before' ? '-' : '+'
  const shown = text === undefined || text === '' ? el('p', { class: 'soft' }, 'nothing') : lines(text, sign)
  return el('div', { class: title.toLowerCase() }, el('h4', {}, title), shown)
}

const lines = (text: string, sign: string): HTMLElement =>
  el(
    'pre',
    { class: 'text', dir: 'auto' },
    text
      .split('\n')
      .map((line) => `${sign} ${line}`)
      .join('\n'),
  )
