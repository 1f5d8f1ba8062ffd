import { describe, expect, it } from 'vitest'
import { finding } from '../../src/core/policy/finding.ts'
import { phaseGates, phaseProgress, uncovered } from '../../src/core/policy/phase-gates.ts'
import type { Answer, Evidence, Facts } from '../../src/core/types.ts'
import { configFor } from '../scenarios/play.ts'
import { type Checks, evidence, facts } from './made-facts.ts'

const prp = {
  ...configFor('prp').prp,
  greenRuns: 2,
  maxRefactorIterations: 5,
  requiredDocs: 2,
  requireDiagrams: true,
  requireAdr: true,
  requireC4: true,
}
const gates = phaseGates(prp)
type Counts = Evidence['counts'] & {}
const counts = (check: string, more: Counts, answer: Answer = 'yes'): Checks => ({ [check]: { counts: more, answer } })
const passing = counts('tests', { total: 3, passed: 3, failed: 0, greenRuns: 2 })
const docs = (more: Counts = {}): Checks =>
  counts('documents', { docs: 2, diagrams: 1, diagramsValid: 1, adr: 1, c4: 1, ...more })

/** The answer of a phase, and the details of what is not met. */
const rows: readonly [phase: string, string, Checks, more: object, signals: object, Answer, open: readonly string[]][] =
  [
    [
      'RED',
      'as many failing tests as criteria',
      { ...counts('tests', { total: 2, passed: 0, failed: 2 }, 'no'), ...counts('criteria', { total: 2 }) },
      {},
      {},
      'yes',
      [],
    ],
    [
      'RED',
      'fewer tests than criteria',
      { ...counts('tests', { total: 1, passed: 0, failed: 1 }, 'no'), ...counts('criteria', { total: 2 }) },
      {},
      {},
      'no',
      ['1 test for 2 criteria'],
    ],
    [
      'RED',
      'no criteria',
      counts('tests', { total: 1, passed: 0, failed: 1 }, 'no'),
      {},
      {},
      'unknown',
      ['the number of tests or criteria is unknown'],
    ],
    [
      'RED',
      'zero criteria',
      { ...counts('tests', { total: 1, passed: 0, failed: 1 }, 'no'), ...counts('criteria', { total: 0 }) },
      {},
      {},
      'unknown',
      ['the number of tests or criteria is unknown'],
    ],
    [
      'RED',
      'zero criteria, with the reason',
      {
        ...counts('tests', { total: 1, passed: 0, failed: 1 }, 'no'),
        criteria: { counts: { total: 0 }, detail: 'no file' },
      },
      {},
      {},
      'unknown',
      ['criteria: no file'],
    ],
    [
      'RED',
      'no tests',
      counts('criteria', { total: 1 }),
      {},
      {},
      'unknown',
      ['the number of tests or criteria is unknown', 'tests: no test results'],
    ],

    ['GREEN', 'enough passing runs', passing, {}, {}, 'yes', []],
    [
      'GREEN',
      'one passing run',
      counts('tests', { total: 3, passed: 3, failed: 0, greenRuns: 1 }),
      {},
      {},
      'no',
      ['1 of 2 passing runs in a row'],
    ],
    [
      'GREEN',
      'a removed test',
      { ...passing, ...counts('criteria', { total: 4 }) },
      {},
      {},
      'no',
      ['3 tests for 4 criteria'],
    ],
    ['GREEN', 'a weakened test', { ...passing, tampering: { answer: 'no' } }, {}, {}, 'no', ['tests weakened: fail']],

    [
      'REFACTOR',
      'reported as complete',
      passing,
      { phaseIteration: 1 },
      { said: { REFACTORING_COMPLETE: true } },
      'yes',
      [],
    ],
    ['REFACTOR', 'nothing left', { ...passing, no_improvements_found: {} }, { phaseIteration: 1 }, {}, 'yes', []],
    ['REFACTOR', 'enough iterations', passing, { phaseIteration: 5 }, {}, 'yes', []],
    [
      'REFACTOR',
      'neither',
      { ...passing, no_improvements: { answer: 'no' } },
      { phaseIteration: 4 },
      { said: { REFACTORING_COMPLETE: 'true' } },
      'no',
      [
        'not reported: the refactoring is complete',
        'not reported: nothing is left to improve',
        'iteration 4 of at most 5',
      ],
    ],

    ['DOCUMENT', 'everything', docs(), {}, {}, 'yes', []],
    ['DOCUMENT', 'one document', docs({ docs: 1 }), {}, {}, 'no', ['1 of 2 documents']],
    ['DOCUMENT', 'no diagrams', docs({ diagrams: 0 }), {}, {}, 'unknown', ['there are no diagrams to check']],
    ['DOCUMENT', 'an invalid diagram', docs({ diagrams: 2 }), {}, {}, 'no', ['1 of 2 diagrams are valid']],
    ['DOCUMENT', 'no ADR', docs({ adr: 0 }), {}, {}, 'no', ['an ADR is missing']],
    [
      'DOCUMENT',
      'no counts',
      { documents: {} },
      {},
      {},
      'unknown',
      [
        'documents: unknown',
        'there are no diagrams to check',
        'unknown whether there is an ADR',
        'unknown whether there is a C4 diagram',
      ],
    ],

    ['QA', 'a review', { review: {} }, {}, {}, 'yes', []],
    ['QA', 'a blocking issue', counts('review', { blocking: 1 }), {}, {}, 'no', ['1 blocking issue']],
    ['QA', 'no review', { lint: {} }, {}, {}, 'unknown', ['"review" is required, but nothing checked it']],
  ]
const leaves = (found: ReturnType<typeof finding>): readonly string[] =>
  found.answer === 'yes' ? [] : found.parts === undefined ? [found.detail] : found.parts.flatMap(leaves)

describe('the gate of', () => {
  it.each(rows)('%s: %s', (phase, _name, checks, more, signals, answer, open) => {
    const found = gates[phase]!(facts(checks, { phase, ...more }, signals))
    expect([found.answer, leaves(found)]).toEqual([answer, open])
  })

  it('DOCUMENT asks for what is configured', () => {
    const bare = phaseGates({ ...prp, requireDiagrams: false, requireAdr: false, requireC4: false })
    expect(bare.DOCUMENT!(facts(counts('documents', { docs: 2 }))).parts?.map(({ name }) => name)).toEqual([
      'documents',
    ])
    expect(gates.DOCUMENT!(facts(docs())).parts?.map(({ name }) => name)).toEqual([
      'documents',
      'diagrams',
      'adr',
      'c4',
    ])
  })
})

describe('progress in', () => {
  const was = (checks: Checks) => ({ previous: { evidence: evidence(checks) } })
  const tests = (total: number, passed: number, failed: number, more: Counts = {}) =>
    counts('tests', { total, passed, failed, ...more })
  const moves: readonly [phase: string, string, before: Checks | undefined, now: Checks, Answer][] = [
    ['RED', 'more tests', tests(1, 0, 1), tests(2, 0, 2), 'yes'],
    ['RED', 'as many', tests(1, 0, 1), tests(1, 0, 1), 'no'],
    ['RED', 'more criteria met', counts('criteria', { met: 1 }), counts('criteria', { met: 2 }), 'yes'],
    ['RED', 'nothing before', undefined, tests(1, 0, 1), 'unknown'],
    ['GREEN', 'more pass', tests(3, 1, 2), tests(3, 2, 1), 'yes'],
    ['GREEN', 'fewer fail, because one was removed', tests(3, 1, 2), tests(2, 1, 1), 'no'],
    ['GREEN', 'fewer fail, because one was skipped', tests(3, 1, 2), tests(3, 1, 1, { skipped: 1 }), 'no'],
    ['GREEN', 'fewer fail, and none is skipped', tests(3, 1, 2, { skipped: 1 }), tests(3, 1, 1, { skipped: 1 }), 'yes'],
    ['GREEN', 'a second passing run', tests(3, 3, 0, { greenRuns: 1 }), tests(3, 3, 0, { greenRuns: 2 }), 'yes'],
    ['GREEN', 'a first passing run', tests(3, 3, 0), tests(3, 3, 0, { greenRuns: 1 }), 'no'],
    ['GREEN', 'more passing runs than needed', tests(3, 3, 0), tests(3, 3, 0, { greenRuns: 3 }), 'no'],
    [
      'REFACTOR',
      'less duplication',
      counts('quality', { duplication: 2 }),
      counts('quality', { duplication: 1 }),
      'yes',
    ],
    ['REFACTOR', 'more complexity', counts('quality', { complexity: 1 }), counts('quality', { complexity: 2 }), 'no'],
    ['REFACTOR', 'more patterns', counts('quality', { patterns: 1 }), counts('quality', { patterns: 2 }), 'yes'],
    ['DOCUMENT', 'another document', counts('documents', { docs: 1 }), counts('documents', { docs: 2 }), 'yes'],
    [
      'DOCUMENT',
      'another valid diagram',
      counts('documents', { diagramsValid: 1 }),
      counts('documents', { diagramsValid: 2 }),
      'yes',
    ],
    ['DOCUMENT', 'an ADR', counts('documents', { adr: 0 }), counts('documents', { adr: 1 }), 'yes'],
    ['QA', 'fewer blocking issues', counts('review', { blocking: 2 }), counts('review', { blocking: 1 }), 'yes'],
    ['QA', 'more passes', counts('review', { passing: 1 }), counts('review', { passing: 2 }), 'yes'],
    ['OTHER', 'no numbers', tests(1, 0, 1), tests(2, 0, 2), 'unknown'],
  ]
  const missing = () => finding('proof', 'no', '')
  it.each(moves)('%s: %s', (phase, _name, before, now, answer) => {
    const given = facts(now, { phase, phaseIteration: 1, ...(before === undefined ? {} : was(before)) })
    expect(phaseProgress(prp, missing)(given).answer).toBe(answer)
  })

  const waits: readonly [string, Facts, Answer, Answer, string][] = [
    [
      'a phase with proof waits',
      facts({}, { phase: 'GREEN', phaseIteration: 9 }),
      'yes',
      'unknown',
      'only the claim is missing, so this iteration does not count',
    ],
    [
      'REFACTOR after its last iteration does not',
      facts({}, { phase: 'REFACTOR', phaseIteration: 6 }),
      'yes',
      'no',
      'the phase is past its last iteration, and the agent has not reported that it is done',
    ],
    [
      'REFACTOR in its last iteration waits',
      facts({}, { phase: 'REFACTOR', phaseIteration: 5 }),
      'yes',
      'unknown',
      'only the claim is missing, so this iteration does not count',
    ],
    ['no numbers', facts({}, { phaseIteration: 1 }), 'no', 'unknown', 'there are no numbers to compare'],
  ]
  it.each(waits)('%s', (_name, given, proof, answer, detail) => {
    const found = phaseProgress(prp, () => finding('proof', proof, ''))(given)
    expect([found.answer, found.detail]).toEqual([answer, detail])
  })

  it.each<[phase: string, Counts, Answer]>([
    ['RED', { total: 2, met: 1 }, 'yes'],
    ['RED', { total: 2, met: 2 }, 'no'],
    ['RED', { total: 2 }, 'no'],
    ['RED', { met: 1 }, 'no'],
    ['GREEN', { total: 2, met: 1 }, 'no'],
  ])('criteria without a test in %s %j: %s', (phase, criteria, answer) => {
    expect(uncovered(facts(counts('criteria', criteria), { phase })).answer).toBe(answer)
  })
})
