import type { PreflightFact } from '../core/run.ts'
import type { Paint } from './verdict-text.ts'

const WIDTH = 9
const TONES = { good: 'dim', note: 'yellow', bad: 'red' } as const

/** `agent    claude 2.1.0`, and below it what to do if something is wrong. */
export function factLines(
  facts: readonly PreflightFact[],
  paint: Paint,
  clean: (text: string) => string,
): readonly string[] {
  return facts.flatMap(({ name, state, text, remedy }) => [
    `${paint(name.padEnd(WIDTH), TONES[state])} ${clean(text)}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(WIDTH)} ${clean(remedy)}`]),
  ])
}
