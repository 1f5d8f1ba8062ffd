import type { Facts, Measure, Observation } from '../types.ts'

/** One count of one check, or nothing when it was not gathered. */
export const countOf =
  (check: string, name: string): Measure =>
  (facts) =>
    countIn(facts, check, name)

export function countIn(observation: Pick<Observation, 'evidence'>, check: string, name: string): number | undefined {
  return observation.evidence[check]?.counts?.[name]
}

/** What was seen last before this iteration: the iteration before, else the baseline. Only to measure progress. */
export function seenBefore(facts: Facts): Pick<Observation, 'evidence'> | undefined {
  return facts.previous ?? (facts.baseline && { evidence: facts.baseline })
}

/** How much a count rose or fell since then, or nothing when one of the two is not known. */
export function change(facts: Facts, check: string, name: string): number | undefined {
  const now = countIn(facts, check, name)
  const last = seenBefore(facts)
  const before = last && countIn(last, check, name)
  return now === undefined || before === undefined ? undefined : now - before
}

/** How many of the named phrases stand in the agent's text, each once however often it is repeated. */
export const phraseCount =
  (matches: (phrase: string) => boolean): Measure =>
  (facts) =>
    facts.signals.phrases.filter(matches).length

export const phraseGroup = (group: string) => (phrase: string) => phrase.startsWith(`${group}:`)

/** Share of the plan that is ticked, in whole percent; nothing when there is no plan, it is empty or it is not known. */
export const completion: Measure = (facts) => {
  if (facts.evidence.checklist?.answer === 'unknown') return undefined
  const total = countIn(facts, 'checklist', 'total')
  const done = countIn(facts, 'checklist', 'done')
  if (!total || done === undefined) return undefined
  return Math.floor((done * 100) / total)
}

/** Runs in a row with every test green: those counted by the check itself, else the iterations of this run. */
export const greenRuns: Measure = (facts) =>
  countIn(facts, 'tests', 'greenRuns') ?? (facts.evidence.tests && facts.streaks.green?.n)

export const streak =
  (name: string): Measure =>
  (facts) =>
    facts.streaks[name]?.n ?? 0

/**
 * How sure the agent's language sounds, 0 to 100, as Blackbox reads it: 50 to begin with, 10 less for each hedge, 10 more for each
 * word of certainty. Saying outright that one is sure adds 90; saying "probably" can never be more than the documented 60;
 * "not sure" takes the outright statement back.
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

/** Different words of trouble in the text: `error`, `failed`, `exception` ..., each once. */
export const errorWords = phraseCount(phraseGroup('error'))

export const outputLength: Measure = (facts) => facts.signals.length

export const clamp = (value: number): number => Math.max(0, Math.min(100, Math.round(value)))

/** Evaluate a table of measures; one that has nothing to say is left out. */
export function measureAll(measures: Readonly<Record<string, Measure>>, facts: Facts): Record<string, number> {
  const values: Record<string, number> = {}
  for (const [name, measure] of Object.entries(measures)) {
    const value = measure(facts)
    if (value !== undefined && Number.isFinite(value)) values[name] = value
  }
  return values
}
