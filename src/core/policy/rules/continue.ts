import { count } from '../../../../packages/core/src/count.ts'
import type { Condition, Facts, Rule } from '../../types.ts'
import { notVetoed } from '../conditions.ts'
import { always, any, either, finding, yesNo } from '../finding.ts'
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

/** The reason of the last iteration comes first, because this count does not say why. */
const NO_PROGRESS = /^(Circuit breaker is OPEN: )No progress for (\d+ iterations?)$/

/** Another count does not say why either, so the reason of the last iteration follows. */
export const explained =
  (claim: Condition, proof: Condition) =>
  (rule: Rule): Rule => ({
    ...rule,
    when: (facts) => {
      const found = rule.when(facts)
      if (found.answer !== 'yes') return found
      const isOnlyReport = proof(facts).answer === 'yes' && claim(facts).answer === 'unknown' && !facts.failed
      const why =
        isOnlyReport && facts.signals.question === undefined && notVetoed(facts).answer === 'yes'
          ? 'All checks pass. Only the report of the agent that it is done is missing.'
          : notDone(claim, proof)(facts).replace(/^Not done: (.)/, (_start, first: string) => first.toUpperCase())
      const [, breaker, count] = NO_PROGRESS.exec(found.detail) ?? []
      if (breaker !== undefined) return { ...found, detail: `${breaker}${why} exitgate saw no change in ${count}.` }
      return { ...found, detail: `${found.detail.replace(/\.$/, '')}. ${why}` }
    },
  })

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

/** The last rules of most policies: what is odd about the iteration, and what is missing. */
export const notYet = (claim: Condition, proof: Condition, whole = proof): readonly Rule[] => [
  warn(claimWithoutProof(claim, proof), proofWithoutClaim(claim, proof), breakerHalfOpen, readingProblems),
  keepGoing(notDone(claim, whole)),
]

export const breakerHalfOpen: Condition = ({ charged: { state, noProgress } }) => {
  const tried =
    noProgress > 0 ? `no progress for ${count(noProgress, 'iteration')}` : 'the circuit breaker allows one try'
  return either('breaker half-open', state === 'half-open', tried, `the circuit breaker is ${state}`)
}

export const readingProblems: Condition = ({ signals }) =>
  finding(
    'reading',
    yesNo(signals.problems.length > 0),
    signals.problems.join('; ') || 'no problems in the status block',
  )
