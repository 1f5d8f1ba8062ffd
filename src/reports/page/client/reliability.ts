import type { PageData } from '../data.ts'
import { el, svg, words } from './dom.ts'

type Head = PageData['head']

const SIZE = 200
const MARGIN = 10

/** What was said afterwards about the run, and how well the confidence has told good from bad: a picture, and the same as a table. */
export function reliabilitySection({ label, reliability }: Head): HTMLElement | undefined {
  if (label === undefined && reliability === undefined) return undefined
  return el(
    'section',
    { class: 'reliability' },
    el('h2', {}, 'Labels and completion confidence'),
    label && el('p', {}, `This run is labelled ${label.label} by `, words(label.by), ': ', words(label.reason)),
    reliability && [summary(reliability), picture(reliability), table(reliability)],
  )
}

type Shown = NonNullable<Head['reliability']>

const summary = ({ good, bad, brier, error }: Shown): HTMLElement =>
  el(
    'p',
    {},
    `${good + bad} labelled runs (${good} good, ${bad} bad): Brier score ${brier.toFixed(3)}, calibration error ${error.toFixed(3)}. On the line, what was said is what was so.`,
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
  const label = `Reliability diagram: ${bins.map(({ said, was, n }) => `said ${share(said)}, was ${share(was)} in ${n} runs`).join('; ')}`
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
  const columns = ['Confidence', 'Said', 'Was good', 'Runs']
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
