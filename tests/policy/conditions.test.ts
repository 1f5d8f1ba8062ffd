import { expect, it } from 'vitest'
import {
  atLeast,
  check,
  claimed,
  failedInVain,
  movedOn,
  notRefuted,
  notVetoed,
  phrase,
  said,
  toTheLetter,
} from '../../src/core/policy/conditions.ts'
import type { Answer, Condition, Facts } from '../../src/core/types.ts'
import { counted, facts } from './made-facts.ts'

const told = (signals: object) => facts({}, {}, signals)

type Row = readonly [string, Condition, Facts, Answer, detail: string]
const rows: readonly Row[] = [
  ['silence', claimed(), facts(), 'unknown', 'the agent has not reported that it is done'],
  ['a claim', claimed(), told({ claim: true, source: 'promise' }), 'yes', 'the agent says it is done (promise)'],
  ['a claim withdrawn', claimed(), told({ claim: false }), 'no', 'the agent says it is not done'],
  [
    'a claim in this dialect',
    claimed('promise'),
    told({ claim: true, source: 'promise' }),
    'yes',
    'the agent says it is done (promise)',
  ],
  [
    'a claim in another dialect',
    claimed('promise'),
    told({ claim: true, source: 'tool', claims: { tool: true } }),
    'unknown',
    'the agent has not reported that it is done',
  ],
  [
    'both said',
    claimed('promise', 'tool'),
    told({ source: 'x', claims: { promise: false, tool: true } }),
    'yes',
    'the agent says it is done (x)',
  ],
  [
    'both said no',
    claimed('promise', 'tool'),
    told({ source: 'x', claims: { promise: false } }),
    'no',
    'the agent says it is not done',
  ],

  ['no field', toTheLetter('S', 'A'), told({ source: 'x' }), 'yes', 'the agent says it is done (x)'],
  [
    'the exact value',
    toTheLetter('S', 'A'),
    told({ source: 'x', said: { S: 'A' } }),
    'yes',
    'the agent says it is done (x)',
  ],
  ['another case', toTheLetter('S', 'A'), told({ said: { S: 'a' } }), 'no', 'the agent wrote S as "a", not as A'],

  ['no veto', notVetoed, facts(), 'yes', 'the agent reports no remaining work'],
  ['vetoes', notVetoed, told({ vetoes: ['a', 'b'] }), 'no', 'a; b'],

  ['a check that passed', check('lint'), facts({ lint: {} }), 'yes', 'lint: pass'],
  ['with its detail', check('lint'), facts({ lint: { detail: 'fine' } }), 'yes', 'lint: fine'],
  [
    'a check that nobody ran',
    check('lint'),
    facts({ tests: {} }),
    'unknown',
    'no lint command found. Set commands.lint',
  ],
  [
    'a title that would sound like a pass',
    check('tampering'),
    facts({ tampering: { answer: 'no' } }),
    'no',
    'tests weakened: fail',
  ],
  [
    'without an answer it does not',
    check('tampering'),
    facts({ tampering: { answer: 'unknown' } }),
    'unknown',
    'tests intact: unknown',
  ],
  ['flaky tests', check('flakes'), facts({ flakes: { answer: 'unknown' } }), 'unknown', 'flaky tests: unknown'],
  ['another failure', check('tests'), facts({ tests: { answer: 'no' } }), 'no', 'tests: fail'],
  ['a failure keeps its answer', check('tests'), counted({ total: 0 }, { answer: 'no' }), 'no', 'tests: fail'],
  ['zero tests', check('tests'), counted({ total: 0 }), 'unknown', 'tests: unknown'],
  ['none passed', check('tests'), counted({ passed: 0 }), 'unknown', 'tests: unknown'],
  [
    'zero documents',
    check('documents'),
    facts({ documents: { counts: { docs: 0 } } }),
    'unknown',
    'documents: unknown',
  ],
  ['all skipped', check('tests'), counted({ total: 2, skipped: 2 }), 'unknown', 'tests: unknown'],
  ['one not skipped', check('tests'), counted({ total: 2, skipped: 1 }), 'yes', 'tests: pass'],
  ['skipped of an unknown total', check('tests'), counted({ skipped: 1 }), 'yes', 'tests: pass'],
  ['a failing one', check('tests'), counted({ total: 2, failed: 1 }), 'no', 'tests: fail'],
  [
    'a failing one that is accepted',
    check('tests'),
    counted({ total: 2, failed: 1, excused: 1 }),
    'yes',
    'tests: pass',
  ],
  ['an open item', check('checklist'), facts({ checklist: { counts: { open: 1 } } }), 'no', 'plan: fail'],
  [
    'fewer done than there are',
    check('checklist'),
    facts({ checklist: { counts: { total: 2, done: 1 } } }),
    'no',
    'plan: fail',
  ],
  [
    'as many done',
    check('checklist'),
    facts({ checklist: { counts: { total: 2, done: 2, open: 0 } } }),
    'yes',
    'plan: pass',
  ],
  ['done of an unknown total', check('checklist'), facts({ checklist: { counts: { done: 1 } } }), 'yes', 'plan: pass'],
  [
    'fewer met than there are',
    check('criteria'),
    facts({ criteria: { counts: { total: 2, met: 1 } } }),
    'no',
    'acceptance criteria: fail',
  ],

  ['refuted', notRefuted('lint'), facts({ lint: { answer: 'no', detail: 'bad' } }), 'no', 'lint: bad'],
  ['not refuted', notRefuted('lint'), facts({ lint: { answer: 'unknown' } }), 'yes', 'lint: no problem found'],
  ['passed', notRefuted('lint'), facts({ lint: {} }), 'yes', 'lint: pass'],

  [
    'at least',
    atLeast(
      'n',
      () => 2,
      2,
      (n) => `${n}`,
    ),
    facts(),
    'yes',
    '2',
  ],
  [
    'less',
    atLeast(
      'n',
      () => 1,
      2,
      (n) => `${n}`,
    ),
    facts(),
    'no',
    '1',
  ],
  [
    'unknown',
    atLeast(
      'n',
      () => undefined,
      2,
      (n) => `${n}`,
    ),
    facts(),
    'unknown',
    'n: unknown',
  ],
  ['a phrase', phrase('words', (each) => each !== 'c'), told({ phrases: ['a', 'b', 'c'] }), 'yes', 'words: a, b'],
  ['no phrase', phrase('words', () => false), told({ phrases: ['a'] }), 'no', 'words: none'],
  ['said', said('F', true, 'w'), told({ said: { F: 'TRUE' } }), 'yes', 'w'],
  ['said otherwise', said('F', 'HIGH', 'w'), told({ said: { F: 'low' } }), 'no', 'w'],
  ['not said', said('F', 'undefined', 'w'), facts(), 'no', 'w'],

  ['a failure in vain', failedInVain, facts({}, { failed: { reason: 'r' } }), 'yes', 'r'],
  ['a failure after some work', failedInVain, facts({ changed: {} }, { failed: { reason: 'r' } }), 'no', 'r'],
  ['no failure', failedInVain, facts(), 'no', 'the iteration ended normally'],
  ['another tree', movedOn, facts({ tests: { tree: 'b' } }, { trees: ['a', 'b'] }), 'yes', 'files changed'],
  [
    'the same tree',
    movedOn,
    facts({ tests: { tree: 'a' }, lint: {} }, { trees: ['b', 'a', 'a'] }),
    'no',
    'no file changed in this iteration',
  ],
  [
    'trees of earlier iterations',
    movedOn,
    facts({ tests: {} }, { trees: ['a', 'b'] }),
    'unknown',
    'no check can tell whether anything changed',
  ],
  ['the first tree', movedOn, facts({ changed: { tree: 'a' } }, { trees: ['a'] }), 'yes', 'files changed'],
  ['nothing changed', movedOn, facts({ changed: { answer: 'no' } }), 'no', 'no file changed'],
]

it.each(rows)('%s', (_name, condition, seen, answer, detail) => {
  const found = condition(seen)
  expect([found.answer, found.detail]).toEqual([answer, detail])
})
