import { type Given, phaseBlock, type Row, type Turn } from './row.ts'

const sameWay = 'continue'
const premature = 'Exit signal set but Gate 1 not satisfied'
const red = (total: number, failed: number, passed: number, criteria: number): Given => ({
  tests: { total, failed, passed },
  criteria_count: criteria,
})
const green = (passed: number, total: number, runs?: number): Given => ({
  tests: { total, passed, failed: total - passed, ...(runs === undefined ? {} : { greenRuns: runs }) },
})
const docs = (fields: Given): Given => ({ documents: fields })
const strict = { docs: 3, diagrams: 6, diagramsValid: 6, adr: true, c4: true }

const at = (
  phase: string,
  signal: boolean | undefined,
  evidence: Given,
  more: Turn & { fields?: string } = {},
): Turn => {
  const { fields, ...turn } = more
  return { phase, says: signal === undefined ? 'working' : phaseBlock(phase, signal, fields), evidence, ...turn }
}
const one = (id: string, name: string, turn: Row['turns'][number], more: Partial<Row> = {}): Row => ({
  id,
  name,
  preset: 'prp',
  turns: [turn],
  ...more,
})

/** The gate of each phase: numbers and EXIT_SIGNAL in the same iteration. */
export const prp: readonly Row[] = [
  one('prp-1', 'RED: a failing test for every criterion', [
    at('RED', true, red(5, 5, 0, 5)),
    ['advance GREEN', 'advance RED', { claim: 'yes', proof: 'yes', phase: 'GREEN', missing: [] }],
  ]),
  one('prp-2', 'RED: more tests than criteria', [at('RED', true, red(7, 7, 0, 5)), ['advance GREEN', 'advance RED']]),
  one('prp-3', 'RED: one test passes by accident', [
    at('RED', true, red(5, 4, 1, 5)),
    [sameWay, 'warn', { proof: 'no', warnings: [premature], missing: ['4 of 5 tests fail, 1 pass'] }],
  ]),
  one(
    'prp-4',
    'RED: no criteria and no tests prove nothing',
    [at('RED', true, red(0, 0, 0, 0)), [sameWay, 'warn', { proof: 'unknown', warnings: [premature] }]],
    { note: 'the original takes the empty truth for a yes' },
  ),
  one('prp-5', 'RED: a skipped test blocks', [at('RED', true, red(6, 5, 0, 5)), [sameWay, 'warn', { proof: 'no' }]]),
  one('prp-6', 'GREEN: ten of ten, but only once', [
    at('GREEN', true, green(10, 10, 1)),
    [sameWay, 'warn', { proof: 'no', missing: ['1 of 2 passing runs in a row'], measures: { greenRuns: 1 } }],
  ]),
  one('prp-7', 'GREEN: the signal comes too early', [
    at('GREEN', true, green(6, 10, 0)),
    [sameWay, 'warn', { claim: 'yes', proof: 'no', warnings: [premature], missing: ['tests: 6 of 10 pass'] }],
  ]),
  one('prp-8', 'GREEN: stable, but no signal', [
    at('GREEN', false, green(10, 10, 3)),
    [sameWay, 'warn', { claim: 'no', proof: 'yes', phase: 'GREEN' }],
  ]),
  one('prp-9', 'GREEN: none of none', [at('GREEN', true, green(0, 0, 2)), [sameWay, 'warn', { proof: 'unknown' }]], {
    note: 'the original documents 0/0 as passing',
  }),
  one('prp-10', 'REFACTOR: reported complete in the second iteration', [
    at('REFACTOR', true, green(10, 10), { fields: 'REFACTORING_COMPLETE: true', given: { phaseIteration: 2 } }),
    ['advance DOCUMENT', 'advance REFACTOR', { proof: 'yes', phase: 'DOCUMENT' }],
  ]),
  one('prp-11', 'REFACTOR: the fifth iteration is the last', [
    at('REFACTOR', true, green(10, 10), { given: { phaseIteration: 5 } }),
    ['advance DOCUMENT', 'advance REFACTOR'],
  ]),
  one('prp-12', 'REFACTOR: the fourth is not', [
    at('REFACTOR', true, green(10, 10), { given: { phaseIteration: 4 } }),
    [sameWay, 'warn', { proof: 'no', missing: ['iteration 4 of at most 5'] }],
  ]),
  one('prp-13', 'REFACTOR: a failing test wins against everything', [
    at('REFACTOR', true, green(9, 10), { fields: 'REFACTORING_COMPLETE: true', given: { phaseIteration: 9 } }),
    [sameWay, 'warn', { proof: 'no', missing: ['tests: 9 of 10 pass, 1 fail'] }],
  ]),
  one(
    'prp-14',
    'DOCUMENT: without C4 diagrams the strict form says no',
    [
      at('DOCUMENT', true, docs({ ...strict, c4: false })),
      [sameWay, 'warn', { proof: 'no', missing: ['a C4 diagram is missing'] }],
    ],
    { note: 'the code block of the original leaves C4 out; its table and ours ask for it' },
  ),
  one(
    'prp-14',
    'DOCUMENT: the form of the code block, by configuration',
    [at('DOCUMENT', true, docs({ ...strict, c4: false })), ['completed/verified', 'gate']],
    { config: { prp: { requireC4: false } } },
  ),
  one('prp-15', 'DOCUMENT: one invalid diagram', [
    at('DOCUMENT', true, docs({ ...strict, diagramsValid: 5 })),
    [sameWay, 'warn', { proof: 'no', missing: ['5 of 6 diagrams are valid'] }],
  ]),
  one(
    'prp-15',
    'DOCUMENT: diagrams not required, by configuration',
    [at('DOCUMENT', true, docs({ ...strict, diagramsValid: 5 })), ['completed/verified', 'gate']],
    { config: { prp: { requireDiagrams: false } } },
  ),
  one(
    'prp-16',
    'DOCUMENT: no diagram at all proves nothing',
    [
      at('DOCUMENT', true, docs({ docs: 3, diagrams: 0, diagramsValid: 0, adr: true, c4: true })),
      [sameWay, 'warn', { proof: 'unknown', missing: ['there are no diagrams to check'] }],
    ],
    { note: 'the original takes the empty truth for a yes' },
  ),
  one('prp-17', 'DOCUMENT: all valid, an ADR, but no C4', [
    at('DOCUMENT', true, docs({ docs: 3, all_diagrams_valid: true, has_adr: true, has_c4_diagrams: false })),
    [sameWay, 'warn', { proof: 'no' }],
  ]),
  one('prp-18', 'numbers without a signal', [
    at('GREEN', undefined, green(10, 10, 2)),
    [sameWay, 'warn', { claim: 'unknown', proof: 'yes' }],
  ]),
  one('prp-19', 'a signal without numbers', [
    at('GREEN', true, green(9, 10, 0)),
    [sameWay, 'warn', { claim: 'yes', proof: 'no' }],
  ]),
  one('prp-20', 'neither', [at('GREEN', undefined, green(9, 10, 0)), [sameWay, 'continue', { proof: 'no' }]]),
  {
    id: 'prp-21',
    name: 'both halves must stand in the same iteration',
    preset: 'prp',
    turns: [
      [at('GREEN', false, green(10, 10, 2)), [sameWay, 'warn', { claim: 'no', proof: 'yes' }]],
      [at('GREEN', true, green(9, 10, 0)), [sameWay, 'warn', { claim: 'yes', proof: 'no' }]],
      [at('GREEN', true, green(10, 10, 2)), ['advance REFACTOR', 'advance GREEN']],
    ],
  },
  {
    id: 'prp-22',
    name: 'a flaky run begins the count of green runs again',
    preset: 'prp',
    turns: [
      [at('GREEN', true, green(10, 10)), [sameWay, 'warn', { streaks: { green: 1 }, measures: { greenRuns: 1 } }]],
      [at('GREEN', true, green(9, 10)), [sameWay, 'warn', { streaks: { green: 0 } }]],
      [at('GREEN', true, green(10, 10)), [sameWay, 'warn', { streaks: { green: 1 } }]],
      [at('GREEN', true, green(10, 10)), ['advance REFACTOR', 'advance GREEN', { streaks: { green: 2 } }]],
    ],
  },
  one('prp-23', 'the user skips a phase whose breaker is open', [
    at('GREEN', undefined, green(9, 10, 0), {
      forced: 'phase',
      given: { breaker: { state: 'open', reason: 'no progress' } },
    }),
    [
      'advance REFACTOR',
      'skip GREEN',
      {
        phase: 'REFACTOR',
        reason: /^forced by mia \(reviewed by hand\)$/,
        missing: [/9 of 10/],
        breaker: { state: 'closed' },
      },
    ],
  ]),
  one('prp-40', 'reading a flat block', [
    { says: '---PRP_PHASE_STATUS---\nPHASE: GREEN\nITERATION: 3\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---' },
    [sameWay, 'warn', { claim: 'yes', said: { PHASE: 'GREEN', ITERATION: 3, EXIT_SIGNAL: true } }],
  ]),
  one('prp-41', 'reading no block', [
    { says: 'nothing of the kind' },
    [sameWay, 'continue', { claim: 'unknown', signals: { blocks: [], said: {}, problems: [] } }],
  ]),
  one(
    'prp-42',
    'reading a block with CRLF line ends',
    [
      { says: '---PRP_PHASE_STATUS---\r\nPHASE: GREEN\r\nEXIT_SIGNAL: true\r\n---END_PRP_PHASE_STATUS---\r\n' },
      [sameWay, 'warn', { claim: 'yes', said: { PHASE: 'GREEN', EXIT_SIGNAL: true } }],
    ],
    { note: 'the original does not see the block' },
  ),
  one(
    'prp-43',
    'reading two blocks: the last one counts',
    [
      { says: `${phaseBlock('RED', true)}\n${phaseBlock('GREEN', false)}` },
      [sameWay, 'warn', { claim: 'no', said: { PHASE: 'GREEN' }, warnings: [/contradict/] }],
    ],
    { note: 'the original takes the first' },
  ),
  one('prp-44', 'reading the whole block with its sections', [
    {
      says: [
        '---PRP_PHASE_STATUS---',
        'TIMESTAMP: 2026-03-01T12:00:00Z',
        'PHASE: GREEN',
        'STATUS: COMPLETE',
        'ITERATION: 12',
        'PROGRESS_PERCENT: 100',
        '',
        'TESTS:',
        '  TOTAL: 10',
        '  PASSING: 10',
        '  FAILING: 0',
        '  SKIPPED: 0',
        '',
        'FILES:',
        '  CREATED: 4',
        '  MODIFIED: 3',
        '  DELETED: 0',
        '',
        'CIRCUIT_BREAKER:',
        '  STATE: CLOSED',
        '  NO_PROGRESS_COUNT: 0',
        '',
        'DUAL_GATE:',
        '  GATE_1: true',
        '  GATE_2: true',
        '  CAN_EXIT: true',
        '',
        'BLOCKERS:',
        '  - none',
        '',
        'EXIT_SIGNAL: true',
        'RECOMMENDATION: go on with the next phase',
        '---END_PRP_PHASE_STATUS---',
      ].join('\n'),
      phase: 'GREEN',
      evidence: green(10, 10, 2),
    },
    [
      'advance REFACTOR',
      'advance GREEN',
      {
        said: {
          TIMESTAMP: '2026-03-01T12:00:00Z',
          PHASE: 'GREEN',
          STATUS: 'COMPLETE',
          ITERATION: 12,
          PROGRESS_PERCENT: 100,
          'TESTS.TOTAL': 10,
          'TESTS.PASSING': 10,
          'TESTS.FAILING': 0,
          'TESTS.SKIPPED': 0,
          'FILES.CREATED': 4,
          'FILES.MODIFIED': 3,
          'FILES.DELETED': 0,
          'CIRCUIT_BREAKER.STATE': 'CLOSED',
          'CIRCUIT_BREAKER.NO_PROGRESS_COUNT': 0,
          'DUAL_GATE.GATE_1': true,
          'DUAL_GATE.GATE_2': true,
          'DUAL_GATE.CAN_EXIT': true,
          BLOCKERS: 'none',
          EXIT_SIGNAL: true,
          RECOMMENDATION: 'go on with the next phase',
        },
      },
    ],
  ]),
  one('prp-45', 'reading a quoted detail with a colon in it', [
    {
      says: [
        '---PRP_PHASE_STATUS---',
        'PHASE: GREEN',
        '',
        'DUAL_GATE:',
        '  GATE_1: true',
        '  GATE_1_DETAIL: "tests_passing: 8/8, consecutive_runs: 2"',
        '  GATE_2: true',
        '  CAN_EXIT: true',
        '',
        'EXIT_SIGNAL: true',
        '---END_PRP_PHASE_STATUS---',
      ].join('\n'),
    },
    [
      sameWay,
      'warn',
      {
        proof: 'unknown',
        said: {
          'DUAL_GATE.GATE_1': true,
          'DUAL_GATE.GATE_1_DETAIL': 'tests_passing: 8/8, consecutive_runs: 2',
          'DUAL_GATE.CAN_EXIT': true,
          EXIT_SIGNAL: true,
        },
      },
    ],
  ]),
  one('prp-52', 'the numbers that the state file of a stable GREEN shows', [
    at('GREEN', true, green(10, 10, 2), { given: { phaseIteration: 5 } }),
    [
      'advance REFACTOR',
      'advance GREEN',
      {
        claim: 'yes',
        proof: 'yes',
        measures: { 'tests.failed': 0, 'tests.passed': 10, 'tests.total': 10, greenRuns: 2 },
        signals: { source: 'prp-phase-status' },
      },
    ],
  ]),
]
