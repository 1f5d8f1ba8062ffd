import { type Expected, type Given, phaseBlock, type Row, type Turn } from './row.ts'

const go = 'continue'
const qa = { prp: { qa: true } } as const
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
const review = (approved: boolean, blocking = approved ? 0 : 2): Given => ({ review: { approved, blocking } })
const documents = { documents: { docs: 4, diagrams: 2, diagramsValid: 2, adr: 1, c4: 1 } }
const stuck = { breaker: { state: 'open', reason: 'No progress for 2 iterations' } } as const

/** From RED to the end: phases that are skipped, stuck or rejected. */
export const prpWay: readonly Row[] = [
  row('all-phases', 'the way from RED to the end', [
    [
      { ...says('RED'), evidence: { tests: { total: 5, failed: 5, passed: 0 }, criteria_count: 5 } },
      ['advance GREEN', 'advance RED', { phase: 'GREEN' }],
    ],
    [{ says: phaseBlock('GREEN', false), evidence: tests(3, 5) }, [go, 'continue', { phase: 'GREEN' }]],
    [{ says: phaseBlock('GREEN', true), evidence: tests(5, 5) }, [go, 'warn', { streaks: { green: 1 } }]],
    [
      { says: phaseBlock('GREEN', true), evidence: tests(5, 5) },
      ['advance REFACTOR', 'advance GREEN', { streaks: { green: 2 } }],
    ],
    [
      { says: phaseBlock('REFACTOR', true, 'REFACTORING_COMPLETE: true'), evidence: tests(5, 5) },
      ['advance DOCUMENT', 'advance REFACTOR'],
    ],
    [
      { says: phaseBlock('DOCUMENT', true), evidence: { ...tests(5, 5), ...documents } },
      ['completed/verified', 'gate'],
    ],
  ]),
  row(
    'qa',
    'QA: rejected, mended, approved',
    [
      [{ ...says('DOCUMENT'), evidence: documents }, ['advance QA', 'advance DOCUMENT']],
      [
        { says: phaseBlock('QA', true), evidence: review(false) },
        ['advance GREEN', 'qa-rejected', { streaks: { qaRejections: 1 }, reason: /QA rejected the work/ }],
      ],
      [
        { says: phaseBlock('GREEN', true), evidence: stable },
        ['advance REFACTOR', 'advance GREEN', { streaks: { qaRejections: 1 } }],
      ],
      [{ ...says('QA'), evidence: review(true) }, ['completed/verified', 'gate']],
    ],
    { config: qa },
  ),
  row(
    'qa-thrice',
    'QA: the third rejection asks the user',
    [
      [{ ...says('QA'), evidence: review(false) }, ['advance GREEN', 'qa-rejected']],
      [{ ...says('QA'), evidence: review(false) }, ['advance GREEN', 'qa-rejected']],
      [
        { ...says('QA'), evidence: review(false) },
        ['aborted/needs-human', 'qa-escalation', { reason: /QA rejected the work 3 times/ }],
      ],
    ],
    { config: qa },
  ),
  one(
    'qa-blocking',
    'QA: approved with a blocking issue is not approved',
    { ...says('QA'), evidence: { review: { answer: 'yes', blocking: 1 } } },
    ['advance GREEN', 'qa-rejected'],
    { config: qa },
  ),
  one(
    'qa-unknown',
    'QA: a review that crashed',
    { ...says('QA'), evidence: { review: 'unknown' } },
    [go, 'warn', { proof: 'unknown' }],
    { config: qa },
  ),
  one(
    'qa-unsigned',
    'QA: approved, but no signal',
    { phase: 'QA', says: 'fine', evidence: review(true) },
    [go, 'warn', { claim: 'unknown', proof: 'yes' }],
    { config: qa },
  ),

  row('skips', 'a person skips every phase', [
    [{ forced: 'phase' }, ['advance GREEN', 'skip RED']],
    [{ forced: 'phase' }, ['advance REFACTOR', 'skip GREEN']],
    [{ forced: 'phase' }, ['advance DOCUMENT', 'skip REFACTOR']],
    [{ forced: 'phase' }, ['completed/forced', 'skip DOCUMENT', { missing: [/has not reported/, /documents/] }]],
  ]),
  row(
    'skip-qa',
    'QA too',
    [
      [{ phase: 'QA', forced: 'phase' }, ['completed/forced', 'skip QA']],
      [{ phase: 'DOCUMENT', forced: 'phase', before: 'new run' }, ['advance QA', 'skip DOCUMENT']],
    ],
    { config: qa },
  ),
  one('forced', 'the user ends the run in the middle', { phase: 'GREEN', forced: 'run' }, [
    'completed/forced',
    'forced',
  ]),
  one(
    'interrupted',
    'Ctrl+C takes precedence over the gate',
    { ...says('GREEN'), evidence: stable, interrupted: true },
    ['interrupted/interrupt', 'interrupted'],
  ),
  one(
    'gate-open-breaker',
    'the gate of a phase comes before the breaker',
    { ...says('GREEN'), evidence: stable, given: stuck },
    ['advance REFACTOR', 'advance GREEN', { breaker: { state: 'closed' }, moves: 'open>closed' }],
  ),
  one('open-breaker', 'an open breaker ends the run', { phase: 'GREEN', evidence: tests(3, 8), given: stuck }, [
    'stuck/breaker',
    'breaker-open',
    { reason: /No progress for 2 iterations/ },
  ]),
  row('green-stuck', 'GREEN: two iterations without movement', [
    [{ phase: 'GREEN', evidence: tests(3, 8) }, [go, 'continue', { breaker: { noProgress: 0 } }]],
    [{ phase: 'GREEN', evidence: tests(3, 8) }, [go, 'continue', { breaker: { noProgress: 1 } }]],
    [
      { phase: 'GREEN', evidence: tests(3, 8) },
      ['stuck/breaker', 'breaker-open', { moves: 'closed>half-open half-open>open', breaker: { noProgress: 2 } }],
    ],
  ]),
  row(
    'green-waiting',
    'GREEN: finished without a claim is not stuck',
    Array.from({ length: 5 }, (_, i) => [
      { phase: 'GREEN', evidence: tests(8, 8) },
      [go, i === 0 ? 'continue' : 'warn', { breaker: { noProgress: 0 } }],
    ]),
  ),
  row('breaker-next-phase', 'the next phase begins with a closed breaker', [
    [{ phase: 'GREEN', evidence: tests(3, 8) }, [go, 'continue']],
    [{ phase: 'GREEN', evidence: tests(3, 8) }, [go, 'continue', { breaker: { noProgress: 1 } }]],
    [{ ...says('GREEN'), evidence: stable }, ['advance REFACTOR', 'advance GREEN', { breaker: { noProgress: 0 } }]],
  ]),
  row('refactor-overdue', 'REFACTOR: past its last iteration silence is no waiting; five more open the breaker', [
    [
      { phase: 'REFACTOR', evidence: tests(8, 8), given: { phaseIteration: 5 } },
      [go, 'warn', { proof: 'yes', breaker: { noProgress: 0 } }],
    ],
    ...[1, 2, 3, 4].map(
      (n) => [{ phase: 'REFACTOR', evidence: tests(8, 8) }, [go, 'warn', { breaker: { noProgress: n } }]] as const,
    ),
    [{ phase: 'REFACTOR', evidence: tests(8, 8) }, ['stuck/breaker', 'breaker-open', { breaker: { noProgress: 5 } }]],
  ]),
  one(
    'red-uncovered',
    'RED: criteria without a test are reported',
    { ...says('RED', false), evidence: { tests: { total: 5, failed: 5, passed: 0 }, criteria: { total: 5, met: 3 } } },
    [go, 'warn', { warnings: ['3 of 5 criteria are covered by tests'], measures: { 'criteria.met': 3 } }],
  ),
  row(
    'same-task',
    'one task fails three times',
    Array.from({ length: 3 }, (_, i) => [
      { phase: 'REFACTOR', failed: 'x', task: 't' },
      i < 2 ? [go, i === 0 ? 'continue' : 'warn'] : ['stuck/same-task', 'same-task'],
    ]),
  ),
  one(
    'iterations',
    'the iteration limit applies in every phase',
    { phase: 'GREEN' },
    ['aborted/iterations', 'iterations'],
    {
      config: { limits: { iterations: 1 } },
    },
  ),
  one('time', 'so does the time limit', { phase: 'RED', spent: { ms: 120_000 } }, ['aborted/time', 'time'], {
    config: { limits: { minutes: 2 } },
  }),
  one(
    'unknown-phase',
    'an unknown phase has no gate',
    { phase: 'SHIP', says: phaseBlock('SHIP', true), evidence: stable },
    [go, 'warn', { proof: 'unknown' }],
  ),
]
