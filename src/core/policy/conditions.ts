import type { Answer, Condition, Evidence, Facts, Measure } from '../types.ts'
import { ANSWER_TEXT, checkTitle, failureTitle, notGathered } from './check-text.ts'
import { always, either, finding, yesNo } from './finding.ts'
import { change } from './measures.ts'

/** The agent claims to be done, in one of these dialects (default: any). Silence is neither yes nor no. */
export const claimed =
  (...dialects: readonly string[]): Condition =>
  ({ signals }) => {
    const claim =
      dialects.length === 0 || dialects.includes(signals.source) ? signals.claim : claimIn(signals.claims, dialects)
    if (claim === undefined) return finding('claim', 'unknown', 'the agent has not reported that it is done')
    return claim
      ? finding('claim', 'yes', `the agent says it is done (${signals.source})`)
      : finding('claim', 'no', 'the agent says it is not done')
  }

function claimIn(claims: Readonly<Record<string, boolean>>, dialects: readonly string[]): boolean | undefined {
  const heard = dialects.filter((dialect) => claims[dialect] !== undefined)
  return heard.length === 0 ? undefined : heard.some((dialect) => claims[dialect])
}

/** If the agent's block has this field, its value must match exactly, also in case. */
export const toTheLetter =
  (field: string, value: string): Condition =>
  ({ signals }) => {
    const written = signals.said[field]
    return written === undefined || written === value
      ? finding('claim', 'yes', `the agent says it is done (${signals.source})`)
      : finding('claim', 'no', `the agent wrote ${field} as ${JSON.stringify(written)}, not as ${value}`)
  }

/** The agent gave no explicit "not done". */
export const notVetoed: Condition = ({ signals }) =>
  signals.vetoes.length === 0
    ? finding('no veto', 'yes', 'the agent reports no remaining work')
    : finding('no veto', 'no', signals.vetoes.join('; '))

/** A check passed. */
export const check =
  (name: string): Condition =>
  (facts) => {
    const evidence = facts.evidence[name]
    if (!evidence) return finding(name, 'unknown', notGathered(name, facts.evidence))
    const answer = cautious(evidence)
    return finding(name, answer, `${labelOf(name, answer)}: ${evidence.detail || ANSWER_TEXT[answer]}`)
  }

/** Checks whose title would sound like a pass. */
const TITLE_OF_PASS: readonly string[] = ['tampering', 'proven', 'special-cased', 'mutation', 'clean']
const labelOf = (name: string, answer: Answer): string =>
  name === 'flakes' || (answer === 'no' && TITLE_OF_PASS.includes(name)) ? failureTitle(name) : checkTitle(name)

/** A pass with nothing counted is unknown, and a pass that contradicts its own counts is a fail. */
function cautious({ answer, counts }: Evidence): Evidence['answer'] {
  if (answer !== 'yes' || !counts) return answer
  const { total, passed, failed = 0, excused = 0, skipped = 0, open = 0, done, met } = counts
  const short = (part: number | undefined) => part !== undefined && total !== undefined && part < total
  if (failed > excused || open > 0 || short(done) || short(met)) return 'no'
  // Zero tests, items or documents prove nothing. Neither do tests that were all skipped.
  return [total, passed, counts.docs].includes(0) || (total !== undefined && skipped >= total) ? 'unknown' : 'yes'
}

/** A check did not fail. One that could not answer is fine here. */
export const notRefuted =
  (name: string): Condition =>
  (facts) => {
    const asked = check(name)(facts)
    return finding(
      name,
      asked.answer === 'no' ? 'no' : 'yes',
      asked.answer === 'unknown'
        ? name === 'proven'
          ? 'not proven, and not needed'
          : `${checkTitle(name)}: no problem found`
        : asked.detail,
    )
  }

export const atLeast =
  (name: string, measure: Measure, least: number, words: (value: number) => string): Condition =>
  (facts) => {
    const value = measure(facts)
    if (value === undefined) return finding(name, 'unknown', `${name}: unknown`)
    return finding(name, yesNo(value >= least), words(value))
  }

/** The agent's text contains one of these phrases. */
export const phrase =
  (name: string, matches: (phrase: string) => boolean): Condition =>
  ({ signals }) => {
    const found = signals.phrases.filter(matches)
    return either(name, found.length > 0, `${name}: ${found.join(', ')}`, `${name}: none`)
  }

export const said =
  (field: string, value: string | boolean, words: string): Condition =>
  ({ signals }) =>
    finding(field, yesNo(String(signals.said[field] ?? '').toLowerCase() === String(value).toLowerCase()), words)

/** The iteration itself failed. */
export const failedIteration: Condition = ({ failed }) =>
  finding('failed', yesNo(failed !== undefined), failed ? failed.reason : 'the iteration ended normally')

/** The iteration failed and made no progress. One that was cut off after some work has not failed in vain. */
export const failedInVain: Condition = (facts) =>
  finding(
    'failed',
    yesNo(facts.failed !== undefined && movedOn(facts).answer !== 'yes'),
    facts.failed ? facts.failed.reason : 'the iteration ended normally',
  )

/** Files changed in this iteration, or more of the plan or of the tests is done. */
export const movedOn: Condition = (facts) => {
  const before = facts.trees.at(-2)
  const now = facts.trees.at(-1)
  // Without a tree from this iteration, the remembered ones are from earlier iterations.
  const seen = Object.values(facts.evidence).some(({ tree }) => tree !== '')
  if (seen && before && now)
    return either('progress', before !== now, 'files changed', 'no file changed in this iteration')
  const changed = facts.evidence.changed?.answer
  if (changed === 'yes') return finding('progress', 'yes', 'files changed')
  if (improved(facts)) return finding('progress', 'yes', 'more tests pass, or more of the plan is done')
  if (changed === 'no') return finding('progress', 'no', 'no file changed')
  return finding('progress', 'unknown', 'no check can tell whether anything changed')
}

/** Fewer failing tests, more passing ones or more ticks than before. */
export function improved(facts: Facts): boolean {
  const by = (check: string, name: string) => change(facts, check, name) ?? 0
  return by('tests', 'failed') < 0 || by('tests', 'passed') > 0 || by('checklist', 'done') > 0
}

/** With a plan, a finished task does not end the run: the next item follows. */
export const listDone = (plan: string | undefined): Condition =>
  plan === undefined ? always('list', () => 'there is no plan') : check('checklist')
