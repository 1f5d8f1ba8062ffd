import type { Condition, StreakPolicy } from '../types.ts'
import { failedIteration, improved, notVetoed } from './conditions.ts'
import { all, finding, yesNo } from './finding.ts'
import { allGreen } from './test-counts.ts'

/** Streaks that several presets share; each preset's rules say which of them matter. */
export function commonStreaks(claim: Condition, proof: Condition): Readonly<Record<string, StreakPolicy>> {
  const answers =
    (name: string, condition: Condition, answer: string): Condition =>
    (facts) => {
      const found = condition(facts)
      return finding(name, yesNo(found.answer === answer), found.detail)
    }
  const notBetter: Condition = (facts) => finding('not better', yesNo(!improved(facts)), 'nothing got better since')
  return {
    hollowClaims: { when: all('hollow', claim, notVetoed, answers('refuted', proof, 'no'), notBetter) },
    unverifiable: { when: all('unanswered', claim, notVetoed, answers('unanswered', proof, 'unknown')) },
    sameTask: { when: failedIteration, key: (facts) => facts.task },
    blocked: {
      when: ({ signals }) => finding('blocked', yesNo(signals.blocker !== undefined), signals.blocker ?? 'no blocker'),
    },
    green: { when: allGreen },
  }
}
