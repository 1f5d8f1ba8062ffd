import { count } from '../../count.ts'
import type { Condition, Facts, Rule } from '../../types.ts'
import { notVetoed } from '../conditions.ts'
import { always, any, finding, yesNo } from '../finding.ts'
import { notDoneSentence } from '../sentence.ts'

/** Continue, and report every warning that applies, not only the first. */
export const warn = (...conditions: readonly Condition[]): Rule => ({
  name: 'warn',
  when: any('warn', ...conditions),
  decision: { action: 'continue', warnings: [] },
})

/** The last rule of every policy: not done, and why. */
export const keepGoing = (reason: (facts: Facts) => string): Rule => ({
  name: 'continue',
  when: always('continue', reason),
  decision: { action: 'continue', warnings: [] },
})

/** What the agent reported, and the first problem the checks found. */
export const notDone =
  (claim: Condition, proof: Condition) =>
  (facts: Facts): string =>
    notDoneSentence(facts, claim(facts), notVetoed(facts), proof(facts))

/** Warnings are conditions: yes means the warning applies. */
export const claimWithoutProof =
  (claim: Condition, proof: Condition, text?: string): Condition =>
  (facts) => {
    const rejected = claim(facts).answer === 'yes' && proof(facts).answer !== 'yes'
    const detail = rejected ? (text ?? notDone(claim, proof)(facts)) : 'no unproven claim'
    return finding('claim without proof', yesNo(rejected), detail)
  }

export const proofWithoutClaim =
  (
    claim: Condition,
    proof: Condition,
    text = 'all checks pass, but the agent has not reported that it is done',
  ): Condition =>
  (facts) => {
    const unclaimed = claim(facts).answer !== 'yes' && proof(facts).answer === 'yes'
    return finding('proof without claim', yesNo(unclaimed), unclaimed ? text : 'no unclaimed proof')
  }

export const breakerHalfOpen: Condition = ({ charged: { state, noProgress } }) => {
  const tried =
    noProgress > 0 ? `no progress for ${count(noProgress, 'iteration')}` : 'the circuit breaker allows one try'
  const isHalfOpen = state === 'half-open'
  return finding('breaker half-open', yesNo(isHalfOpen), isHalfOpen ? tried : `the circuit breaker is ${state}`)
}

export const readingProblems: Condition = ({ signals }) =>
  finding(
    'reading',
    yesNo(signals.problems.length > 0),
    signals.problems.join('; ') || 'no problems in the status block',
  )
