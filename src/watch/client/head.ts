import { el, moneyText, spanText, tokensText, whenText, words } from '../../reports/page/client/dom.ts'
import { answer, answerOfEnd, shape } from '../../reports/page/client/shapes.ts'
import { type RunRow, statusText } from '../../reports/runs/row.ts'

/** What it is doing, which key is missing, what it cost, and why it stopped. */
export function runHead(row: RunRow): readonly HTMLElement[] {
  const tone = row.status === 'unreadable' ? 'no' : answerOfEnd(row.outcome, row.ending)
  return [
    el('h1', { tabindex: '-1' }, shape(tone), words(row.project), el('span', { class: 'doing' }, doing(row))),
    el('p', { class: 'reason' }, words(row.reason === '' ? 'Nothing has been decided yet.' : row.reason)),
    facts(row),
    ...(row.missing.length === 0
      ? []
      : [
          el(
            'section',
            { class: 'missing' },
            el('h2', {}, row.status === 'ended' ? 'Still missing' : 'Why it is not done yet'),
            el('ul', {}, ...row.missing.map((each) => el('li', {}, words(each)))),
          ),
        ]),
  ]
}

function doing(row: RunRow): string {
  if (row.status === 'running') return `running, iteration ${row.iteration}`
  if (row.status === 'held') return 'held by a person'
  return row.status === 'waiting' ? 'waiting for the provider' : statusText(row)
}

function facts(row: RunRow): HTMLElement {
  const { spent } = row
  const rows: readonly (readonly [string, HTMLElement])[] = [
    ['Claim', answer(row.claim ?? 'unknown')],
    ['Proof', answer(row.proof ?? 'unknown')],
    ['Iteration', words(String(row.iteration))],
    ...(row.phase === undefined ? [] : [['Phase', words(row.phase)] as const]),
    ...(row.task === undefined ? [] : [['Task', words(row.task)] as const]),
    ['Breaker', words(row.breaker)],
    ['Agent time', words(spanText(spent.ms))],
    ...(spent.usd > 0 ? [['Cost', words(moneyText(spent.usd))] as const] : []),
    ...(spent.tokens > 0 ? [['Tokens', words(tokensText(spent.tokens))] as const] : []),
    ['Preset', words(row.preset)],
    ['Run', words(row.run)],
    ['Began', words(whenText(row.startedAt))],
    ['Last event', words(whenText(row.seenAt))],
  ]
  return el(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}
