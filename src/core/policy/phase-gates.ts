import { count } from '../../../packages/core/src/count.ts'
import type { PrpConfig } from '../config.ts'
import type { Condition, Facts } from '../types.ts'
import { atLeast, check } from './conditions.ts'
import { all, any, either, finding, yesNo } from './finding.ts'
import { change, countIn, countOf, greenRuns, seenBefore } from './measures.ts'
import { nothingRefuted } from './proof.ts'
import { allPass, everyTestFails, newTests, noneFailing } from './test-counts.ts'

/** The proof of each phase, by exitgate's own counts. Without a count it is `unknown`, never a pass. */
export function phaseGates(prp: PrpConfig): Readonly<Record<string, Condition>> {
  return {
    RED: all('RED', testsCoverCriteria, everyTestFails),
    GREEN: all(
      'GREEN',
      allPass,
      stillCovered,
      untouched,
      atLeast('green runs', greenRuns, prp.greenRuns, (n) => `${n} of ${count(prp.greenRuns, 'passing run')} in a row`),
    ),
    REFACTOR: all(
      'REFACTOR',
      noneFailing,
      stillCovered,
      untouched,
      any('refactored', complete, nothingLeft, enoughIterations(prp.maxRefactorIterations)),
    ),
    DOCUMENT: all(
      'DOCUMENT',
      atLeast(
        'documents',
        countOf('documents', 'docs'),
        prp.requiredDocs,
        (n) => `${n} of ${count(prp.requiredDocs, 'document')}`,
      ),
      ...(prp.requireDiagrams ? [diagramsValid] : []),
      ...(prp.requireAdr ? [flag('adr', 'an ADR')] : []),
      ...(prp.requireC4 ? [flag('c4', 'a C4 diagram')] : []),
    ),
    QA: all('QA', check('review'), noBlockingIssues),
  }
}

const testsCoverCriteria: Condition = (facts) => {
  const total = newTests(facts)
  const criteria = countIn(facts, 'criteria', 'total')
  if (criteria === 0 && facts.evidence.criteria?.detail)
    return finding('criteria', 'unknown', `criteria: ${facts.evidence.criteria.detail}`)
  if (total === undefined || !criteria)
    return finding('criteria', 'unknown', 'the number of tests or criteria is unknown')
  return finding(
    'criteria',
    yesNo(total >= criteria),
    `${count(total, 'test')} for ${count(criteria, 'criterion', 'criteria')}`,
  )
}

/** Tests written in RED are not in the baseline. If one is removed, there are fewer tests than criteria. */
const stillCovered: Condition = (facts) => {
  const covered = testsCoverCriteria(facts)
  return covered.answer === 'no' ? covered : finding('criteria', 'yes', 'no test was removed')
}

/** For the tests that existed before the run. */
const untouched = nothingRefuted('tampering')

/** The agent reports it in its block, or the caller's own evidence shows it. */
const reported =
  (name: string, text: string, field: string, ...checks: readonly string[]): Condition =>
  ({ signals, evidence }) => {
    const so = signals.said[field] === true || checks.some((check) => evidence[check]?.answer === 'yes')
    return finding(name, yesNo(so), so ? text : `not reported: ${text}`)
  }

const complete = reported('refactoring', 'the refactoring is complete', 'REFACTORING_COMPLETE', 'refactoring_complete')
const nothingLeft = reported(
  'improvements',
  'nothing is left to improve',
  'NO_IMPROVEMENTS',
  'no_improvements',
  'no_improvements_found',
  'no_improvements_identified',
  'no_more_improvements_identified',
)

const enoughIterations =
  (most: number): Condition =>
  (facts) =>
    finding('iterations', yesNo(facts.phaseIteration >= most), `iteration ${facts.phaseIteration} of at most ${most}`)

const diagramsValid: Condition = (facts) => {
  const total = countIn(facts, 'documents', 'diagrams')
  const valid = countIn(facts, 'documents', 'diagramsValid')
  if (!total || valid === undefined) return finding('diagrams', 'unknown', 'there are no diagrams to check')
  return finding('diagrams', yesNo(valid === total), `${valid} of ${total} diagrams are valid`)
}

const flag =
  (name: string, text: string): Condition =>
  (facts) => {
    const value = countIn(facts, 'documents', name)
    if (value === undefined) return finding(name, 'unknown', `unknown whether there is ${text}`)
    return either(name, value > 0, `there is ${text}`, `${text} is missing`)
  }

const noBlockingIssues: Condition = (facts) => {
  const blocking = countIn(facts, 'review', 'blocking')
  return finding('blocking issues', yesNo((blocking ?? 0) === 0), count(blocking ?? 0, 'blocking issue'))
}

/** A warning while tests are being written: criteria without a test. */
export const uncovered: Condition = (facts) => {
  const total = countIn(facts, 'criteria', 'total')
  const met = countIn(facts, 'criteria', 'met')
  const some = facts.phase === 'RED' && total !== undefined && met !== undefined && met < total
  return finding('uncovered', yesNo(some), `${met} of ${total} criteria are covered by tests`)
}

/** Progress by the numbers of each phase. A phase with proof but without a claim is waiting, not stuck. */
export function phaseProgress(prp: PrpConfig, proof: Condition): Condition {
  return (facts) => {
    const moved = movement(facts, prp)
    if (moved) return finding('progress', 'yes', 'the numbers of the phase improved')
    if (facts.phase === 'REFACTOR' && facts.phaseIteration > prp.maxRefactorIterations)
      return finding(
        'progress',
        'no',
        'the phase is past its last iteration, and the agent has not reported that it is done',
      )
    if (proof(facts).answer === 'yes')
      return finding('progress', 'unknown', 'only the claim is missing, so this iteration does not count')
    return moved === undefined
      ? finding('progress', 'unknown', 'there are no numbers to compare')
      : finding('progress', 'no', 'the numbers of the phase did not improve')
  }
}

function movement(facts: Facts, prp: PrpConfig): boolean | undefined {
  const changes = (PROGRESS[facts.phase ?? ''] ?? []).map(([check, name, direction]) => {
    const delta = change(facts, check, name)
    return delta === undefined ? undefined : delta * direction > 0
  })
  if (facts.phase === 'GREEN') changes.push(fewerFailing(facts), steadier(facts, prp.greenRuns))
  const answered = changes.filter((each) => each !== undefined)
  return answered.length === 0 ? undefined : answered.some(Boolean)
}

const PROGRESS: Readonly<Record<string, readonly (readonly [check: string, name: string, direction: 1 | -1])[]>> = {
  RED: [
    ['tests', 'total', 1],
    ['criteria', 'met', 1],
  ],
  GREEN: [['tests', 'passed', 1]],
  REFACTOR: [
    ['quality', 'patterns', 1],
    ['quality', 'complexity', -1],
    ['quality', 'duplication', -1],
  ],
  DOCUMENT: [
    ['documents', 'docs', 1],
    ['documents', 'diagramsValid', 1],
    ['documents', 'adr', 1],
  ],
  QA: [
    ['review', 'passing', 1],
    ['review', 'blocking', -1],
  ],
}

/** Fewer failing tests are progress only if none was removed or skipped. */
function fewerFailing(facts: Facts): boolean | undefined {
  const last = seenBefore(facts)
  const failed = change(facts, 'tests', 'failed')
  if (last === undefined || failed === undefined) return undefined
  const skipped = (countIn(facts, 'tests', 'skipped') ?? 0) - (countIn(last, 'tests', 'skipped') ?? 0)
  return failed < 0 && skipped <= 0 && change(facts, 'tests', 'total') === 0
}

/** A second passing run counts as progress too, because the phase requires it. */
function steadier(facts: Facts, needed: number): boolean | undefined {
  const runs = greenRuns(facts)
  return runs === undefined || seenBefore(facts) === undefined ? undefined : runs > 1 && runs <= needed
}
