import { plainWords } from '../../packages/core/src/plain-words.ts'
import { userDecides } from '../core/accepting.ts'
import { verdictSentence } from '../core/policy/ending-text.ts'
import type { Verdict } from '../core/types.ts'

/** Clients truncate longer texts. */
const MAX_TEXT = 8_000
const MAX_LINE = 500
const MAX_LINES = 20

const list = (lines: readonly string[]): readonly string[] => {
  const plain = lines.map((line) => short(plainWords(line))).filter((line) => line !== '')
  const more = plain.length - MAX_LINES
  return [...plain.slice(0, MAX_LINES), ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `- ${line}`)
}

const short = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line)
const joined = (lines: readonly string[]): string => lines.join('\n').slice(0, MAX_TEXT)

export interface Refusal {
  readonly missing: readonly string[]
  /** This refusal's number in the row, and the maximum. */
  readonly nth: number
  readonly of: number
  readonly goal?: string
  /** Ids of findings that only the user can accept. */
  readonly findings?: readonly string[]
  /** How to report, if the agent didn't. */
  readonly protocol?: string
  /** More information for the agent. */
  readonly notes?: readonly string[]
}

/** The agent's message after a refused stop: what is missing and what to do. It never contains a completion token. */
export function refusalText({ missing, nth, of, goal, protocol, notes = [], findings = [] }: Refusal): string {
  return joined([
    `You can't stop yet: exitgate checked the project, and the work is not done (refusal ${nth} of ${of}).`,
    ...(goal === undefined ? [] : [`Goal: ${short(plainWords(goal))}`]),
    ...notes.map((note) => short(plainWords(note))),
    ...(missing.length === 0 ? [] : ['Still missing:', ...list(missing), NEXT, ...userDecides(findings, missing)]),
    ...(protocol === undefined ? [] : ['', protocol.trim()]),
  ])
}

const NEXT = "Fix these points, then stop again. If you can't fix one, tell the user which one and why."

/** The user's message at the end of a turn, verified or not. */
export function endText(verdict: Verdict): string {
  if (verdict.action !== 'stop') return ''
  const { outcome, ending, missing } = verdict
  const open = outcome === 'completed' && ending === 'verified' ? [] : list(missing)
  return joined([`exitgate: ${plainWords(verdictSentence(verdict))}`, ...open])
}

export function letGoText(why: string, missing: readonly string[]): string {
  return joined([`exitgate: not verified. The agent may stop, because ${why.replace(/\.$/, '')}.`, ...list(missing)])
}
