import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { configFor } from '../scenarios/play.ts'
import * as any from './arbitrary.ts'

const policy = policyFor(configFor('default'))

/** Phrases and denied calls of an agent that asks for permission, added to any other iteration. */
const pleading = any.observation.map((seen) => ({
  ...seen,
  signals: { ...seen.signals, phrases: ['asks:leave', 'asks:permission'], denials: ['Bash(npm install)'] },
}))

it('progress ends the count, however often the agent asks', () => {
  fc.assert(
    fc.property(any.before, pleading, (before, seen) => {
      const { facts } = decideIteration(before, seen, policy, 0)
      const counted = (facts.streaks.asking?.n ?? 0) > 0
      expect(counted).toBe(policy.progress(facts).answer !== 'yes')
    }),
  )
})

it('an agent that neither asks nor was denied a tool is not counted', () => {
  fc.assert(
    fc.property(any.before, any.observation, (before, seen) => {
      const signals = { ...seen.signals, phrases: ['ralph-question:should-i'], denials: [] }
      expect(decideIteration(before, { ...seen, signals }, policy, 0).facts.streaks.asking?.n).toBe(0)
    }),
  )
})

it('earlier trees say nothing about an iteration without one', () => {
  fc.assert(
    fc.property(any.before, any.observation, (before, { signals }) => {
      const seen = { signals, evidence: {}, spent: { ms: 0, tokens: 0, usd: 0 }, interrupted: false }
      expect(policy.progress(decideIteration(before, seen, policy, 0).facts).answer).toBe('unknown')
    }),
  )
})
