import type { RunEnd } from '../../core/run.ts'
import { redact } from '../../system/redact.ts'

const LONGEST = 200

/**
 * The end in one line. Reasons can hold the agent's words: nothing in it may be taken for an order by a terminal, turn the reading
 * direction, or be a secret.
 */
export function endWords({ outcome, ending, reason, iterations }: RunEnd): string {
  const counted = `${iterations} iteration${iterations === 1 ? '' : 's'}`
  return plainLine(`${outcome} (${ending}) after ${counted}: ${reason}`)
}

export function plainLine(text: string): string {
  const plain = redact(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1)}…`
}
