import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PresetName } from '../../src/core/config.ts'
import { beforeOf } from '../../src/core/journal/before.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import type { Before } from '../../src/core/policy/look.ts'
import { PRESETS, policyFor } from '../../src/core/presets/index.ts'
import type { Calibration, Observation } from '../../src/core/types.ts'
import * as any from '../policy/arbitrary.ts'
import { lively, winning } from '../policy/lively.ts'
import { configFor } from '../scenarios/play.ts'
import { seen } from './made-runs.ts'

const AT = Date.UTC(2026, 0, 5)
const NAMES = Object.keys(PRESETS) as PresetName[]
const trait = fc.oneof(fc.constantFrom('score', 'proven', 'hedges', 'iterations', 'gate.blocked'), fc.string())

/** Any calibration: of another release, damaged, or forged. */
const calibration: fc.Arbitrary<Calibration> = fc.oneof(
  fc.record({
    kind: fc.constant('logistic' as const),
    labels: fc.nat(),
    bias: fc.double(),
    weights: fc.dictionary(trait, fc.double()),
  }),
  fc.record({
    kind: fc.constant('isotonic' as const),
    labels: fc.nat(),
    scores: fc.array(fc.double()),
    shares: fc.array(fc.double()),
  }),
)

function both(name: PresetName, taught: Calibration, before: Before, seen: Observation) {
  const config = configFor(name, name === 'prp' ? { prp: { qa: true } } : {})
  const plain = decideIteration(before, seen, policyFor(config), AT)
  const calibrated = decideIteration(before, seen, policyFor({ ...config, calibration: taught }), AT)
  return { plain, calibrated }
}

describe('no calibration', () => {
  it.each(NAMES)('changes a completion of %s, or any of its rules', (name) => {
    fc.assert(
      fc.property(
        calibration,
        any.before,
        fc.oneof(lively(name), winning(name), any.observation),
        (taught, before, observed) => {
          const { plain, calibrated } = both(name, taught, before, observed)
          const { measures: _plain, ...decided } = plain.verdict
          const { measures: _calibrated, ...again } = calibrated.verdict
          expect(again).toEqual(decided)
          expect(calibrated.after).toEqual(plain.after)
          expect(calibrated.transitions).toEqual(plain.transitions)
        },
      ),
    )
  })

  it.each(NAMES.filter((name) => name !== 'default'))('affects %s, whose weights are fixed', (name) => {
    fc.assert(
      fc.property(calibration, any.before, fc.oneof(lively(name), winning(name)), (taught, before, observed) => {
        const { plain, calibrated } = both(name, taught, before, observed)
        expect(calibrated.verdict).toEqual(plain.verdict)
      }),
    )
  })

  it('makes the confidence of default anything but a whole number from 0 to 100, next to the fixed one', () => {
    fc.assert(
      fc.property(calibration, any.before, lively('default'), (taught, before, observed) => {
        const { plain, calibrated } = both('default', taught, before, observed)
        const { confidence = -1, 'confidence.fixed': fixed, ...others } = calibrated.verdict.measures
        expect(Number.isInteger(confidence) && confidence >= 0 && confidence <= 100).toBe(true)
        expect({ ...others, confidence: fixed }).toEqual(plain.verdict.measures)
      }),
    )
  })
})

describe('a calibration', () => {
  const steps: Calibration = { kind: 'isotonic', labels: 300, scores: [0.3, 0.6, 1], shares: [0.1, 0.5, 0.9] }
  const curve: Calibration = { kind: 'logistic', labels: 40, bias: -1, weights: { score: 2 } }
  it.each<[string, Calibration, number]>([
    ['steps say what stands at a full score', steps, 90],
    ['a curve says what it is worth', curve, 73],
    ['a trait of another release is left aside', { ...curve, weights: { moon: 1 } }, 100],
    ['what every object has is no trait', { ...curve, weights: { constructor: 1 } }, 100],
    ['steps of two lengths are left aside', { ...steps, shares: [0.5] }, 100],
    ['a share above one is left aside', { ...steps, shares: [0.1, 0.5, 7] }, 100],
  ])('%s', (_name, taught, confidence) => {
    const claimed = seen({ claim: true, tests: 'yes' })
    const before = beforeOf(emptyState())
    expect(both('default', taught, before, claimed).calibrated.verdict.measures.confidence).toBe(confidence)
  })
})
