import type { Condition, Facts, Rule } from '../../types.ts'
import { always, any, finding, yesNo } from '../finding.ts'

/** Go on, but say what looks wrong. Every warning that applies is said, not only the first. */
export const warn = (...conditions: readonly Condition[]): Rule => ({
  name: 'warn',
  when: any('warn', ...conditions),
  decision: { action: 'continue', warnings: [] },
})

/** The last rule of every policy: not done, go on, and say why. */
export const goOn = (reason: (facts: Facts) => string): Rule => ({
  name: 'continue',
  when: always('continue', reason),
  decision: { action: 'continue', warnings: [] },
})

/** Things worth saying while the run goes on. Each is a condition: yes means "say it". */
export const claimWithoutProof =
  (claim: Condition, proof: Condition, words = 'the agent says that it is done, but the proof is missing'): Condition =>
  (facts) =>
    finding('claim without proof', yesNo(claim(facts).answer === 'yes' && proof(facts).answer !== 'yes'), words)

export const proofWithoutClaim =
  (
    claim: Condition,
    proof: Condition,
    words = 'everything checks out, but the agent has not said that it is done',
  ): Condition =>
  (facts) =>
    finding('proof without claim', yesNo(claim(facts).answer !== 'yes' && proof(facts).answer === 'yes'), words)

export const breakerHalfOpen: Condition = ({ charged }) =>
  finding(
    'breaker half-open',
    yesNo(charged.state === 'half-open'),
    `the breaker is half-open: no progress for ${charged.noProgress} iterations`,
  )

export const readingProblems: Condition = ({ signals }) =>
  finding('reading', yesNo(signals.problems.length > 0), signals.problems.join('; '))
