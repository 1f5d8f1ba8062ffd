import type { Observation } from '../types.ts'
import { linesOf } from './dialect.ts'
import { classifyLines, clean } from './lines.ts'
import { findBlocks } from './read.ts'
import { NO_TRANSCRIPT } from './read-signals.ts'

const MOST_CHARACTERS = 500
const MOST_LINES = 6

/** What the agent said last, for people: its question, and the end of its message without status blocks and code. */
export function lastWords(seen: Observation | undefined): { readonly question?: string; readonly said?: string } {
  if (seen === undefined) return {}
  const { question, text } = seen.signals
  const lines = classifyLines(clean(text))
  const held = linesOf(findBlocks(lines, NO_TRANSCRIPT))
  const own = lines.flatMap(({ kind, blank, text }, at) =>
    kind === 'own' && !blank && !held.has(at) ? text.trim() : [],
  )
  const said = own.slice(-MOST_LINES).join('\n').slice(-MOST_CHARACTERS)
  return { ...(question === undefined ? {} : { question }), ...(said === '' ? {} : { said }) }
}

/** The same in one line each. A question that is in the reason already is left out. */
export function lastWordRows(seen: Observation | undefined, reason: string): readonly (readonly [string, string])[] {
  const { question, said } = lastWords(seen)
  const isNew = (text: string | undefined) => text !== undefined && !reason.includes(text)
  return [
    ...(question !== undefined && isNew(question) ? [['agent asks', question] as const] : []),
    ...(said !== undefined && isNew(said) ? [['agent said', said.replace(/\s*\n\s*/g, ' ')] as const] : []),
  ]
}
