import { type Expected, type Row, ralphBlock, type Turn, ticks } from './row.ts'

const go = 'continue'
const yes = ralphBlock(true)
const testing = 'Running the tests: pytest. All green.\n'
const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id: `ralph-more-${id}`,
  name,
  preset: 'ralph',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)

/** Cases in addition to Ralph's own tests. */
export const ralphMore: readonly Row[] = [
  row('window', 'a claim more than five iterations ago is forgotten', [
    [{ says: yes }, [go, 'warn', { measures: { doneSignals: 1 } }]],
    ...Array.from(
      { length: 4 },
      () => [{ says: 'Looking at the parser.' }, [go, 'continue', { measures: { doneSignals: 1 } }]] as const,
    ),
    [{ says: yes }, [go, 'warn', { measures: { doneSignals: 1, completionIndicators: 1 } }]],
  ]),
  row('within', 'a claim four iterations ago is not', [
    [{ says: yes }, [go, 'warn']],
    ...Array.from({ length: 3 }, () => [{ says: 'Looking at the parser.' }, [go, 'continue']] as const),
    [{ says: yes }, ['completed/threshold', 'completion-signals', { measures: { doneSignals: 2 } }]],
  ]),
  row(
    'failing',
    'claims while tests fail: the fifth ends it',
    Array.from({ length: 5 }, (_, i) => [
      { says: yes, evidence: { tests: false } },
      i < 4 ? [go, 'warn'] : ['stuck/hollow-claims', 'hollow-claims', { missing: ['tests: Given as no.'] }],
    ]),
  ),
  one('plan-failing', 'a ticked plan while tests fail', { says: yes, plan: ticks(2, 0), evidence: { tests: false } }, [
    go,
    'warn',
    { proof: 'no' },
  ]),
  one(
    'plan-tampered',
    'a ticked plan while tests were weakened',
    { says: yes, plan: ticks(2, 0), evidence: { tampering: false } },
    [go, 'warn', { proof: 'no' }],
  ),
  one('plan-green', 'a ticked plan and passing tests', { says: yes, plan: ticks(2, 0), evidence: { tests: true } }, [
    'completed/verified',
    'plan-complete',
    { missing: [] },
  ]),
  one('vetoed', 'a ticked plan and BLOCKED', { says: ralphBlock(false, 'STATUS: BLOCKED'), plan: ticks(2, 0) }, [
    'aborted/needs-human',
    'needs-human',
    { claim: 'no' },
  ]),
  one(
    'denied-but-changed',
    'a denied tool, and the agent found another way',
    { says: 'x', stream: { denials: ['Bash(curl x)'] }, evidence: { changed: true } },
    [go, 'continue'],
  ),
  row(
    'testing-with-commits',
    'iterations that run tests and change files are no stagnation',
    Array.from({ length: 4 }, () => [
      { says: testing, evidence: { changed: true } },
      [go, 'continue', { measures: { testOnly: 0 } }],
    ]),
  ),
  row('unproven', 'two claims without proof say what is unproven', [
    [{ says: yes, plan: ticks(1, 1) }, [go, 'warn']],
    [{ says: yes, plan: ticks(1, 1) }, ['completed/threshold', 'completion-signals', { missing: [/1 item open/] }]],
  ]),
  row('work-between', 'other work ends the count of testing', [
    [{ says: testing }, [go, 'continue', { measures: { testOnly: 1 } }]],
    [
      { says: 'Implementing the parser.', evidence: { changed: true } },
      [go, 'continue', { measures: { testOnly: 0 } }],
    ],
  ]),
  row('idle-between', 'an iteration without change only pauses it', [
    [{ says: testing }, [go, 'continue', { measures: { testOnly: 1 } }]],
    [{ says: 'Reading the parser.' }, [go, 'continue', { measures: { testOnly: 1 } }]],
    [{ says: testing }, [go, 'continue', { measures: { testOnly: 2 } }]],
  ]),
  one(
    'work-type',
    'WORK_TYPE says testing',
    {
      says: '---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nWORK_TYPE: TEST_ONLY\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n',
    },
    [go, 'continue', { measures: { testOnly: 1 } }],
  ),
  one(
    'work-type-other',
    'WORK_TYPE says otherwise',
    {
      says: `${testing}---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n`,
    },
    [go, 'continue', { measures: { testOnly: 0 } }],
  ),
  one(
    'allowed',
    'only the compound form of an allowed command was denied',
    { says: 'x', stream: { denials: ['Bash(npm install x && npm test)'] } },
    [go, 'continue'],
    { config: { ralph: { allowedTools: ['Bash(npm *)'] } } },
  ),
  one(
    'allowed-other',
    'another command was denied',
    { says: 'x', stream: { denials: ['Bash(npm test)', 'Bash(curl x)'] } },
    ['aborted/needs-human', 'permission-denied', { reason: 'permission denied: Bash(curl x)' }],
    { config: { ralph: { allowedTools: ['Bash(npm *)'] } } },
  ),
  row(
    'denials',
    'two denied calls of allowed commands open the breaker',
    [
      [{ says: 'x', stream: { denials: ['Bash(npm a && b)'] } }, [go, 'continue']],
      [
        { says: 'x', stream: { denials: ['Bash(npm a && b)'] } },
        ['stuck/breaker', 'breaker-open', { reason: /denied its tools in 2 iterations/ }],
      ],
    ],
    { config: { ralph: { allowedTools: ['Bash(npm*)'] } } },
  ),
  one(
    'open-breaker',
    'an open breaker takes precedence over the gate',
    { says: yes, plan: ticks(2, 0), given: { breaker: { state: 'open', reason: 'no progress' } } },
    ['stuck/breaker', 'breaker-was-open'],
  ),
  row('cooldown', 'half an hour later one try is let through', [
    [{ says: 'x', given: { breaker: { state: 'open' } } }, ['stuck/breaker', 'breaker-was-open']],
    [
      { says: 'x', after: 31, evidence: { changed: true } },
      [go, 'continue', { moves: 'open>half-open half-open>closed' }],
    ],
  ]),
  one(
    'json',
    'fields outside the text',
    { stream: { fields: { status: 'COMPLETE', exit_signal: true } }, plan: ticks(2, 0) },
    ['completed/verified', 'plan-complete'],
  ),
  one(
    'yaml',
    'the YAML form of the block',
    { says: 'RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: true\n', plan: ticks(2, 0) },
    ['completed/verified', 'plan-complete'],
  ),
  one('mentioned', 'a block that is only mentioned', { says: 'I print RALPH_STATUS: later.', plan: ticks(2, 0) }, [
    go,
    'warn',
    { claim: 'unknown' },
  ]),
  one(
    'forced',
    'the user ends it although the breaker is open',
    { forced: 'run', given: { breaker: { state: 'open' } } },
    ['completed/forced', 'forced'],
  ),
  one('interrupted', 'Ctrl+C', { says: yes, plan: ticks(2, 0), interrupted: true }, [
    'interrupted/interrupt',
    'interrupted',
  ]),
  one('cap', 'the iteration limit', { says: 'x' }, ['aborted/iterations', 'iterations'], {
    config: { limits: { iterations: 1 } },
  }),
  one('time', 'the time limit', { says: 'x', spent: { ms: 60_000 } }, ['aborted/time', 'time'], {
    config: { limits: { minutes: 1 } },
  }),
]
