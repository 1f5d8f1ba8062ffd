import type { Answer } from '../../src/core/types.ts'
import type { Expected, Row, Turn } from './row.ts'

const open = 'continue'
const passing = 'PASS src/a.test.ts\nPASS src/b.test.ts\n'
const ticked = '# Roadmap\n\n- [x] 01-01-PLAN.md: one\n- [x] 01-02-PLAN.md: two\n'
const oneOpen = '# Roadmap\n\n- [x] 01-01-PLAN.md: one\n- [ ] 01-02-PLAN.md: two\n'
const notPassing = (state: string) => `Completion check: tests not passing (${state})`
const incomplete = 'Completion check: plans still incomplete'

const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row => ({
  id,
  name,
  preset: 'gsd',
  turns: [[turn, expected]],
  ...more,
})
/** Results for test output, with every plan ticked. */
const output = (id: string, name: string, text: string, tests: Answer, state = '', note?: string): Row =>
  one(
    id,
    name,
    { evidence: { tests: { output: text } }, plan: ticked },
    tests === 'yes'
      ? ['completed/verified', 'gate', { answers: { tests } }]
      : [open, 'warn', { answers: { tests }, warnings: [notPassing(state)] }],
    note === undefined ? {} : { note },
  )
/** Results for roadmaps, with every test passing. */
const roadmap = (id: string, name: string, plan: string, checklist: Answer, note?: string): Row =>
  one(
    id,
    name,
    { evidence: { tests: { output: passing } }, plan },
    checklist === 'yes'
      ? ['completed/verified', 'gate', { answers: { checklist } }]
      : checklist === 'no'
        ? [open, 'warn', { answers: { checklist }, warnings: [incomplete] }]
        : [open, 'continue', { answers: { checklist }, proof: 'unknown' }],
    note === undefined ? {} : { note },
  )
/** Failed tasks in a row: how often the same one, and how many since a success. */
const failures = (
  id: string,
  name: string,
  turns: readonly (readonly [task: string, expected: Expected])[],
  more: Partial<Row> = {},
): Row => ({
  id,
  name,
  preset: 'gsd',
  turns: turns.map(([task, expected]) => [{ failed: 'the agent exited with code 1', task }, expected]),
  ...more,
})
const counted = (sameTask: number, all: number, rule = 'continue'): Expected => [
  open,
  rule,
  { streaks: { sameTask }, measures: { failures: all } },
]
const stuck = (n: number): Expected => [
  'stuck/same-task',
  'same-task',
  { reason: `Same task failed ${n} times`, streaks: { sameTask: n } },
]

/** The exit conditions of the autopilot: tests and roadmap, stuck tasks, limits. */
export const gsd: readonly Row[] = [
  output('gsd-1', 'test files that pass', passing, 'yes'),
  output('gsd-2', 'one passes, two fail', 'PASS a\nFAIL b\nFAIL c\n', 'no', 'TESTS_FAIL:2'),
  output('gsd-3', 'zero errors are no failure', 'All OK, 0 errors\n', 'yes', '', 'the original fails on the word'),
  output('gsd-4', 'nothing that speaks of tests', 'hello world\n', 'unknown', 'TESTS_UNKNOWN'),
  one('gsd-5', 'no output at all', { plan: ticked }, [open, 'warn', { warnings: [notPassing('TESTS_UNKNOWN')] }]),
  output(
    'gsd-6',
    'a name that contains ERROR is not a failure',
    'const ERROR_CODE = 1\n10 tests PASSED\n',
    'yes',
    '',
    'the original fails on the name',
  ),
  output(
    'gsd-7',
    'TAP: not ok is not ok',
    '1..2\nok 1 a\nnot ok 2 b\n',
    'no',
    'TESTS_FAIL:1',
    'the original passes, because "not ok" holds "ok"',
  ),
  output('gsd-8', 'the last line of pytest', '===== 12 passed in 0.31s =====\n', 'yes'),
  output(
    'gsd-9 gsd-10',
    'two lines that pass',
    'PASS a\nPASS b\n',
    'yes',
    '',
    'as printed and as first shipped, the original says unknown',
  ),
  roadmap('gsd-11', 'one plan is open', oneOpen, 'no'),
  roadmap('gsd-12', 'an indented open plan counts', '- [x] 01-01-PLAN.md\n  - [ ] 01-02-PLAN.md\n', 'no'),
  roadmap(
    'gsd-13',
    'open items without a plan name are ignored',
    '- [x] 01-01-PLAN.md\n- [ ] write docs\n- [ ] 1-2-PLAN.md\n',
    'yes',
  ),
  roadmap(
    'gsd-13',
    'nothing but such items proves nothing',
    '- [ ] write docs\n- [ ] 1-2-PLAN.md\n',
    'unknown',
    'the original calls a roadmap without any plan complete',
  ),
  roadmap('gsd-14', 'an empty roadmap proves nothing', '# nothing\n', 'unknown', 'the original calls it complete'),
  one(
    'gsd-15',
    'a missing roadmap proves nothing',
    { evidence: { tests: { output: passing } } },
    [open, 'continue', { proof: 'unknown' }],
    { note: 'the original calls it complete' },
  ),
  roadmap(
    'gsd-16',
    'a plan in bold is a plan',
    '- [x] 01-01-PLAN.md\n- [ ] **01-02-PLAN.md**\n',
    'no',
    'the original does not see it',
  ),
  roadmap('gsd-17', 'every plan ticked', ticked, 'yes', 'as printed, the original never completes'),
  one('gsd-18', 'tests pass and plans are done', { evidence: { tests: { output: 'PASS a\n' } }, plan: ticked }, [
    'completed/verified',
    'gate',
    { missing: [] },
  ]),
  one('gsd-19', 'tests pass, a plan is open', { evidence: { tests: { output: 'PASS a\n' } }, plan: oneOpen }, [
    open,
    'warn',
    { warnings: [incomplete] },
  ]),
  one('gsd-20', 'a test fails, plans are done', { evidence: { tests: { output: 'FAIL a\n' } }, plan: ticked }, [
    open,
    'warn',
    { warnings: [notPassing('TESTS_FAIL:1')] },
  ]),
  one(
    'gsd-21 gsd-39',
    'tests that cannot be read do not pass',
    { evidence: { tests: { output: 'nothing\n' } }, plan: ticked },
    [open, 'warn', { proof: 'unknown', warnings: [notPassing('TESTS_UNKNOWN')] }],
    { note: 'the code of the original lets them pass, against its own text' },
  ),
  one(
    'gsd-21',
    'unless configured otherwise',
    { evidence: { tests: { output: 'nothing\n' } }, plan: ticked },
    ['completed/verified', 'gate'],
    { config: { gsd: { unknownTests: 'pass' } } },
  ),
  one('gsd-22', 'no tests at all do not pass either', { plan: ticked }, [open, 'warn', { proof: 'unknown' }], {
    note: 'the same',
  }),
  one(
    'gsd-23',
    'pass and done is complete',
    { evidence: { tests: { output: 'PASS a\n' } }, plan: ticked },
    ['completed/verified', 'gate'],
    { note: 'as printed, the original never completes' },
  ),
  failures(
    'gsd-24 gsd-27 gsd-40',
    'the same task three times is stuck',
    [
      ['05-01', counted(1, 1)],
      ['05-01', counted(2, 2, 'warn')],
      ['05-01', stuck(3)],
    ],
    { note: 'the third failure counts among all failures too; the original returns before it adds it' },
  ),
  failures('gsd-25', 'another task begins at one', [
    ['05-01', counted(1, 1)],
    ['05-01', counted(2, 2, 'warn')],
    ['05-02', counted(1, 3, 'warn')],
    ['05-01', counted(1, 4, 'warn')],
  ]),
  failures('gsd-26', 'five failures of any tasks trip the breaker', [
    ['05-01', counted(1, 1)],
    ['05-02', counted(1, 2, 'warn')],
    ['05-01', counted(1, 3, 'warn')],
    ['05-02', counted(1, 4, 'warn')],
    ['05-01', ['stuck/breaker', 'breaker-open', { measures: { failures: 5 }, reason: /5 failed iterations in a row/ }]],
  ]),
  failures('gsd-41', 'tasks that take turns are not stuck', [
    ['05-01', counted(1, 1)],
    ['05-02', counted(1, 2, 'warn')],
    ['05-01', counted(1, 3, 'warn')],
    ['05-02', counted(1, 4, 'warn')],
  ]),
  one('gsd-34', 'one iteration below the limit', { says: 'working' }, [open, 'continue'], {
    config: { limits: { iterations: 2 } },
  }),
  {
    id: 'gsd-35 gsd-38',
    name: 'a cap of two lets two iterations run',
    preset: 'gsd',
    config: { limits: { iterations: 2 } },
    note: 'the original counts before it checks, so a cap of N runs N-1',
    turns: [
      [{ says: 'done, all tests PASS', plan: oneOpen }, [open, 'continue']],
      [
        { says: 'done, all tests PASS', plan: oneOpen },
        ['aborted/iterations', 'iterations', { reason: '2 of 2 iterations used', missing: [/1 item open/] }],
      ],
    ],
  },
  one('gsd-36', 'within both limits', { says: 'working', spent: { ms: 100_000 } }, [open, 'continue']),
  {
    id: 'gsd-37',
    name: 'a roadmap never ticked is never complete',
    preset: 'gsd',
    note: 'the original ends as completed although its own gate says no',
    turns: Array.from({ length: 3 }, () => [
      { evidence: { tests: { output: passing } }, plan: oneOpen },
      [open, 'warn', { warnings: [incomplete] }] as const,
    ]),
  },
  output('gsd-46', 'small letters pass too', '3 tests passed\n', 'yes'),
]
