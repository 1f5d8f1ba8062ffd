import type { PageData } from '../pack.ts'
import type { Intervention, Tampering } from '../types.ts'
import { changeBlock } from './changes.ts'
import { el, fold, plural, svg, whenText, words } from './dom.ts'
import { evidenceTable } from './evidence.ts'

const SIZE = 200
const MARGIN = 10

/** The label of the run, and how well the confidence predicts labels: a diagram, and the same as a table. */
function reliabilitySection({ label, reliability }: PageData['head']): HTMLElement | undefined {
  if (label === undefined && reliability === undefined) return undefined
  return el(
    'section',
    { class: 'reliability' },
    el('h2', {}, 'Labels and completion confidence'),
    label && el('p', {}, `This run is labelled ${label.label} by `, words(label.by), ': ', words(label.reason)),
    reliability && [summary(reliability), picture(reliability), table(reliability)],
  )
}

type Shown = NonNullable<PageData['head']['reliability']>

const summary = ({ good, bad, brier, error }: Shown): HTMLElement =>
  el(
    'p',
    {},
    `${plural(good + bad, 'labelled run')} (${good} good, ${bad} bad): Brier score ${brier.toFixed(3)}, calibration error ${error.toFixed(3)}. Points on the line are perfectly calibrated.`,
  )

function picture({ bins }: Shown): HTMLElement {
  const at = (share: number): number => MARGIN + share * SIZE
  const most = Math.max(...bins.map(({ n }) => n))
  const side = SIZE + 2 * MARGIN
  const line = (points: string, more: Readonly<Record<string, string>>): SVGElement =>
    svg('polyline', { points, fill: 'none', stroke: 'currentColor', ...more })
  const dots = bins.map(({ said, was, n }) =>
    svg('circle', {
      cx: at(said).toFixed(1),
      cy: at(1 - was).toFixed(1),
      r: (3 + 5 * Math.sqrt(n / most)).toFixed(1),
      fill: 'currentColor',
    }),
  )
  const label = `Reliability diagram: ${bins.map(({ said, was, n }) => `predicted ${share(said)}, actual ${share(was)} in ${plural(n, 'run')}`).join('; ')}`
  const drawn = svg(
    'svg',
    { viewBox: `0 0 ${side} ${side}`, width: String(side), height: String(side), role: 'img', 'aria-label': label },
    line(`${at(0)},${at(0)} ${at(0)},${at(1)} ${at(1)},${at(1)}`, { 'stroke-opacity': '0.5' }),
    line(`${at(0)},${at(1)} ${at(1)},${at(0)}`, { 'stroke-dasharray': '4 4', 'stroke-opacity': '0.5' }),
    ...dots,
  )
  return el('div', { class: 'diagram' }, drawn)
}

function table({ bins }: Shown): HTMLElement {
  const columns = ['Confidence', 'Predicted', 'Actual', 'Runs']
  const rows = bins.map(({ from, to, said, was, n }) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, `${share(from)} to ${share(to)}`),
      ...[share(said), share(was), n].map((value) => el('td', {}, String(value))),
    ),
  )
  const head = el('tr', {}, ...columns.map((name) => el('th', { scope: 'col' }, name)))
  return el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows))
}

const share = (part: number): number => Math.round(part * 100)

type Head = PageData['head']
const AT_ONCE = 100

/** The sections after the iterations: weakened tests, interventions, labels, baseline, configuration. */
export function sections(head: Head): readonly (HTMLElement | undefined)[] {
  return [tampering(head), interventions(head), reliabilitySection(head), baseline(head), config(head)]
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
