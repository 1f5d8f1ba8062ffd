import type { Answer, BreakerState } from '../core/types.ts'

/** What the agent said about its work. It is neither a pass nor a failure: work that is left is an honest answer. */
export const CLAIM_TEXT: Readonly<Record<Answer, string>> = {
  yes: "says it's done",
  no: 'says work is left',
  unknown: 'not claimed',
}

/** How people read the state of the circuit breaker. */
export const BREAKER_TEXT: Readonly<Record<BreakerState, string>> = {
  closed: 'closed',
  'half-open': 'nearly open',
  open: 'open',
}

const REMEDY = /\.? (?:Restore|Remove|Undo|Review|Reinstall|Import|Call|Use|Write|Run|Compute) [^."]*\.?$/

/** What a finding is, without what the agent should do about it. */
export const withoutRemedy = (detail: string): string => detail.replace(REMEDY, '.')
