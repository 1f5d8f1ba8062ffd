import uPlot from 'uplot'
import type { Columns, SeriesName } from '../columns.ts'
import { thin } from '../thin.ts'
import { el, fold, svg } from './dom.ts'
import { colour, onTheme } from './theme.ts'

interface Line {
  readonly series: SeriesName
  readonly label: string
  /** A colour of the style sheet. */
  readonly tone: string
  /** Told by the dashes too. */
  readonly dash: readonly number[]
}

interface Chart {
  readonly title: string
  readonly lines: readonly Line[]
  readonly unit: (value: number) => string
  readonly top?: number
}

const whole = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 })
const line = (series: SeriesName, label: string, tone: string, dash: readonly number[] = []): Line => ({
  series,
  label,
  tone,
  dash,
})

const CHARTS: readonly Chart[] = [
  {
    title: 'Tests',
    lines: [
      line('passed', 'passed', 'yes'),
      line('failed', 'failed', 'no', [6, 3]),
      line('flaky', 'flaky', 'unknown', [2, 3]),
    ],
    unit: whole,
  },
  { title: 'Checklist', lines: [line('done', 'done', 'yes'), line('items', 'items', 'soft', [6, 3])], unit: whole },
  { title: 'Confidence', lines: [line('confidence', 'confidence', 'ink')], unit: whole, top: 100 },
  { title: 'Cost per iteration', lines: [line('usd', 'US dollars', 'ink')], unit: (value) => `$${value.toFixed(2)}` },
  { title: 'Tokens per iteration', lines: [line('tokens', 'tokens', 'ink')], unit: whole },
  { title: 'Time per iteration', lines: [line('seconds', 'seconds', 'ink')], unit: (value) => `${whole(value)}s` },
]

/** The charts that have something to show; a line that was never anything but nothing is left out. */
function chartsOf({ series }: Columns): readonly Chart[] {
  return CHARTS.map((chart) => {
    const lines = chart.lines.filter(({ series: name }) => series[name].some((value) => value !== null && value !== 0))
    return { ...chart, lines }
  }).filter(({ lines }) => lines.length > 0)
}

const HEIGHT = 150
const POINTS = 600
const TABLE = 200

/** The charts of the run. Each one has a table for screen readers. */
export function charts(columns: Columns, choose: (n: number) => void): HTMLElement | undefined {
  const shown = chartsOf(columns)
  if (shown.length === 0 || columns.n.length === 0) return undefined
  return el(
    'section',
    { class: 'charts' },
    el('h2', {}, 'Charts'),
    el('div', { class: 'grid' }, ...shown.map((chart) => figure(chart, columns, choose))),
  )
}

function figure(chart: Chart, columns: Columns, choose: (n: number) => void): HTMLElement {
  const all = chart.lines.map(({ series }) => columns.series[series])
  const thinned = thin(columns.n, all, POINTS)
  const told = el('span', { class: 'told' })
  const box = el('div', { class: 'plot', 'aria-hidden': 'true' })
  const keys = chart.lines.map(({ label, tone, dash }) =>
    el(
      'span',
      { class: `key ${tone}` },
      svg(
        'svg',
        { viewBox: '0 0 22 6', width: '22', height: '6', 'aria-hidden': 'true' },
        svg('path', { d: 'M0 3h22', 'stroke-dasharray': dash.join(' ') }),
      ),
      label,
    ),
  )
  let plot: uPlot | undefined
  const draw = (): void => {
    plot?.destroy()
    plot = new uPlot(
      options(chart, box.clientWidth || 300, told),
      [[...thinned.x], ...thinned.y.map((line) => [...line])],
      box,
    )
  }
  const seen = new ResizeObserver(() => {
    if (plot === undefined) draw()
    else if (box.clientWidth > 0) plot.setSize({ width: box.clientWidth, height: HEIGHT })
  })
  seen.observe(box)
  onTheme(draw)
  box.addEventListener('click', () => {
    const n = plot?.cursor.idx === null || plot?.cursor.idx === undefined ? undefined : thinned.x[plot.cursor.idx]
    if (n !== undefined) choose(n)
  })
  return el(
    'figure',
    {},
    el('figcaption', {}, el('h3', {}, chart.title), el('span', { class: 'legend' }, ...keys)),
    box,
    told,
    fold('As a table', () => table(chart, columns)),
  )
}

function options(chart: Chart, width: number, told: HTMLElement): uPlot.Options {
  const soft = colour('soft')
  const grid = { stroke: colour('line'), width: 1 }
  const axis = { stroke: soft, grid, ticks: { show: false }, font: '11px system-ui, sans-serif' }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, chart.top ?? (high > 0 ? high * 1.08 : 1)] } },
    axes: [
      { ...axis, size: 24, gap: 2, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000] },
      { ...axis, size: 52, gap: 4, values: (_plot, values) => values.map((value) => chart.unit(value)) },
    ],
    cursor: { y: false, drag: { x: false, y: false } },
    series: [{}, ...chart.lines.map(({ tone, dash }) => lineOptions(colour(tone), dash))],
    hooks: {
      setCursor: [
        (plot) => {
          const at = plot.cursor.idx
          const value = (n: number): string => {
            const found = at === null || at === undefined ? undefined : plot.data[n + 1]?.[at]
            return found === null || found === undefined ? '-' : chart.unit(found)
          }
          told.textContent =
            at === null || at === undefined
              ? ''
              : `iteration ${plot.data[0][at]}: ${chart.lines.map(({ label }, n) => `${label} ${value(n)}`).join(', ')}`
        },
      ],
    },
  }
}

const lineOptions = (stroke: string, dash: readonly number[]): uPlot.Series => ({
  stroke,
  width: 2,
  dash: [...dash],
  spanGaps: true,
  points: { size: 5 },
})

function table(chart: Chart, columns: Columns): HTMLElement {
  const all = chart.lines.map(({ series }) => columns.series[series])
  const { x, y } = thin(columns.n, all, TABLE)
  const cell = (value: number | null | undefined): string =>
    value === null || value === undefined ? '-' : chart.unit(value)
  const left = columns.n.length - x.length
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${chart.title}, as a table` },
    el(
      'table',
      {},
      el(
        'caption',
        {},
        `${chart.title} by iteration${left > 0 ? `; ${left.toLocaleString('en')} iterations between these are left out` : ''}`,
      ),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          el('th', { scope: 'col' }, 'Iteration'),
          ...chart.lines.map(({ label }) => el('th', { scope: 'col' }, label)),
        ),
      ),
      el(
        'tbody',
        {},
        ...x.map((n, at) =>
          el('tr', {}, el('th', { scope: 'row' }, String(n)), ...y.map((line) => el('td', {}, cell(line[at])))),
        ),
      ),
    ),
  )
}
