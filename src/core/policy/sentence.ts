import { listOf } from '../../../packages/core/src/count.ts'
import type { Facts, Finding, Signals } from '../types.ts'
import { checkTitle, failPhrase, failureTitle, passPhrase } from './check-text.ts'
import { openLeaves } from './finding.ts'

/** "Verified: the agent reported COMPLETE, 4 of 4 tests pass (run twice), no test was weakened, 1 file changed." */
export function verifiedSentence(facts: Facts, parts: readonly Finding[], start = 'Verified'): string {
  const passed = passedLeaves(parts).flatMap((leaf) => passedPart(facts, leaf))
  return `${start}: ${[...new Set(passed)].join(', ')}.`
}

function passedPart(facts: Facts, { name, detail }: Finding): readonly string[] {
  if (name === 'claim') return [facts.signals.claim === true ? claimPhrase(facts.signals) : detail]
  if (['no veto', 'list', 'iterations'].includes(name) || name.startsWith('phase ')) return []
  const evidence = facts.evidence[name]
  if (evidence === undefined) return [detail]
  // A check that only counts against the run when it fails has nothing to add.
  // A test that is gone with the user's consent is in the results of the tests, not among the changes.
  const gone = name === 'tampering' && facts.evidence.tests?.counts?.gone
  return evidence.answer !== 'yes' || (gone && !evidence.accepted?.length && !evidence.counts?.warnings)
    ? []
    : [passPhrase(evidence)]
}

/** "Claim rejected: 2 of 4 tests fail: ..." The first problem in full, the others by name. */
function rejectedSentence(facts: Facts, proof: Finding): string {
  return `Claim ${proof.answer === 'no' ? 'rejected' : 'not verified'}: ${problems(facts, proof)}.`
}

/** What the agent reported, then the first problem the checks found, then what it asks. */
export function notDoneSentence(facts: Facts, claim: Finding, veto: Finding, proof: Finding): string {
  const { failed, signals } = facts
  if (failed !== undefined) return `Not done: ${failed.reason.replace(/\.$/, '')}.`
  if (claim.answer === 'yes' && veto.answer === 'yes')
    return signals.claim === true ? rejectedSentence(facts, proof) : `Not done: ${problems(facts, proof)}.`
  const said = claim.answer === 'yes' ? veto.detail : claim.detail
  const found = proof.answer === 'yes' ? 'All checks pass' : upper(problems(facts, proof))
  const denied = signals.denials.length > 0 ? ` Its CLI denied ${signals.denials.at(-1)}.` : ''
  return `Not done: ${said}. ${found}.${denied}${signals.question === undefined ? '' : ` ${upper(asksText(signals.question))}`}`
}

export const asksText = (question: string): string => `the agent asks: ${question}`

function problems(facts: Facts, proof: Finding): string {
  const [first, ...others] = [...openLeaves(proof)].sort((a, b) => rank(facts, a) - rank(facts, b))
  if (first === undefined) return 'a required check is missing'
  const rest = others.filter(({ name }) => !(first.name === 'flakes' && name === 'tests'))
  const also = [...new Set(rest.map((each) => shortProblem(facts, each)))]
  return `${problem(facts, first)}${also.length === 0 ? '' : `. Also: ${listOf(also)}`}`
}

/** The worst problem is the headline. `other` is any other check that fails. */
const WORST_FIRST: readonly string[] =
  'special-cased, tampering, failing tests, other, tests, changed, criteria, task-done, checklist, flakes, unknown'.split(
    ', ',
  )

function rank({ evidence }: Facts, { name, answer }: Finding): number {
  const { failed = 0, excused = 0 } = evidence[name]?.counts ?? {}
  // Flaky tests explain why the tests gave no answer.
  if (answer !== 'no') return WORST_FIRST.indexOf(name === 'flakes' ? name : 'unknown')
  const kind = name === 'tests' && failed > excused ? 'failing tests' : name
  return WORST_FIRST.indexOf(WORST_FIRST.includes(kind) ? kind : 'other')
}

function shortProblem({ evidence }: Facts, { name, detail, answer }: Finding): string {
  const found = evidence[name]
  if (found === undefined) return detail
  if (name === 'tests' && found.counts?.missing) return failPhrase(found)
  return answer === 'no' || name === 'flakes' ? failureTitle(name) : `${checkTitle(name)} unknown`
}

function problem(facts: Facts, { name, detail }: Finding): string {
  const evidence = facts.evidence[name]
  return evidence === undefined ? detail.replace(/\.$/, '') : failPhrase(evidence)
}

function claimPhrase({ source }: Pick<Signals, 'source'>): string {
  if (source === 'exit-status') return 'the agent reported COMPLETE'
  if (source === 'caller') return 'you claim it is done'
  if (source === 'ci') return 'the pull request claims it is done'
  return 'the agent says it is done'
}

const passedLeaves = (findings: readonly Finding[]): readonly Finding[] =>
  findings
    .filter(({ answer }) => answer === 'yes')
    .flatMap((found) => (found.parts && found.parts.length > 0 ? passedLeaves(found.parts) : [found]))

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
