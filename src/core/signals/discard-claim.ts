import type { Signals } from '../types.ts'

/** An agent that failed has not finished, whatever it printed before: its claim does not stand. */
export function discardClaim(signals: Signals, reason: string): Signals {
  return signals.claim === true ? { ...signals, vetoes: [...signals.vetoes, reason] } : signals
}
