import type { Facts, Measure, Observation } from '../types.ts'

/** One count of one check, or undefined without it. */
export const countOf =
  (check: string, name: string): Measure =>
  (facts) =>
    countIn(facts, check, name)

/** Counts by their names: `tests.total` is the total of the check `tests`. */
export const countsOf = (...names: readonly (readonly [check: string, ...counts: string[]])[]) =>
  Object.fromEntries(
    names.flatMap(([check, ...counts]) => counts.map((name) => [`${check}.${name}`, countOf(check, name)])),
  )

export function countIn(observation: Pick<Observation, 'evidence'>, check: string, name: string): number | undefined {
  const found = observation.evidence[check]
  return found?.quick ? undefined : found?.counts?.[name]
}

/** The previous iteration, or the baseline. Only to measure progress. */
export function seenBefore(facts: Facts): Pick<Observation, 'evidence'> | undefined {
  return facts.previous ?? (facts.baseline && { evidence: facts.baseline })
}

/** How much a count changed since then, or undefined if one of the two is unknown. */
export function change(facts: Facts, check: string, name: string): number | undefined {
  const now = countIn(facts, check, name)
  const last = seenBefore(facts)
  const before = last && countIn(last, check, name)
  return now === undefined || before === undefined ? undefined : now - before
}

/** How many of these phrases the agent's text contains, each counted once. */
export const phraseCount =
  (matches: (phrase: string) => boolean): Measure =>
  (facts) =>
    facts.signals.phrases.filter(matches).length

export const phraseGroup = (group: string) => (phrase: string) => phrase.startsWith(`${group}:`)

/** Share of the plan that is ticked, in whole percent; undefined without a readable plan. */
export const completion: Measure = (facts) => {
  if (facts.evidence.checklist?.answer === 'unknown') return undefined
  const total = countIn(facts, 'checklist', 'total')
  const done = countIn(facts, 'checklist', 'done')
  if (!total || done === undefined) return undefined
  return Math.floor((done * 100) / total)
}

/** Runs in a row in which every test passed: counted by the check, or else by iterations. */
export const greenRuns: Measure = (facts) =>
  countIn(facts, 'tests', 'greenRuns') ?? (facts.evidence.tests && facts.streaks.green?.n)

export const streak =
  (name: string): Measure =>
  (facts) =>
    facts.streaks[name]?.n ?? 0

/**
 * How sure the agent's language sounds, 0 to 100, as in Blackbox: 50 at first, 10 less for each hedge, 10 more for each word of
 * certainty. An explicit "I'm sure" adds 90. "Probably" never gives more than the documented 60. "Not sure" cancels an explicit "sure".
 */
export const languageConfidence: Measure = (facts) => {
  if (facts.signals.length === 0) return undefined
  const has = (group: string) => facts.signals.phrases.some(phraseGroup(group))
  const number = (group: string) => facts.signals.phrases.filter(phraseGroup(group)).length
  const implicit = clamp(50 - 10 * number('hedge') + 10 * number('certain'))
  if (has('unsure')) return implicit
  if (has('sure')) return clamp(implicit + 90)
  if (has('likely')) return Math.min(60, implicit + 60)
  return implicit
}

/** Different error words in the text: `error`, `failed`, `exception` ..., each counted once. */
export const errorWords = phraseCount(phraseGroup('error'))

export const outputLength: Measure = (facts) => facts.signals.length

export const clamp = (value: number): number => Math.max(0, Math.min(100, Math.round(value)))

/** Evaluates a table of measures and leaves out those without a value. */
export function measureAll(measures: Readonly<Record<string, Measure>>, facts: Facts): Record<string, number> {
  const values: Record<string, number> = {}
  for (const [name, measure] of Object.entries(measures)) {
    const value = measure(facts)
    if (value !== undefined && Number.isFinite(value)) values[name] = value
  }
  return values
}
