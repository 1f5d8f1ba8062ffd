import type { Answer, BreakerState } from '../../core/types.ts'
import type { Look, Tone } from './line.ts'

interface Marks {
  readonly answers: Readonly<Record<Answer, string>>
  readonly dot: string
  readonly rule: string
  readonly bar: string
  readonly full: string
  readonly empty: string
  readonly bullet: string
  readonly step: { readonly done: string; readonly now: string; readonly ahead: string; readonly arrow: string }
  readonly spinner: readonly string[]
  readonly spark: readonly string[]
}

const UNICODE: Marks = {
  answers: { yes: '✓', no: '✗', unknown: '?' },
  dot: '·',
  rule: '─',
  bar: '│',
  full: '█',
  empty: '░',
  bullet: '•',
  step: { done: '✓', now: '●', ahead: '○', arrow: '─' },
  spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'],
  spark: [...'▁▂▃▄▅▆▇█'],
}

const ASCII: Marks = {
  answers: { yes: '+', no: 'x', unknown: '?' },
  dot: '-',
  rule: '-',
  bar: '|',
  full: '#',
  empty: '.',
  bullet: '*',
  step: { done: '+', now: '>', ahead: 'o', arrow: '-' },
  spinner: [...'|/-\\'],
  spark: [...'_.:-=+*#'],
}

export const marksOf = ({ unicode }: Pick<Look, 'unicode'>): Marks => (unicode ? UNICODE : ASCII)

export const ANSWER_TONES: Readonly<Record<Answer, Tone>> = { yes: 'green', no: 'red', unknown: 'yellow' }
export const BREAKER_TONES: Readonly<Record<BreakerState, Tone>> = {
  closed: 'green',
  'half-open': 'yellow',
  open: 'red',
}
