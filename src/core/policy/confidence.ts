import type { Answer, Calibration, Condition, Facts, Measure } from '../types.ts'
import { notVetoed } from './conditions.ts'
import { clamp, countIn, phraseGroup } from './measures.ts'

/**
 * The completion confidence, from fixed weights or learned from labelled runs. It is shown and journaled; no rule uses it. A calibration
 * from another release, or a damaged one, is ignored.
 */
export const completionConfidence =
  (fixed: Measure, calibration: Calibration | undefined): Measure =>
  (facts) => {
    const score = fixed(facts)
    if (calibration === undefined || score === undefined) return score
    const p = probability(calibration, traitsOf(facts, score))
    return p === undefined ? score : clamp(100 * p)
  }

/** 30 for the claim, 70 for the share of checks that pass. */
export const fixedConfidence =
  (claim: Condition, proof: Condition): Measure =>
  (facts) => {
    const parts = proof(facts).parts ?? []
    const share = parts.length === 0 ? 0 : parts.filter((part) => part.answer === 'yes').length / parts.length
    const spoken = claim(facts).answer === 'yes' && notVetoed(facts).answer === 'yes' ? 30 : 0
    return clamp(spoken + 70 * share)
  }

/** What a calibration may use in addition to the score, each between -1 and 1. */
export function traitsOf(facts: Facts, score: number): Readonly<Record<string, number>> {
  const { evidence, baseline, signals, iteration, breaker } = facts
  const has = (yes: boolean): number => (yes ? 1 : 0)
  const total = countIn(facts, 'tests', 'total')
  const before = baseline === undefined ? undefined : countIn({ evidence: baseline }, 'tests', 'total')
  const phrases = (group: string) => Math.min(1, signals.phrases.filter(phraseGroup(group)).length / 5)
  return {
    score: score / 100,
    proven: sign(evidence.proven?.answer),
    review: sign(evidence.review?.answer),
    flakes: has(evidence.flakes !== undefined),
    'tests.excused': has((countIn(facts, 'tests', 'excused') ?? 0) > 0),
    'tests.fixed': has((countIn(facts, 'tests', 'fixed') ?? 0) > 0),
    'tests.added': has(total !== undefined && before !== undefined && total > before),
    files: grown(countIn(facts, 'changed', 'files') ?? 0, 100),
    iterations: grown(iteration, 50),
    'gate.blocked': Math.min(1, breaker.gateBlocked / 10),
    hedges: phrases('hedge'),
    certain: phrases('certain'),
  }
}

const sign = (answer: Answer | undefined): number => (answer === 'yes' ? 1 : answer === 'no' ? -1 : 0)

/** Grows fast at first, and stays at 1 from `most` on. */
const grown = (n: number, most: number): number => Math.min(1, Math.log1p(Math.max(0, n)) / Math.log1p(most))

/** The probability between 0 and 1; undefined if the calibration uses an unknown trait. */
export function probability(calibration: Calibration, traits: Readonly<Record<string, number>>): number | undefined {
  const p = calibration.kind === 'isotonic' ? stepAt(calibration, traits.score) : curveAt(calibration, traits)
  return p !== undefined && p >= 0 && p <= 1 ? p : undefined
}

function curveAt(
  { bias, weights }: Extract<Calibration, { kind: 'logistic' }>,
  traits: Readonly<Record<string, number>>,
): number | undefined {
  let z = bias
  for (const [name, weight] of Object.entries(weights)) {
    if (!Object.hasOwn(traits, name)) return undefined
    z += weight * (traits[name] ?? 0)
  }
  return Number.isNaN(z) ? undefined : 1 / (1 + Math.exp(-z))
}

/** Linear between the steps, flat outside. */
function stepAt(
  { scores, shares }: Extract<Calibration, { kind: 'isotonic' }>,
  score: number | undefined,
): number | undefined {
  if (score === undefined || scores.length === 0 || scores.length !== shares.length) return undefined
  const above = scores.findIndex((each) => each >= score)
  if (above <= 0) return shares[above === 0 ? 0 : shares.length - 1]
  const [x0 = 0, x1 = 0] = [scores[above - 1], scores[above]]
  const [y0 = 0, y1 = 0] = [shares[above - 1], shares[above]]
  return x1 === x0 ? y1 : y0 + ((y1 - y0) * (score - x0)) / (x1 - x0)
}
