import type { Scalar } from '../core/types.ts'

/** What an agent can say without words: the same from its shell and through the tool. */
export const STATUSES = ['complete', 'continue', 'blocked'] as const
export const CONFIDENCES = ['low', 'medium', 'high'] as const

/** One start of the agent. A signal that names another one came too late, or was copied. */
export interface Attempt {
  readonly run: string
  readonly iteration: number
  /** Different for every start of the agent. */
  readonly nonce: string
}

/** By the names that `signals/dialects/tool.ts` reads. */
export type SignalFields = Readonly<Record<string, Scalar>>

export interface ReadSignal {
  /** Absent when it says nothing that can be understood. */
  readonly signal?: SignalFields
  readonly problems: readonly string[]
}

/** Longer reasons are cut: they are for people, and nobody reads more. */
const LONGEST = 2_000

const WORDS: Readonly<Record<string, readonly string[]>> = { status: STATUSES, confidence: CONFIDENCES }
const TEXTS = new Set(['reason', 'remaining_work'])

/** Reads what was given as one signal. What it does not know it names and leaves out: a claim is all that can be given here. */
export function signalOf(given: Readonly<Record<string, unknown>>): ReadSignal {
  const fields: Record<string, Scalar> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(given).slice(0, 50)) {
    if (value === undefined || value === null || value === '') continue
    if (TEXTS.has(name)) {
      if (typeof value === 'string') fields[name] = cut(value)
      else problems.push(`its ${name} is not a text`)
    } else if (Object.hasOwn(WORDS, name)) {
      const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
      if (WORDS[name]?.includes(word)) fields[name] = word
      else problems.push(`its ${name} is ${shown(value)}, which must be one of ${WORDS[name]?.join(', ')}`)
    } else {
      problems.push(`its field ${shown(name)} is ignored: a signal can claim, evidence is gathered by exitgate itself`)
    }
  }
  if (fields.status !== undefined) return { signal: fields, problems }
  return { problems: problems.length > 0 ? problems : ['it has no status'] }
}

/** A cut must not go through the middle of a character. */
function cut(text: string): string {
  return text.length <= LONGEST ? text : text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')
}

/** A value of the agent's in a sentence: short, in quotes, on one line. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? 'an object' : String(value)
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text)
}
