import type { Config } from '../config.ts'
import type { BreakerLimits, BreakerPolicy, Condition } from '../types.ts'

/** The breaker as configured, as the engine wants it. */
export function breakerOf(config: Config, hold?: Condition): BreakerPolicy {
  const { enabled, halfOpenAt, phases, outputDecline, recovery, cooldownMinutes, autoReset } = config.breaker
  const { noProgress, sameError, gateBlocked, failures, denials, loops } = config.breaker
  return {
    enabled,
    halfOpenAt,
    limits: without0({ noProgress, sameError, gateBlocked, failures, denials, loops }),
    phases: Object.fromEntries(Object.entries(phases).map(([phase, limits]) => [phase, without0(limits)])),
    ...(outputDecline === undefined ? {} : { outputDecline }),
    recovery,
    cooldownMinutes,
    autoReset,
    ...(hold === undefined ? {} : { hold }),
  }
}

/** A limit of 0 switches that reason off. */
function without0(limits: { readonly [Name in keyof BreakerLimits]: number | undefined }): BreakerLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined && limit > 0))
}
