import type { Condition, Evidence, Facts, Measure } from '../types.ts'
import { always, finding, yesNo } from './finding.ts'
import { change } from './measures.ts'

/** The agent says that it is done, in one of these dialects (any, when none is named). Absent is neither yes nor no. */
export const claimed =
  (...dialects: readonly string[]): Condition =>
  ({ signals }) => {
    const claim =
      dialects.length === 0 || dialects.includes(signals.source) ? signals.claim : claimIn(signals.claims, dialects)
    if (claim === undefined) return finding('claim', 'unknown', 'the agent has not said that it is done')
    return claim
      ? finding('claim', 'yes', `the agent says that it is done (${signals.source})`)
      : finding('claim', 'no', 'the agent says that it is not done')
  }

function claimIn(claims: Readonly<Record<string, boolean>>, dialects: readonly string[]): boolean | undefined {
  const heard = dialects.filter((dialect) => claims[dialect] !== undefined)
  return heard.length === 0 ? undefined : heard.some((dialect) => claims[dialect])
}

/** A field of the agent's block, where it was written at all, holds this value to the letter. */
export const toTheLetter =
  (field: string, value: string): Condition =>
  ({ signals }) => {
    const written = signals.said[field]
    return written === undefined || written === value
      ? finding('claim', 'yes', `the agent says that it is done (${signals.source})`)
      : finding('claim', 'no', `the agent wrote ${field} as ${JSON.stringify(written)}`)
  }

/** No explicit "not done" stands. */
export const notVetoed: Condition = ({ signals }) =>
  signals.vetoes.length === 0
    ? finding('no veto', 'yes', 'nothing the agent wrote says that work is left')
    : finding('no veto', 'no', signals.vetoes.join('; '))

/** A check answered yes. */
export const check =
  (name: string): Condition =>
  (facts) => {
    const evidence = facts.evidence[name]
    if (!evidence) return finding(name, 'unknown', `${name}: nothing was gathered`)
    return finding(name, cautious(evidence), `${name}: ${evidence.detail || evidence.answer}`)
  }

/** A `yes` about nothing is no `yes`, and one that its own counts refute is a `no`, whoever said so. */
function cautious({ answer, counts }: Evidence): Evidence['answer'] {
  if (answer !== 'yes' || !counts) return answer
  const { total, passed, failed = 0, excused = 0, skipped = 0, open = 0, done, met } = counts
  const short = (part: number | undefined) => part !== undefined && total !== undefined && part < total
  if (failed > excused || open > 0 || short(done) || short(met)) return 'no'
  // Zero tests, items or documents prove nothing, and tests that were all skipped neither.
  return [total, passed, counts.docs].includes(0) || (total !== undefined && skipped >= total) ? 'unknown' : 'yes'
}

/** A check did not answer no; that it could not answer is let pass. */
export const notRefuted =
  (name: string): Condition =>
  (facts) => {
    const asked = check(name)(facts)
    return finding(
      name,
      asked.answer === 'no' ? 'no' : 'yes',
      asked.answer === 'unknown' ? `${name}: nothing speaks against it` : asked.detail,
    )
  }

export const atLeast =
  (name: string, measure: Measure, least: number, words: (value: number) => string): Condition =>
  (facts) => {
    const value = measure(facts)
    if (value === undefined) return finding(name, 'unknown', `${name}: not known`)
    return finding(name, yesNo(value >= least), words(value))
  }

/** The agent's text holds one of these phrases. */
export const phrase =
  (name: string, matches: (phrase: string) => boolean): Condition =>
  ({ signals }) => {
    const found = signals.phrases.filter(matches)
    return finding(name, yesNo(found.length > 0), found.length > 0 ? `${name}: ${found.join(', ')}` : `${name}: none`)
  }

export const said =
  (field: string, value: string | boolean, words: string): Condition =>
  ({ signals }) =>
    finding(field, yesNo(String(signals.said[field] ?? '').toLowerCase() === String(value).toLowerCase()), words)

/** The iteration itself failed. */
export const failedIteration: Condition = ({ failed }) =>
  finding('failed', yesNo(failed !== undefined), failed ? failed.reason : 'the iteration ran to its end')

/** The iteration left another tree than the one before, or more of the plan or of the tests is done. */
export const movedOn: Condition = (facts) => {
  const before = facts.trees.at(-2)
  const now = facts.trees.at(-1)
  // Only the tree of this iteration tells about it: where none was seen, those remembered are about earlier ones.
  const seen = Object.values(facts.evidence).some(({ tree }) => tree !== '')
  if (seen && before && now)
    return finding(
      'progress',
      yesNo(before !== now),
      before === now ? 'no file changed in this iteration' : 'files changed',
    )
  const changed = facts.evidence.changed?.answer
  if (changed === 'yes') return finding('progress', 'yes', 'files changed')
  if (improved(facts)) return finding('progress', 'yes', 'more of the work is done than before')
  if (changed === 'no') return finding('progress', 'no', 'no file changed')
  return finding('progress', 'unknown', 'nothing tells whether anything moved')
}

/** Fewer failing tests, more passing ones or more ticks than before. */
export function improved(facts: Facts): boolean {
  const by = (check: string, name: string) => change(facts, check, name) ?? 0
  return by('tests', 'failed') < 0 || by('tests', 'passed') > 0 || by('checklist', 'done') > 0
}

/** With a list of work, one task that is done does not end the run: the next one is at hand. */
export const listDone = (plan: string | undefined): Condition =>
  plan === undefined ? always('list', () => 'there is no list of work') : check('checklist')
