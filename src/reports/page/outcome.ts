import { count } from '../../../packages/core/src/count.ts'
import { proofRows } from '../../../packages/exitgate/src/checks/proven.ts'
import type { State } from '../../core/journal/events.ts'
import { checkTitle, failureTitle, passPhrase, titleOf } from '../../core/policy/check-text.ts'
import type { Evidence } from '../../core/types.ts'
import { withoutRemedy } from '../plain-words.ts'
import type { SafeText } from './safe-text.ts'
import type { Accepted, Iteration, Proven, Refusal } from './types.ts'

const MOST_TESTS = 500
const MOST_REFUSALS = 500
const MOST_ACCEPTED = 300
/** Most important first. Any other check comes after them. */
const ORDER = ['tests', 'proven', 'tampering', 'checklist']
/** Their result is part of another row, or says nothing about the work. */
const LEFT_OUT = new Set(['clean', 'flakes', 'quality'])
/** For these, a phrase made from their numbers is shorter than their detail. */
const PHRASED = new Set(['tests', 'checklist', 'tampering', 'changed'])

/** What the checks of the last iteration showed: each that passed, and where they ran. */
export function provenBy({ previous, sandbox }: State, safe: SafeText): readonly Proven[] {
  const evidence = Object.values(previous?.evidence ?? {})
  // A test that is gone with your consent is in the results of the tests, not among the changes.
  const gone = previous?.evidence.tests?.counts?.gone
  const isAboutGone = (each: Evidence): boolean => Boolean(gone) && titleOf(each) === checkTitle('tampering')
  const rank = ({ check }: Evidence): number => (ORDER.indexOf(check) + 1 || ORDER.length + 1) - 1
  const passed = evidence
    .filter(
      (each) =>
        (each.answer === 'yes' || each.proof !== undefined) &&
        !each.quick &&
        !LEFT_OUT.has(each.check) &&
        !isAboutGone(each),
    )
    .sort((one, other) => rank(one) - rank(other))
  return passed.flatMap((each) => [
    checkRow(each, safe),
    ...(each.check === 'tests' ? rowsAboutTests(each, sandbox, safe) : []),
  ])
}

function checkRow(evidence: Evidence, safe: SafeText): Proven {
  const { check, detail, named, proof } = evidence
  const isOpen = evidence.answer !== 'yes'
  const fixed = check === 'tests' ? (named?.fixed ?? []) : []
  const text = PHRASED.has(check) || detail === '' ? sentence(passPhrase(evidence)) : detail
  return {
    title: safe.line(capital(isOpen ? failureTitle(check) : titleOf(evidence)), 100),
    detail: safe.line(text),
    ...(proof && { table: proofRows(proof).map((row) => row.map((cell) => safe.line(cell, 300))) }),
    ...(isOpen && { caveat: true as const }),
    ...(fixed.length > 0 && { tests: fixed.slice(0, MOST_TESTS).map((name) => safe.line(name, 300)) }),
  }
}

function rowsAboutTests({ counts = {}, ranIn }: Evidence, sandbox: string | undefined, safe: SafeText): Proven[] {
  const { canary = 0 } = counts
  const broken = count(canary, 'test')
  return [
    ...(canary > 0
      ? [{ title: 'Tests can fail', detail: `exitgate broke ${broken} on purpose, and each of them failed.` }]
      : []),
    ...(ranIn === undefined ? [] : [cleanRoomRow(ranIn, safe)]),
    ...(ranIn === undefined && sandbox === undefined ? [] : [sandboxRow(ranIn, sandbox, safe)]),
  ]
}

const cleanRoomRow = ({ cleanRoom, why = 'no reason was given' }: NonNullable<Evidence['ranIn']>, safe: SafeText) =>
  cleanRoom
    ? { title: 'Clean room', detail: 'The tests ran in a private copy of exactly these files.' }
    : {
        title: 'No clean room',
        detail: safe.line(sentence(`the tests ran in the workspace: ${why}`)),
        caveat: true as const,
      }

function sandboxRow(ranIn: Evidence['ranIn'], ofAgent: string | undefined, safe: SafeText): Proven {
  const ofTests = ranIn?.sandbox
  const off = ofAgent === undefined ? 'it is turned off' : /^off \((.+)\)$/.exec(ofAgent)?.[1]
  const who =
    ofTests !== undefined && ofTests === ofAgent ? 'The agent and the tests' : ranIn ? 'The tests' : 'The agent'
  const where = ranIn === undefined && off === undefined ? ofAgent : ofTests
  if (where !== undefined) return { title: 'Sandbox', detail: safe.line(`${who} ran in ${where}.`, 300) }
  const why = off === undefined ? '' : `: ${off}`
  return { title: 'No sandbox', detail: safe.line(sentence(`${who} ran without one${why}`), 500), caveat: true }
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
const sentence = (text: string): string => (/[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`)

/** Why claims were rejected. The same reason in consecutive claims is one entry. */
export function refusalsOf(iterations: readonly Iteration[]): readonly Refusal[] {
  const found: Refusal[] = []
  for (const { n, refused, reason } of iterations) {
    if (!refused) continue
    const last = found.at(-1)
    if (last?.reason === reason) found[found.length - 1] = { ...last, last: n, times: last.times + 1 }
    else found.push({ first: n, last: n, times: 1, reason })
  }
  return found.slice(-MOST_REFUSALS)
}

export function acceptedOf({ accepted = [] }: State, safe: SafeText): readonly Accepted[] {
  return accepted.slice(-MOST_ACCEPTED).map(({ id, kind, file, line, test, detail, by, reason }) => ({
    id: safe.line(id, 40),
    kind: safe.line(kind, 60),
    ...(file !== undefined && { file: safe.line(file, 400) }),
    ...(line !== undefined && { line }),
    ...(test !== undefined && { test: safe.line(test, 300) }),
    detail: safe.line(withoutRemedy(detail)),
    by: safe.line(by, 200),
    reason: safe.line(reason),
  }))
}
