import type { Columns, SeriesName } from '../columns.ts'

export interface Line {
  readonly series: SeriesName
  readonly label: string
  /** A colour of the style sheet. */
  readonly tone: string
  /** Told by the dashes too. */
  readonly dash: readonly number[]
}

export interface Chart {
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
export function chartsOf({ series }: Columns): readonly Chart[] {
  return CHARTS.map((chart) => {
    const lines = chart.lines.filter(({ series: name }) => series[name].some((value) => value !== null && value !== 0))
    return { ...chart, lines }
  }).filter(({ lines }) => lines.length > 0)
}
