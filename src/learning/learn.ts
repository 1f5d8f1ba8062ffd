import type { Calibration } from '../core/types.ts'
import { type Bin, brierScore, calibrationError, type Forecast, reliability } from './brier.ts'
import type { Example } from './examples.ts'
import { FITS, type Fit, predictedProbability } from './fits.ts'

/** How well predictions separated good work from bad. */
export interface Quality {
  readonly brier: number
  readonly error: number
  readonly bins: readonly Bin[]
}

/** What the labelled runs teach about the completion confidence. */
export interface Lesson {
  readonly labels: { readonly good: number; readonly bad: number }
  /** How many more labels are needed before anything is learned; zero if there are enough. */
  readonly missing: { readonly labels: number; readonly good: number; readonly bad: number }
  readonly fixed?: Quality
  /** Each fit that was tried, scored on examples it had not seen. */
  readonly tried: readonly (Quality & { readonly name: Fit['name']; readonly about: string })[]
  /** The best of them, fitted to all examples; absent if none beats the fixed weights. */
  readonly calibration?: Calibration
  readonly chosen?: Fit['name']
}

const MIN_PER_LABEL = 5
const FOLDS = 5

export function learn(examples: readonly Example[], minimum: number): Lesson {
  const good = examples.filter(({ label }) => label === 'good').length
  const bad = examples.length - good
  const missing = {
    labels: Math.max(0, minimum - examples.length),
    good: Math.max(0, MIN_PER_LABEL - good),
    bad: Math.max(0, MIN_PER_LABEL - bad),
  }
  const fixed = qualityOf(examples.map((example) => forecast(example, example.fixed / 100)))
  const first = { labels: { good, bad }, missing, ...(fixed === undefined ? {} : { fixed }) }
  if (fixed === undefined || missing.labels + missing.good + missing.bad > 0) return { ...first, tried: [] }
  const folds = foldsOf(examples, FOLDS)
  const tried = FITS.filter(({ minimum }) => examples.length >= minimum).flatMap((each) => {
    const crossValidatedScores = qualityOf(crossValidated(examples, folds, each))
    return crossValidatedScores === undefined ? [] : [{ name: each.name, about: each.about, ...crossValidatedScores }]
  })
  const best = [...tried].sort((a, b) => a.brier - b.brier)[0]
  const fit = FITS.find(({ name }) => name === best?.name)
  if (best === undefined || fit === undefined || best.brier >= fixed.brier) return { ...first, tried }
  return { ...first, tried, calibration: fit.learn(examples), chosen: fit.name }
}

/** The predictions of a fit for each example, trained only on the other folds. */
function crossValidated(examples: readonly Example[], folds: readonly number[], each: Fit): readonly Forecast[] {
  return [...new Set(folds)].flatMap((fold) => {
    const calibration = each.learn(examples.filter((_, at) => folds[at] !== fold))
    return examples
      .filter((_, at) => folds[at] === fold)
      .map((example) => forecast(example, predictedProbability(calibration, example)))
  })
}

/** How well the confidence shown at the time separated good from bad. */
export function qualityOfShown(examples: readonly Example[]): Quality | undefined {
  return qualityOf(examples.flatMap((each) => (each.shown === undefined ? [] : [forecast(each, each.shown / 100)])))
}

function qualityOf(forecasts: readonly Forecast[]): Quality | undefined {
  const brier = brierScore(forecasts)
  const error = calibrationError(forecasts)
  return brier === undefined || error === undefined ? undefined : { brier, error, bins: reliability(forecasts) }
}

const forecast = ({ label }: Example, p: number): Forecast => ({ p, y: label === 'good' ? 1 : 0 })

/** An example with a group and one of two labels. */
interface Grouped {
  readonly group: string
  readonly label: 'good' | 'bad'
}

/**
 * Assigns groups to folds without randomness. Groups with the most examples of the rarer label go first, each to the fold that has
 * least of it. So every fold has some, if there are enough.
 */
export function foldsOf(all: readonly Grouped[], folds: number): readonly number[] {
  const rarer = all.filter(({ label }) => label === 'bad').length * 2 <= all.length ? 'bad' : 'good'
  const groups = new Map<string, { size: number; rare: number }>()
  for (const { group, label } of all) {
    const counted = groups.get(group) ?? { size: 0, rare: 0 }
    groups.set(group, { size: counted.size + 1, rare: counted.rare + (label === rarer ? 1 : 0) })
  }
  const filled = Array.from({ length: folds }, () => ({ size: 0, rare: 0 }))
  const foldOf = new Map<string, number>()
  const order = [...groups].sort(([a, m], [b, n]) => n.rare - m.rare || n.size - m.size || (a < b ? -1 : 1))
  for (const [group, { size, rare }] of order) {
    const least = filled.reduce((best, fold, at) => (firstFold(fold, filled[best] ?? fold, rare) ? at : best), 0)
    const fold = filled[least]
    if (fold === undefined) continue
    fold.size += size
    fold.rare += rare
    foldOf.set(group, least)
  }
  return all.map(({ group }) => foldOf.get(group) ?? 0)
}

type Filled = { readonly size: number; readonly rare: number }

const firstFold = (one: Filled, other: Filled, rare: number): boolean =>
  rare > 0 && one.rare !== other.rare ? one.rare < other.rare : one.size < other.size
