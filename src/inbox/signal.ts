import type { Scalar } from '../core/types.ts'

/** The values an agent can report, with the command or the MCP tool. */
export const STATUSES = ['complete', 'continue', 'blocked'] as const
export const CONFIDENCES = ['low', 'medium', 'high'] as const

/** One start of the agent. A signal for another start came too late or was copied. */
export interface Attempt {
  readonly run: string
  readonly iteration: number
  /** Different for every start of the agent. */
  readonly nonce: string
}

/** With the names that `signals/dialects/tool.ts` reads. */
export type SignalFields = Readonly<Record<string, Scalar>>

export interface ReadSignal {
  /** Absent if the signal is not valid. */
  readonly signal?: SignalFields
  readonly problems: readonly string[]
}

/** Longer texts are truncated. */
const MAX_TEXT = 2_000

const ALLOWED: Readonly<Record<string, readonly string[]>> = { status: STATUSES, confidence: CONFIDENCES }
const TEXTS = new Set(['reason', 'remaining_work'])

/** Validates a signal. Unknown fields are reported and ignored, because a signal can only claim. */
export function signalOf(given: Readonly<Record<string, unknown>>): ReadSignal {
  const fields: Record<string, Scalar> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(given).slice(0, 50)) {
    if (value === undefined || value === null || value === '') continue
    if (TEXTS.has(name)) {
      if (typeof value === 'string') fields[name] = cut(value)
      else problems.push(`its ${name} is not a text`)
    } else if (Object.hasOwn(ALLOWED, name)) {
      const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
      if (ALLOWED[name]?.includes(word)) fields[name] = word
      else problems.push(`its ${name} is ${shown(value)}, which must be one of ${ALLOWED[name]?.join(', ')}`)
    } else {
      problems.push(`its field ${shown(name)} is ignored: exitgate gathers evidence itself`)
    }
  }
  if (fields.status !== undefined) return { signal: fields, problems }
  return { problems: problems.length > 0 ? problems : ['it has no status'] }
}

/** Truncates without splitting a character. */
function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')
}

/** A value from the agent for a message: short, quoted, on one line. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? 'an object' : String(value)
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text)
}
