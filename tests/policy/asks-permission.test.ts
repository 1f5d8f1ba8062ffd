import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { configFor } from '../scenarios/play.ts'
import * as any from './arbitrary.ts'

const policy = policyFor(configFor('default'))

/** The words and refusals of whoever asks for leave, on top of anything else an iteration may bring. */
const pleading = any.observation.map((seen) => ({
  ...seen,
  signals: { ...seen.signals, phrases: ['asks:leave', 'asks:permission'], denials: ['Bash(npm install)'] },
}))

it('an iteration that moved on ends the count, however much the agent asks', () => {
  fc.assert(
    fc.property(any.before, pleading, (before, seen) => {
      const { facts } = decideIteration(before, seen, policy, 0)
      const counted = (facts.streaks.asking?.n ?? 0) > 0
      expect(counted).toBe(policy.progress(facts).answer !== 'yes')
    }),
  )
})

it('who neither asks nor was refused anything is not counted', () => {
  fc.assert(
    fc.property(any.before, any.observation, (before, seen) => {
      const signals = { ...seen.signals, phrases: ['ralph-question:should-i'], denials: [] }
      expect(decideIteration(before, { ...seen, signals }, policy, 0).facts.streaks.asking?.n).toBe(0)
    }),
  )
})

it('trees of earlier iterations tell nothing about one of which none was seen', () => {
  fc.assert(
    fc.property(any.before, any.observation, (before, { signals }) => {
      const seen = { signals, evidence: {}, spent: { ms: 0, tokens: 0, usd: 0 }, interrupted: false }
      expect(policy.progress(decideIteration(before, seen, policy, 0).facts).answer).toBe('unknown')
    }),
  )
})
