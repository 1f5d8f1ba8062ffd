import { listOf } from '../count.ts'
import type { Facts, Finding, Signals } from '../types.ts'
import { failPhrase, failureTitle, passPhrase } from './check-text.ts'
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
  return evidence.answer === 'yes' ? [passPhrase(evidence)] : []
}

/** "Claim rejected: 2 of 4 tests fail: ..." The first problem is told in full, the others by name. */
function rejectedSentence(facts: Facts, proof: Finding): string {
  return `Claim ${proof.answer === 'no' ? 'rejected' : 'not verified'}: ${problems(facts, proof)}.`
}

/** What the agent reported, then the first problem the checks found. */
export function notDoneSentence(facts: Facts, claim: Finding, veto: Finding, proof: Finding): string {
  if (facts.failed !== undefined) return `Not done: ${facts.failed.reason}.`
  if (claim.answer === 'yes' && veto.answer === 'yes')
    return facts.signals.claim === true ? rejectedSentence(facts, proof) : `Not done: ${problems(facts, proof)}.`
  const said = claim.answer === 'yes' ? veto.detail : claim.detail
  const found = proof.answer === 'yes' ? 'All checks pass' : upper(problems(facts, proof))
  return `Not done: ${said}. ${found}.`
}

function problems(facts: Facts, proof: Finding): string {
  // Flaky tests explain why the tests gave no answer.
  const rank = ({ name, answer }: Finding) => (answer === 'no' ? 0 : name === 'flakes' ? 1 : 2)
  const [first, ...others] = [...openLeaves(proof)].sort((a, b) => rank(a) - rank(b))
  if (first === undefined) return 'a required check is missing'
  const more = [...new Set(others.map(({ name, detail }) => (facts.evidence[name] ? failureTitle(name) : detail)))]
  const rest = more.filter((each) => !(first.name === 'flakes' && each === failureTitle('tests')))
  return `${problem(facts, first)}${rest.length === 0 ? '' : `. Also: ${listOf(rest)}`}`
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
