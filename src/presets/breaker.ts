import type { Config } from '../config/types.ts'
import type { BreakerPolicy, Condition } from '../types.ts'

/** The breaker as configured, as the engine wants it. */
export function breakerOf(config: Config, hold?: Condition): BreakerPolicy {
  const { enabled, halfOpenAt, phases, outputDecline, recovery, cooldownMinutes, autoReset } = config.breaker
  const { noProgress, sameError, gateBlocked, failures, denials, loops } = config.breaker
  const set = Object.entries({ noProgress, sameError, gateBlocked, failures, denials, loops }).filter(
    ([, limit]) => limit !== undefined && limit > 0,
  )
  return {
    enabled,
    halfOpenAt,
    limits: Object.fromEntries(set),
    phases,
    ...(outputDecline === undefined ? {} : { outputDecline }),
    recovery,
    cooldownMinutes,
    autoReset,
    ...(hold === undefined ? {} : { hold }),
  }
}
