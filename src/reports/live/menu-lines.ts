import type { Decided, State } from '../../core/journal/events.ts'
import type { BreakerChoice } from '../../core/run.ts'
import { clean } from './clean.ts'
import { cutLine, type Line, type Look, paintLine, span } from './line.ts'
import { marksOf } from './marks.ts'

interface Choice {
  readonly kind: BreakerChoice['kind']
  readonly letter: string
  readonly words: string
}

/** What a person can answer, in the order of the menu. */
export const CHOICES: readonly Choice[] = [
  { kind: 'reset', letter: 'r', words: 'close the breaker and go on' },
  { kind: 'skip', letter: 's', words: 'leave this task or phase and go on' },
  { kind: 'abort', letter: 'a', words: 'end the run here' },
  { kind: 'modify', letter: 'm', words: 'give the agent new guidance and go on' },
  { kind: 'continue', letter: 'c', words: 'one more try; without progress it opens again' },
]

interface MenuStyle extends Look {
  readonly columns: number
}

const MOST_MISSING = 5

/** Why there is something to choose: printed once, above the menu. */
export function menuHead(state: State, verdict: Decided | undefined, style: MenuStyle): readonly string[] {
  const { breaker } = state.counters
  const reason = clean(breaker.reason ?? verdict?.reason ?? 'no progress')
  const missing = (verdict?.missing ?? []).slice(0, MOST_MISSING)
  const lines: readonly Line[] = [
    [span('breaker open', 'red'), span(` after iteration ${state.iterations}: ${reason}`)],
    ...missing.map((each): Line => [span(`${marksOf(style).bullet} `, 'yellow'), span(clean(each))]),
    [],
  ]
  return lines.map((line) => paintLine(cutLine(line, style.columns, style), style))
}

/** The choices with the chosen one marked: always as many lines, so that they can be painted over. */
export function menuLines(chosen: number, style: MenuStyle): readonly string[] {
  const lines = CHOICES.map(({ kind, letter, words }, at): Line => {
    const here = at === chosen
    const mark = here ? span('> ', 'cyan') : span('  ')
    return [mark, span(letter, 'bold'), span(`  ${kind.padEnd(10)}`, here ? 'cyan' : undefined), span(words, 'dim')]
  })
  const foot: Line = [span('a letter, or arrows and enter; Ctrl+C aborts', 'dim')]
  return [...lines, foot].map((line) => paintLine(cutLine(line, style.columns, style), style))
}
