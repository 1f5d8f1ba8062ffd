import { count } from '../../../packages/core/src/count.ts'
import type { Config } from '../config.ts'
import { claimed } from '../policy/conditions.ts'
import { all, byPhase, finding, once, yesNo } from '../policy/finding.ts'
import { countOf, countsOf, greenRuns } from '../policy/measures.ts'
import { phaseGates, phaseProgress, uncovered } from '../policy/phase-gates.ts'
import { gate, gateOf } from '../policy/rules/completion.ts'
import {
  breakerHalfOpen,
  claimWithoutProof,
  explained,
  keepGoing,
  notDone,
  proofWithoutClaim,
  readingProblems,
  warn,
} from '../policy/rules/continue.ts'
import { limits } from '../policy/rules/limits.ts'
import { asksQuestion, escalate, needsHuman } from '../policy/rules/needs-human.ts'
import { forced, interrupted } from '../policy/rules/person.ts'
import { advance, inPhase, skipPhase } from '../policy/rules/phases.ts'
import { breakerOpen, sameTask } from '../policy/rules/stuck.ts'
import type { Preset } from '../preset.ts'
import type { ChecksPolicy, Condition, Rule } from '../types.ts'
import { breakerOf, commonStreaks, earlierChecks } from './shared.ts'

/** Tells the agent how to report. It contains only placeholders, so an echo of it is never a claim. */
const prpPhaseStatus = `## Phase status

Work on the current phase only:
- RED: write at least one test for every acceptance criterion. Each test must fail because the feature is missing. Don't implement anything yet.
- GREEN: make the tests pass. Don't edit, skip or weaken them. They must pass in several runs.
- REFACTOR: improve the code without breaking the tests. Report when nothing is left to improve.
- DOCUMENT: write the ADR, the C4 diagrams and the other documents. Every diagram must parse.
- QA: review the work against the acceptance criteria and list what blocks.

End your final message with this block. Put each delimiter on its own line and write one value per line, outside code fences:

---PRP_PHASE_STATUS---
TIMESTAMP: <ISO-8601>
PHASE: RED|GREEN|REFACTOR|DOCUMENT|QA
STATUS: IN_PROGRESS|BLOCKED|COMPLETE
ITERATION: <number>
PROGRESS_PERCENT: <0-100>

TESTS:
  TOTAL: <number>
  PASSING: <number>
  FAILING: <number>
  SKIPPED: <number>

FILES:
  CREATED: <number>
  MODIFIED: <number>
  DELETED: <number>

BLOCKERS:
  - <none, or what blocks you>

REFACTORING_COMPLETE: true|false
NO_IMPROVEMENTS: true|false
EXIT_SIGNAL: true|false
RECOMMENDATION: <one line>
---END_PRP_PHASE_STATUS---

Set EXIT_SIGNAL to true only if nothing is left to do in this phase. exitgate runs the tests itself, so judge the work, not the results.
Write REFACTORING_COMPLETE and NO_IMPROVEMENTS only in the REFACTOR phase.
`

/** Test-driven phases. Each needs its numbers and its own signal in the same iteration. */
export const preset: Preset = {
  name: 'prp',
  stateFiles: true,
  about: 'RED, GREEN, REFACTOR, DOCUMENT (and QA): numbers and EXIT_SIGNAL in each',
  defaults: {
    breaker: {
      noProgress: 3,
      sameError: 5,
      phases: {
        RED: { noProgress: 3, sameError: 5 },
        GREEN: { noProgress: 2, sameError: 3 },
        REFACTOR: { noProgress: 5, sameError: 5 },
        DOCUMENT: { noProgress: 3, sameError: 5 },
        QA: { noProgress: 3, sameError: 3 },
      },
      recovery: 'manual',
    },
    limits: { callsPerHour: 100 },
  },
  env: { PRP_SESSION_DIR: 'prp.sessionDir', BP_RATE_LIMIT_HOURLY: 'limits.callsPerHour' },
  policy: (config) => {
    const phases = ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', ...(config.prp.qa ? ['QA'] : [])]
    const claim = claimed('prp-phase-status', 'exit-signal', 'tool')
    const proof = once(byPhase('proof', phaseGates(config.prp)))
    const open = gateOf(claim, proof)
    const explain = explained(claim, proof)
    return {
      preset: 'prp',
      weaker: [
        'REFACTOR trusts the agent that nothing is left to improve; the tests are exitgate’s own',
        'tests written in RED are compared by number, not by content: review what GREEN changed in them',
      ],
      claim,
      proof,
      measures: {
        ...countsOf(['tests', 'total', 'passed', 'failed', 'skipped'], ['criteria', 'met']),
        greenRuns,
        criteria: countOf('criteria', 'total'),
        docs: countOf('documents', 'docs'),
        diagrams: countOf('documents', 'diagrams'),
        diagramsValid: countOf('documents', 'diagramsValid'),
      },
      streaks: { ...commonStreaks(claim, proof), qaRejections: { when: rejected, hold: outside('QA') } },
      progress: phaseProgress(config.prp, proof),
      breaker: breakerOf(config),
      phases,
      rules: [
        interrupted,
        forced,
        ...phases.map((phase, i) => skipPhase(phase, phases[i + 1])),
        ...phases.slice(0, -1).map((phase, i) => advance(phase, phases[i + 1] ?? phase, open)),
        lastGate(phases.at(-1) ?? 'DOCUMENT', claim, proof),
        ...(config.prp.qa ? qaRules(config) : []),
        asksQuestion(config.asking),
        breakerOpen,
        sameTask(config.sameTask),
        ...limits(config.limits).map(explain),
        needsHuman(config.blocked),
        warn(
          claimWithoutProof(claim, proof, 'Exit signal set but Gate 1 not satisfied'),
          proofWithoutClaim(claim, proof),
          uncovered,
          breakerHalfOpen,
          readingProblems,
        ),
        keepGoing(notDone(claim, proof)),
      ],
      shadowed: {},
      reading: { promise: config.promise, patterns: config.patterns },
      prompt: prpPhaseStatus,
      report: { done: 'Set EXIT_SIGNAL to true', notDone: 'set it to false' },
      checks: checksOf(config),
    }
  },
}

/** The last phase's gate ends the run. */
function lastGate(phase: string, claim: Condition, proof: Condition): Rule {
  const rule = gate(claim, proof)
  return { ...rule, when: all('gate', inPhase(phase), rule.when) }
}

/** A rejected review sends the work back to GREEN. Too many of them stop the run and ask the user. */
function qaRules(config: Config): readonly Rule[] {
  const tooMany: Condition = ({ streaks }) => {
    const n = streaks.qaRejections?.n ?? 0
    return finding('qa rejections', yesNo(n >= config.prp.qaAttempts), `QA rejected the work ${count(n, 'time')}`)
  }
  return [
    escalate('qa-escalation', all('qa-escalation', inPhase('QA'), rejected, tooMany)),
    {
      name: 'qa-rejected',
      when: all('qa-rejected', inPhase('QA'), rejected),
      decision: { action: 'advance', phase: 'GREEN' },
    },
  ]
}

const rejected: Condition = ({ evidence }) =>
  finding(
    'rejected',
    yesNo(evidence.review?.answer === 'no'),
    evidence.review?.answer === 'no'
      ? `QA rejected the work: ${evidence.review.detail}`
      : 'QA has not rejected the work',
  )

const outside =
  (phase: string): Condition =>
  (facts) =>
    finding('outside', yesNo(facts.phase !== phase), `the phase is ${facts.phase ?? '(none)'}`)

function checksOf({ prp }: Config): ChecksPolicy {
  const { greenRuns: green, requiredDocs: docs, requireAdr: adr, requireC4: c4, requireDiagrams: diagrams } = prp
  // GREEN needs passing runs in a row, and one claim can trigger all of them.
  return { ...earlierChecks, also: ['criteria'], confirmRuns: green - 1, documents: { docs, adr, c4, diagrams } }
}
