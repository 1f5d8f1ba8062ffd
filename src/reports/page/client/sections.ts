import type { PageData } from '../pack.ts'
import type { Intervention, Tampering } from '../types.ts'
import { changeBlock } from './changes.ts'
import { el, fold, plural, whenText, words } from './dom.ts'
import { evidenceTable } from './evidence.ts'

type Head = PageData['head']
const AT_ONCE = 100

/** The sections after the iterations: weakened tests, interventions, the label, baseline, configuration. */
export function sections(head: Head): readonly (HTMLElement | undefined)[] {
  return [tampering(head), interventions(head), labelled(head), baseline(head), config(head)]
}

function tampering({ tampering: found, totals }: Head): HTMLElement | undefined {
  if (found.length === 0) return undefined
  const blocks = found.map((each) =>
    el(
      'div',
      {},
      el(
        'p',
        { class: 'soft when' },
        each.first === each.last ? `In iteration ${each.first}` : `In iterations ${each.first} to ${each.last}`,
      ),
      // What was undone needs no decision any more.
      changeBlock(each.last < totals.iterations ? withoutId(each) : each),
    ),
  )
  return el('section', { class: 'tampering' }, el('h2', {}, `Findings: ${found.length}`), ...blocks)
}

const withoutId = ({ id: _id, ...rest }: Tampering): Tampering => rest

function interventions({ interventions: all, dropped }: Head): HTMLElement | undefined {
  if (all.length === 0) return undefined
  const body = el('tbody')
  const more = el('button', { type: 'button' })
  let shown = 0
  const show = (): void => {
    body.append(...all.slice(shown, shown + AT_ONCE).map(interventionRow))
    shown = Math.min(all.length, shown + AT_ONCE)
    more.textContent = `Show ${Math.min(AT_ONCE, all.length - shown)} more of ${all.length}`
    more.hidden = shown >= all.length
  }
  more.addEventListener('click', show)
  show()
  const columns = ['When', 'Iteration', 'Who', 'What', 'Why']
  return el(
    'section',
    { class: 'interventions' },
    el('h2', {}, 'Overrides and other events'),
    dropped > 0
      ? el('p', { class: 'soft' }, `${plural(dropped, 'older event')} left out. exitgate log --events shows them.`)
      : undefined,
    el(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Overrides and other events' },
      el('table', {}, el('thead', {}, el('tr', {}, ...columns.map((name) => el('th', { scope: 'col' }, name)))), body),
    ),
    more,
  )
}

function interventionRow({ at, iteration, kind, by, what, reason }: Intervention): HTMLElement {
  return el(
    'tr',
    { class: kind },
    el('td', {}, whenText(at)),
    el('td', {}, String(iteration)),
    el('td', {}, words(by ?? (kind === 'limit' ? 'provider' : 'exitgate'))),
    el('td', {}, kind === 'override' ? el('strong', {}, words(what)) : words(what)),
    el('td', {}, words(reason)),
  )
}

const labelled = ({ label }: Head): HTMLElement | undefined =>
  label &&
  el('p', { class: 'label' }, `This run is labelled ${label.label} by `, words(label.by), ': ', words(label.reason))

function baseline({ baseline: evidence }: Head): HTMLElement | undefined {
  if (evidence.length === 0) return undefined
  return el(
    'section',
    {},
    fold(el('span', { class: 'h2' }, 'Checks before the first iteration'), () => evidenceTable(evidence)),
  )
}

function config({ config: rows }: Head): HTMLElement | undefined {
  if (rows.length === 0) return undefined
  return el(
    'section',
    {},
    fold(el('span', { class: 'h2' }, `Configuration (${plural(rows.length, 'value')})`), () =>
      el(
        'table',
        { class: 'config' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Name'), el('th', { scope: 'col' }, 'Value'))),
        el(
          'tbody',
          {},
          ...rows.map(([path, value]) =>
            el('tr', {}, el('th', { scope: 'row' }, words(path)), el('td', {}, words(value))),
          ),
        ),
      ),
    ),
  )
}
