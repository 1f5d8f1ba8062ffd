import type { BreakerLimits } from '../../../core/types.ts'
import { BREAKER_TEXT } from '../../plain-words.ts'
import { clean } from '../clean.ts'
import { amountText } from '../duration.ts'
import { type Block, inPairs, textBlock } from '../layout.ts'
import { BREAKER_TONES, cutLine, type Line, type Look, marksOf, span, type Tone } from '../line.ts'
import type { View } from '../view.ts'

/** The circuit breaker, and how close its counts are to the limits. */
export function breakerBlock(view: View, columns: number, look: Look): Block {
  const { breaker } = view.state.counters
  const config = view.state.config?.breaker
  const [state, why] = breakerTexts(view)
  const line = [span('circuit breaker ', 'bold'), span(state, BREAKER_TONES[breaker.state]), span(`  ${why}`, 'dim')]
  const isShown = config?.enabled !== false && view.started !== undefined
  return textBlock({ rank: 5, lines: isShown ? [line] : [], gap: true }, columns, look)
}

/** Its state, and its reason or counts. */
export function breakerTexts(view: View): readonly [state: string, why: string] {
  const { breaker } = view.state.counters
  const config = view.state.config?.breaker
  const limits: BreakerLimits = { ...config, ...(view.phase === undefined ? undefined : config?.phases[view.phase]) }
  const counts = COUNTS.filter(([name]) => name === 'noProgress' || breaker[name] > 0).map(([name, title]) => {
    const most = limits[name]
    return most === undefined ? `${title} ${breaker[name]}` : `${title} ${breaker[name]} of ${most}`
  })
  const why = breaker.state === 'open' && breaker.reason !== undefined ? clean(breaker.reason) : counts.join(', ')
  return [BREAKER_TEXT[breaker.state], why]
}

const COUNTS = [
  ['noProgress', 'no progress'],
  ['sameError', 'same error'],
  ['failures', 'failed'],
  ['denials', 'denied tools'],
] as const

interface Budget {
  readonly name: string
  readonly used: number
  readonly most: number | undefined
  readonly text: (value: number) => string
}

/** How much of each limit is used; without a limit, how much was spent. */
export function budgetBlock(view: View, columns: number, now: number, look: Look): Block {
  const budgets = budgetsOf(view, now)
  const bars = inPairs((room) => budgets.map((budget) => barLine(budget, room, look)), columns, look)
  return {
    rank: 6,
    least: Math.min(bars.length, 1),
    most: bars.length,
    draw: (rows) => {
      if (rows >= bars.length) return bars
      const texts = budgets.map((budget) => `${budget.name} ${amount(budget, '/')}`)
      return [cutLine([span('budget ', 'bold'), span(texts.join(', '))], columns, look)]
    },
  }
}

/** One line for every size: what is used of each limit, and the sandbox. */
export function limitsBlock(view: View, columns: number, now: number, look: Look): Block {
  const line = span(limitTexts(view, now).join(` ${marksOf(look).dot} `), 'dim')
  return textBlock({ rank: 2.2, lines: view.started === undefined ? [] : [[line]] }, columns, look)
}

export function limitTexts(view: View, now: number): readonly string[] {
  const used = budgetsOf(view, now).filter(({ name }) => name !== 'iterations')
  return [
    ...used.map((budget) => `${budget.name} ${amount(budget, ' of ')}`),
    `sandbox ${clean(view.started?.sandbox ?? 'off')}`,
  ]
}

function budgetsOf(view: View, now: number): readonly Budget[] {
  if (view.started === undefined) return []
  const { total } = view.state.counters
  const limits = view.state.config?.limits ?? {}
  const busy = view.doing.kind === 'agent' || view.doing.kind === 'evidence' ? Math.max(0, now - view.doing.since) : 0
  const whole = (value: number): string => String(Math.floor(value))
  const all: readonly Budget[] = [
    { name: 'iterations', used: view.iteration, most: limits.iterations, text: whole },
    { name: 'minutes', used: (total.ms + busy) / 60_000, most: limits.minutes, text: whole },
    { name: 'cost', used: total.usd + (view.used.usd ?? 0), most: limits.usd, text: (value) => `$${value.toFixed(2)}` },
    { name: 'tokens', used: total.tokens + (view.used.tokens ?? 0), most: limits.tokens, text: amountText },
  ]
  return all.filter(({ used, most, name }) => most !== undefined || (used > 0 && ['cost', 'tokens'].includes(name)))
}

const amount = ({ used, most, text }: Budget, of: string): string =>
  most === undefined ? text(used) : `${text(used)}${of}${text(most)}`

function barLine(budget: Budget, columns: number, look: Look): Line {
  const name = span(budget.name.padEnd(11), 'dim')
  const text = amount(budget, ' of ')
  const room = Math.min(24, columns - 11 - 1 - text.length)
  if (budget.most === undefined || room < 4) return cutLine([name, span(text)], columns, look)
  const share = budget.most > 0 ? Math.min(1, budget.used / budget.most) : 1
  // What reads as nothing shows no step, anything else at least one, and a full bar means that nothing is left.
  const isNothing = budget.text(budget.used) === budget.text(0)
  const filled = share >= 1 ? room : isNothing ? 0 : Math.min(room - 1, Math.max(1, Math.round(share * room)))
  const { full, empty } = marksOf(look)
  const bar = [span(full.repeat(filled), toneOf(share)), span(empty.repeat(room - filled), 'dim')]
  return [name, ...bar, span(` ${text}`)]
}

const toneOf = (share: number): Tone => (share >= 0.9 ? 'red' : share >= 0.7 ? 'yellow' : 'green')

/** Passing tests and confidence over the iterations, as small charts. */
export function sparksBlock(view: View, columns: number, look: Look): Block {
  const passed = view.history.map((point) => point.passed)
  const confidence = view.history.map((point) => point.confidence)
  const make = (room: number): readonly Line[] => [
    ...sparkLine('passing', passed, undefined, room, look),
    ...sparkLine('confidence', confidence, 100, room, look),
  ]
  const lines = inPairs(make, columns, look)
  return { rank: 9, least: lines.length, most: lines.length, draw: (rows) => lines.slice(0, rows) }
}

/** A chart needs two points. An iteration without the number leaves a gap. */
function sparkLine(
  name: string,
  values: readonly (number | undefined)[],
  top: number | undefined,
  columns: number,
  look: Look,
): readonly Line[] {
  const known = values.filter((value) => value !== undefined && Number.isFinite(value))
  const last = known.at(-1)
  if (known.length < 2 || last === undefined) return []
  const newest = ` ${Math.round(last)}`
  const room = Math.max(1, Math.min(40, columns - 11 - newest.length))
  const { spark } = marksOf(look)
  const most = Math.max(top ?? 0, ...known.map((value) => value ?? 0), 1)
  const drawn = values.slice(-room).map((value) => {
    if (value === undefined || !Number.isFinite(value)) return ' '
    return spark[Math.min(spark.length - 1, Math.max(0, Math.round((value / most) * (spark.length - 1))))] ?? ' '
  })
  return [cutLine([span(name.padEnd(11), 'dim'), span(drawn.join(''), 'cyan'), span(newest)], columns, look)]
}
