import { plainWords } from '../core/policy/plain-words.ts'
import type { Verdict } from '../core/types.ts'

/** Hosts put longer texts aside and show only their beginning. */
const LONGEST = 8_000
const LONGEST_LINE = 500
const MOST_LINES = 20

const list = (lines: readonly string[]): readonly string[] => {
  const plain = lines.map((line) => short(plainWords(line))).filter((line) => line !== '')
  const more = plain.length - MOST_LINES
  return [...plain.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `- ${line}`)
}

const short = (line: string): string => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line)
const joined = (lines: readonly string[]): string => lines.join('\n').slice(0, LONGEST)

export interface Refusal {
  readonly missing: readonly string[]
  /** How many refusals in a row, and how many there will be. */
  readonly nth: number
  readonly of: number
  readonly goal?: string
  /** How the preset wants the agent to say where it stands; given when the agent did not. */
  readonly protocol?: string
  /** What else the agent should know. */
  readonly notes?: readonly string[]
}

/** What the agent reads instead of an end of its turn: what is missing, in words that can never be taken for a claim. */
export function refusalText({ missing, nth, of, goal, protocol, notes = [] }: Refusal): string {
  return joined([
    `exitgate looked at the project itself: not there yet (refusal ${nth} of ${of}).`,
    ...(goal === undefined ? [] : [`The goal: ${short(plainWords(goal))}`]),
    ...notes.map((note) => short(plainWords(note))),
    ...(missing.length === 0 ? [] : ['Missing:', ...list(missing)]),
    ...(protocol === undefined ? [] : ['', protocol.trim()]),
  ])
}

/** What the person reads when a turn may end although nothing was verified, or because it was. */
export function endText(verdict: Verdict): string {
  if (verdict.action !== 'stop') return ''
  const { outcome, ending, reason, missing } = verdict
  const how =
    outcome === 'completed'
      ? `${ending}: ${plainWords(reason)}`
      : `not done, ${outcome} (${ending}): ${plainWords(reason)}`
  const open = outcome === 'completed' && ending === 'verified' ? [] : list(missing)
  return joined([`exitgate: ${how}`, ...open])
}

export function letGoText(why: string, missing: readonly string[]): string {
  return joined([`exitgate lets go, nothing is verified: ${why}.`, ...list(missing)])
}
