import type { Config } from '../config.ts'
import { failedInVain, improved, notVetoed } from '../policy/conditions.ts'
import { all, finding, yesNo } from '../policy/finding.ts'
import { asking } from '../policy/rules/needs-human.ts'
import { allPass } from '../policy/test-counts.ts'
import type { BreakerLimits, BreakerPolicy, ChecksPolicy, Condition, StreakPolicy } from '../types.ts'

/** What most policies need: a look for special cases, and a plan only if there is one. */
export const commonChecks: ChecksPolicy = { also: ['special-cased'], plan: { required: false, plansOnly: false } }

/** For the presets that reproduce an older system: none of them knew these checks. */
export const earlierChecks: ChecksPolicy = { ...commonChecks, also: [] }

/** Streaks that several presets share. The rules of each preset decide which matter. */
export function commonStreaks(claim: Condition, proof: Condition): Readonly<Record<string, StreakPolicy>> {
  const answers =
    (name: string, condition: Condition, answer: string): Condition =>
    (facts) => {
      const found = condition(facts)
      return finding(name, yesNo(found.answer === answer), found.detail)
    }
  const notBetter: Condition = (facts) => finding('not better', yesNo(!improved(facts)), 'nothing improved since then')
  return {
    hollowClaims: { when: all('hollow', claim, notVetoed, answers('refuted', proof, 'no'), notBetter) },
    unverifiable: { when: all('unanswered', claim, notVetoed, answers('unanswered', proof, 'unknown')) },
    sameTask: { when: failedInVain, key: (facts) => facts.task },
    blocked: {
      when: ({ signals }) => finding('blocked', yesNo(signals.blocker !== undefined), signals.blocker ?? 'no blocker'),
    },
    green: { when: allPass },
    asking,
  }
}

/** The configured breaker, in the form the engine uses. */
export function breakerOf(
  config: Config,
  { despiteProgress = true, hold }: Partial<Pick<BreakerPolicy, 'despiteProgress' | 'hold'>> = {},
): BreakerPolicy {
  const { enabled, halfOpenAt, phases, outputDecline, recovery, cooldownMinutes } = config.breaker
  const { noProgress, sameError, gateBlocked, failures, denials, loops } = config.breaker
  return {
    enabled,
    halfOpenAt,
    limits: without0({ noProgress, sameError, gateBlocked, failures, denials, loops }),
    phases: Object.fromEntries(Object.entries(phases).map(([phase, limits]) => [phase, without0(limits)])),
    ...(outputDecline === undefined ? {} : { outputDecline }),
    recovery,
    cooldownMinutes,
    despiteProgress,
    ...(hold === undefined ? {} : { hold }),
  }
}

/** A limit of 0 turns that reason off. */
function without0(limits: { readonly [Name in keyof BreakerLimits]: number | undefined }): BreakerLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined && limit > 0))
}
