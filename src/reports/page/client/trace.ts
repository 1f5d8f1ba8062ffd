import type { Finding } from '../../../core/types.ts'
import { el, fold, words } from './dom.ts'
import { answer } from './shapes.ts'

/** The rules as they were asked. Those before the deciding one said no, those behind it were not asked then. */
export function traceTree(findings: readonly Finding[], rule: string): HTMLElement {
  const decider = findings.findIndex(({ name }) => name === rule)
  return el(
    'ol',
    { class: 'trace' },
    ...findings.map((found, at) => {
      const place = at === decider ? 'decided' : decider >= 0 && at > decider ? 'behind' : 'before'
      return el('li', { class: place }, branch(found, place === 'decided'))
    }),
  )
}

function branch(found: Finding, open: boolean): HTMLElement {
  const line = [
    answer(found.answer),
    el('b', {}, words(found.name)),
    found.detail === '' ? undefined : el('span', { class: 'detail' }, words(found.detail)),
    open ? el('span', { class: 'tag' }, 'decided') : undefined,
  ]
  const parts = found.parts ?? []
  if (parts.length === 0) return el('div', { class: 'leaf' }, line)
  return fold(line, () => el('ul', {}, ...parts.map((part) => el('li', {}, branch(part, false)))), open)
}
