import type { PreflightFact } from '../core/run.ts'
import { wrapText } from './live/line.ts'
import type { Paint } from './verdict-text.ts'

const WIDTH = 10
const TONES = { good: 'dim', note: 'yellow', bad: 'red' } as const

interface FactStyle {
  readonly paint: Paint
  /** Makes a text harmless. */
  readonly clean: (text: string) => string
  /** Breaks longer lines; absent if the reader does that. */
  readonly columns?: number | undefined
}

/** `agent     claude 2.1.0`, and below it what to do if something is wrong. */
export function factLines(facts: readonly PreflightFact[], { paint, clean, columns }: FactStyle): readonly string[] {
  const folded = (text: string): readonly string[] =>
    columns === undefined ? [clean(text)] : wrapText(clean(text), Math.max(20, columns - WIDTH))
  return facts.flatMap(({ name, state, text, remedy = '' }) => {
    const [first = '', ...more] = [...folded(text), ...(remedy === '' ? [] : folded(remedy))]
    return [`${paint(name.padEnd(WIDTH), TONES[state])}${first}`, ...more.map((line) => `${' '.repeat(WIDTH)}${line}`)]
  })
}
