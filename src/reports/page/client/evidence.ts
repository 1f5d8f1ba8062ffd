import { checkTitle, failureTitle } from '../../../core/policy/check-text.ts'
import type { Shown } from '../types.ts'
import { el, spanText, words } from './dom.ts'
import { answer } from './shapes.ts'

/** The counts whose names say what they are. */
const COUNTS = /^(?:total|passed|failed|skipped|missing|flaky|runs|done|open|met|files|warnings)$/

/** The results of the checks, with their counts. */
export function evidenceTable(evidence: readonly Shown[]): HTMLElement {
  return el(
    'table',
    { class: 'evidence' },
    el('thead', {}, el('tr', {}, ...['Check', 'Result', 'Detail'].map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...evidence.map(row)),
  )
}

function row({
  check,
  title = checkTitle(check),
  answer: value,
  detail,
  counts = {},
  ms,
  information,
}: Shown): HTMLElement {
  const told = Object.entries(counts).filter(([name, count]) => count !== 0 && COUNTS.test(name))
  return el(
    'tr',
    {},
    el('th', { scope: 'row' }, words(information && value === 'no' ? failureTitle(check) : title)),
    el('td', {}, information ? el('span', { class: 'soft' }, 'not required') : answer(value)),
    el(
      'td',
      {},
      words(detail),
      el(
        'div',
        { class: 'counts' },
        ...told.map(([name, count]) => el('span', {}, `${name} `, el('b', {}, count.toLocaleString('en')))),
        ms > 0 ? el('span', {}, spanText(ms)) : undefined,
      ),
    ),
  )
}
