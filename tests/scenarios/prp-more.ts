import { type Expected, type Given, phaseBlock, type Row, type Turn } from './row.ts'

const go = 'continue'
const says = (phase: string, signal = true, more = ''): Pick<Turn, 'phase' | 'says'> => ({
  phase,
  says: phaseBlock(phase, signal, more),
})
const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `prp-more-${id}`,
  name,
  preset: 'prp',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)
const tests = (passed: number, total: number, more: Given = {}): Given => ({
  tests: { passed, total, failed: total - passed, ...more },
})
const stable = tests(8, 8, { greenRuns: 2 })
const documents = { documents: { docs: 4, diagrams: 2, diagramsValid: 2, adr: 1, c4: 1 } }

/** Cases in addition to those of the original: other numbers, other phases. */
export const prpMore: readonly Row[] = [
  one(
    'red-short',
    'RED: fewer tests than criteria',
    { ...says('RED'), evidence: { tests: { total: 4, failed: 4, passed: 0 }, criteria_count: 5 } },
    [go, 'warn', { proof: 'no', missing: ['4 tests for 5 criteria'] }],
  ),
  one(
    'red-old-tests',
    'RED: older tests neither count nor have to fail',
    { ...says('RED'), evidence: { tests: { total: 12, failed: 3, passed: 9 }, criteria_count: 2 } },
    ['advance GREEN', 'advance RED', { proof: 'yes' }],
    { baseline: { tests: { total: 10, failed: 1, passed: 9 } } },
  ),
  one(
    'red-old-broken',
    'RED: an older test that fails now is not a new one',
    { ...says('RED'), evidence: { tests: { total: 12, failed: 3, passed: 9 }, criteria_count: 2 } },
    [go, 'warn', { proof: 'no', missing: ['1 test that passed before the run fails now'] }],
    { baseline: { tests: { total: 10, failed: 0, passed: 10 } } },
  ),
  one(
    'red-old-mended',
    'RED: an older test that passes already was fixed too early',
    { ...says('RED'), evidence: { tests: { total: 2, failed: 0, passed: 2 }, criteria_count: 1 } },
    [go, 'warn', { proof: 'no', missing: ['2 tests that failed before the run pass already'] }],
    { baseline: { tests: { total: 2, failed: 2, passed: 0 } } },
  ),
  one(
    'green-fewer',
    'GREEN: fewer tests than criteria are left',
    { ...says('GREEN'), evidence: { ...tests(1, 1, { greenRuns: 2 }), criteria_count: 2 } },
    [go, 'warn', { proof: 'no', missing: ['1 test for 2 criteria'] }],
  ),
  one(
    'green-tampered',
    'GREEN: tests from before the run were weakened',
    { ...says('GREEN'), evidence: { ...stable, tampering: false } },
    [go, 'warn', { proof: 'no' }],
  ),
  one(
    'red-no-criteria',
    'RED: the number of criteria is not known',
    { ...says('RED'), evidence: { tests: { total: 4, failed: 4, passed: 0 } } },
    [go, 'warn', { proof: 'unknown' }],
  ),
  one(
    'red-no-signal',
    'RED: everything but the signal',
    { phase: 'RED', says: 'red it is', evidence: { tests: { total: 4, failed: 4, passed: 0 }, criteria_count: 4 } },
    [go, 'warn', { claim: 'unknown', proof: 'yes' }],
  ),
  one(
    'red-generated',
    'RED: the other name of the number',
    { ...says('RED'), evidence: { tests_generated: 4, tests_failing: 4, tests_passing: 0, criteria_count: 3 } },
    ['advance GREEN', 'advance RED'],
  ),
  one(
    'red-unknown',
    'RED: counts without an answer',
    { ...says('RED'), evidence: { tests: { answer: 'unknown', total: 4, failed: 4, passed: 0 }, criteria_count: 4 } },
    [go, 'warn', { proof: 'unknown' }],
  ),
  one(
    'green-nine',
    'GREEN: nine of ten is not close enough',
    { ...says('GREEN'), evidence: tests(9, 10, { greenRuns: 2 }) },
    [go, 'warn', { proof: 'no' }],
  ),
  one('green-three', 'GREEN: more runs than needed', { ...says('GREEN'), evidence: tests(3, 3, { greenRuns: 7 }) }, [
    'advance REFACTOR',
    'advance GREEN',
  ]),
  one(
    'green-one',
    'GREEN: one run is enough when so configured',
    { ...says('GREEN'), evidence: tests(3, 3, { greenRuns: 1 }) },
    ['advance REFACTOR', 'advance GREEN'],
    { config: { prp: { greenRuns: 1 } } },
  ),
  one(
    'green-skipped',
    'GREEN: a skipped test did not pass',
    { ...says('GREEN'), evidence: { tests: { total: 10, passed: 9, failed: 0, skipped: 1, greenRuns: 2 } } },
    [go, 'warn', { proof: 'no', missing: ['tests: 9 of 10 pass'] }],
  ),
  one(
    'green-refuted',
    'GREEN: the numbers are fine, the answer is no',
    {
      ...says('GREEN'),
      evidence: tests(8, 8, { greenRuns: 2, answer: 'no', detail: 'two tests of the baseline are gone' }),
    },
    [go, 'warn', { proof: 'no', missing: [/two tests of the baseline are gone/] }],
  ),
  one(
    'green-unknown',
    'GREEN: the numbers are fine, the answer is unknown',
    { ...says('GREEN'), evidence: tests(8, 8, { greenRuns: 2, answer: 'unknown' }) },
    [go, 'warn', { proof: 'unknown' }],
  ),
  one(
    'green-blocked',
    'GREEN: a blocker asks the user',
    {
      phase: 'GREEN',
      says: '---PRP_PHASE_STATUS---\nPHASE: GREEN\nSTATUS: BLOCKED\nBLOCKERS:\n  - no database\nEXIT_SIGNAL: false\n---END_PRP_PHASE_STATUS---\n',
      evidence: tests(1, 8),
    },
    ['aborted/needs-human', 'needs-human', { reason: 'the agent is blocked: no database' }],
  ),
  one(
    'green-in-progress',
    'GREEN: IN_PROGRESS wins against the signal',
    { ...says('GREEN', true, 'STATUS: IN_PROGRESS'), evidence: stable },
    [go, 'continue', { claim: 'yes', proof: 'yes', missing: [/STATUS: IN_PROGRESS/] }],
  ),
  one(
    'green-bare',
    'GREEN: the signal outside a block',
    { phase: 'GREEN', says: 'Green twice.\n\nEXIT_SIGNAL: true\n', evidence: stable },
    ['advance REFACTOR', 'advance GREEN'],
  ),
  one(
    'green-other',
    'GREEN: a claim in another dialect is not this signal',
    { phase: 'GREEN', says: 'EXIT_STATUS: COMPLETE\n', evidence: stable },
    [go, 'warn', { claim: 'unknown' }],
  ),
  one(
    'refactor-nothing-left',
    'REFACTOR: nothing left to improve, by its first name',
    { ...says('REFACTOR', true, 'NO_MORE_IMPROVEMENTS_IDENTIFIED: true'), evidence: tests(8, 8) },
    ['advance DOCUMENT', 'advance REFACTOR'],
  ),
  one(
    'refactor-nothing-found',
    'REFACTOR: by its second name',
    { ...says('REFACTOR', true, 'NO_IMPROVEMENTS_FOUND: true'), evidence: tests(8, 8) },
    ['advance DOCUMENT', 'advance REFACTOR'],
  ),
  one(
    'refactor-metrics',
    'REFACTOR: by its third name, in a separate report',
    {
      phase: 'REFACTOR',
      says: `REFACTOR_PHASE_METRICS:\n  no_improvements_identified: true\n\n${phaseBlock('REFACTOR', true)}`,
      evidence: tests(8, 8),
    },
    ['advance DOCUMENT', 'advance REFACTOR'],
  ),
  one(
    'refactor-gathered',
    'REFACTOR: the caller reports that nothing is left to improve',
    { ...says('REFACTOR'), evidence: { ...tests(8, 8), refactoring_complete: true } },
    ['advance DOCUMENT', 'advance REFACTOR'],
  ),
  one(
    'refactor-gathered-no',
    'REFACTOR: the caller reports that something is left',
    { ...says('REFACTOR'), evidence: { ...tests(8, 8), no_improvements_found: false } },
    [go, 'warn', { proof: 'no' }],
  ),
  one(
    'refactor-skipped',
    'REFACTOR: a skipped test is not a failing one',
    {
      ...says('REFACTOR', true, 'REFACTORING_COMPLETE: true'),
      evidence: { tests: { total: 10, passed: 9, failed: 0, skipped: 1 } },
    },
    ['advance DOCUMENT', 'advance REFACTOR'],
  ),
  one(
    'refactor-lost',
    'REFACTOR: a test neither passes nor is skipped',
    {
      ...says('REFACTOR', true, 'REFACTORING_COMPLETE: true'),
      evidence: { tests: { total: 10, passed: 9, failed: 0 } },
    },
    [go, 'warn', { proof: 'unknown' }],
  ),
  one(
    'refactor-refuted',
    'REFACTOR: the numbers are fine, the answer is no',
    { ...says('REFACTOR', true, 'REFACTORING_COMPLETE: true'), evidence: tests(8, 8, { answer: 'no' }) },
    [go, 'warn', { proof: 'no' }],
  ),
  one('refactor-no-tests', 'REFACTOR: without tests', { ...says('REFACTOR', true, 'REFACTORING_COMPLETE: true') }, [
    go,
    'warn',
    { proof: 'unknown' },
  ]),
  one(
    'refactor-ten',
    'REFACTOR: at most ten, when so configured',
    { ...says('REFACTOR'), evidence: tests(8, 8), given: { phaseIteration: 5 } },
    [go, 'warn', { proof: 'no' }],
    { config: { prp: { maxRefactorIterations: 10 } } },
  ),
  row('refactor-counts', 'REFACTOR: five iterations of the phase itself', [
    [{ ...says('GREEN'), evidence: stable }, ['advance REFACTOR', 'advance GREEN']],
    ...Array.from(
      { length: 4 },
      () =>
        [{ says: phaseBlock('REFACTOR', true), evidence: tests(8, 8) }, [go, 'warn', { phase: 'REFACTOR' }]] as const,
    ),
    [{ says: phaseBlock('REFACTOR', true), evidence: tests(8, 8) }, ['advance DOCUMENT', 'advance REFACTOR']],
  ]),
  one(
    'refactor-max-unsigned',
    'REFACTOR: the last iteration still needs the signal',
    { phase: 'REFACTOR', says: 'that is it', evidence: tests(8, 8), given: { phaseIteration: 5 } },
    [go, 'warn', { claim: 'unknown', proof: 'yes' }],
  ),
  one(
    'document-two',
    'DOCUMENT: two documents of three',
    { ...says('DOCUMENT'), evidence: { documents: { ...documents.documents, docs: 2 } } },
    [go, 'warn', { proof: 'no', missing: ['2 of 3 documents'] }],
  ),
  one(
    'document-no-adr',
    'DOCUMENT: without an ADR',
    { ...says('DOCUMENT'), evidence: { documents: { ...documents.documents, adr: 0 } } },
    [go, 'warn', { proof: 'no', missing: ['an ADR is missing'] }],
  ),
  one(
    'document-adr-free',
    'DOCUMENT: no ADR required',
    { ...says('DOCUMENT'), evidence: { documents: { ...documents.documents, adr: 0 } } },
    ['completed/verified', 'gate'],
    { config: { prp: { requireAdr: false } } },
  ),
  one(
    'document-five',
    'DOCUMENT: five required',
    { ...says('DOCUMENT'), evidence: documents },
    [go, 'warn', { proof: 'no' }],
    { config: { prp: { requiredDocs: 5 } } },
  ),
  one('document-none', 'DOCUMENT: nothing gathered', says('DOCUMENT'), [go, 'warn', { proof: 'unknown' }]),
  one('document-done', 'DOCUMENT: the last gate ends the run', { ...says('DOCUMENT'), evidence: documents }, [
    'completed/verified',
    'gate',
    { missing: [] },
  ]),
]
