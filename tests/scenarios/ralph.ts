import type { ConfigPatch } from '../../src/core/config.ts'
import { type Expected, type Row, ralphBlock, type Turn, ticks } from './row.ts'

const go = 'continue'
const yes = ralphBlock(true)
const no = ralphBlock(false)
const testing = 'Running the tests: npm test. 12 of 12 passed.\n'
const twice = ['completed/threshold', 'completion-signals'] as const
const planned = ['completed/verified', 'plan-complete'] as const
const shut: Turn = { says: yes, evidence: { tests: false } }

const row = (id: string, name: string, turns: Row['turns'], more: Partial<Row> = {}): Row => ({
  id,
  name,
  preset: 'ralph',
  turns,
  ...more,
})
const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row =>
  row(id, name, [[turn, expected]], more)
/** One claim; the plan decides. */
const plan = (id: string, name: string, markdown: string, complete: boolean, config: ConfigPatch = {}): Row =>
  one(id, name, { says: yes, plan: markdown }, complete ? planned : [go, 'warn', { claim: 'yes' }], { config })
const refused = (n: number): Row['turns'] =>
  Array.from({ length: n }, () => [shut, [go, 'warn', { claim: 'yes', proof: 'no' }]] as const)
const needsSignal = 'the original exits without looking at EXIT_SIGNAL; here it is asked for as well'

/** The exit gate of Ralph. */
export const ralph: readonly Row[] = [
  one('ralph-A1 ralph-A20', 'nothing has happened yet', { says: 'Looking around.' }, [go, 'continue']),
  row('ralph-A2', 'three iterations that only tested', [
    [{ says: testing }, [go, 'continue', { measures: { testOnly: 1 } }]],
    [{ says: testing }, [go, 'continue', { measures: { testOnly: 2 } }]],
    [{ says: testing }, ['stuck/stagnation', 'test-saturation', { reason: '3 iterations in a row only ran tests' }]],
  ]),
  row('ralph-A3', 'two are not enough', [
    [{ says: testing }, [go, 'continue']],
    [{ says: testing }, [go, 'continue', { measures: { testOnly: 2 } }]],
  ]),
  row('ralph-A4', 'two done signals', [
    [{ says: yes }, [go, 'warn', { measures: { doneSignals: 1 } }]],
    [{ says: yes }, [...twice, { measures: { doneSignals: 2 } }]],
  ]),
  row(
    'ralph-A4',
    'two done signals from words alone',
    Array.from({ length: 3 }, (_, i) => [
      { says: 'The feature is done.' },
      [
        go,
        i === 0 ? 'continue' : 'warn',
        { claim: 'unknown', measures: { doneSignals: i + 1, completionIndicators: 0 } },
      ],
    ]),
    { note: needsSignal },
  ),
  one('ralph-A5 ralph-A7 ralph-A29', 'one signal', { says: yes }, [
    go,
    'warn',
    { measures: { doneSignals: 1, completionIndicators: 1 } },
  ]),
  row(
    'ralph-A6 ralph-A26',
    'two claims, with done signals turned up',
    [
      [{ says: yes }, [go, 'warn']],
      [{ says: yes }, ['completed/threshold', 'project-complete', { measures: { completionIndicators: 2 } }]],
    ],
    { config: { ralph: { doneSignals: 9 } } },
  ),
  plan('ralph-A8', 'every item is ticked', ticks(3, 0), true),
  one(
    'ralph-A8',
    'every item is ticked, but there is no claim',
    { says: 'Ticked it.', plan: ticks(3, 0) },
    [go, 'warn', { proof: 'yes' }],
    { note: needsSignal },
  ),
  plan('ralph-A9', 'one of three', ticks(1, 2), false),
  plan('ralph-A10', 'the open ones are optional', '# Plan\n- [x] a\n\n## Optional\n- [ ] b\n- [ ] c\n', true),
  plan('ralph-A11', 'the open one is for the future', '# Plan\n- [x] a\n\n## Future Enhancements\n- [ ] b\n', true),
  plan(
    'ralph-A12',
    'low priority is not optional',
    '# Plan\n- [x] a\n\n## Low Priority\n- [ ] b\n\n## Optional\n- [ ] c\n',
    false,
  ),
  plan('ralph-A13', 'OPTIONAL in capitals', '# Plan\n- [x] a\n\n## OPTIONAL\n- [ ] b\n', true),
  plan(
    'ralph-A14',
    'below a heading of the optional part',
    '# Plan\n- [x] a\n\n## Optional\n\n### Later\n- [ ] b\n',
    true,
  ),
  plan(
    'ralph-A15',
    'a section after the optional one',
    '# Plan\n- [x] a\n\n## Optional\n- [ ] b\n\n## Core\n- [ ] c\n',
    false,
  ),
  plan('ralph-A16', 'another name for optional', '# Plan\n- [x] a\n\n## Backlog\n- [ ] b\n', true, {
    optionalSections: ['Backlog'],
  }),
  plan('ralph-A17', 'and then the usual name is none', '# Plan\n- [x] a\n\n## Optional\n- [ ] b\n', false, {
    optionalSections: ['Backlog'],
  }),
  plan('ralph-A18', 'no optional part, one of two', ticks(1, 1), false),
  one('ralph-A19', 'no plan', { says: yes }, [go, 'warn', { proof: 'unknown' }]),
  row(
    'ralph-A22',
    'test-only iterations come before claims',
    [
      [{ says: `${testing}${yes}` }, [go, 'warn']],
      [{ says: `${testing}${yes}` }, [go, 'warn']],
      [
        { says: `${testing}${yes}` },
        ['stuck/stagnation', 'test-saturation', { measures: { doneSignals: 3, testOnly: 3 } }],
      ],
    ],
    { config: { ralph: { doneSignals: 3, completionIndicators: 3 } } },
  ),
  plan('ralph-A23', 'prose is no plan', '# Plan\n\nDo it well.\n', false),
  plan(
    'ralph-A24',
    'an empty pair of brackets is not an item, a capital X is a tick',
    '- [x] a\n- [ ] b\n- [X] c\n- [] d\n',
    false,
  ),
  row('ralph-A25 ralph-A35', 'three claims, then an explicit no', [
    ...refused(3),
    [
      { says: ralphBlock(false, 'STATUS: COMPLETE'), evidence: { tests: true } },
      [go, 'warn', { claim: 'no', proof: 'yes', missing: [/EXIT_SIGNAL: false/] }],
    ],
  ]),
  row('ralph-A27 ralph-A31 ralph-A34', 'three claims, then nothing said', [
    ...refused(3),
    [{ says: 'Working on it.' }, [go, 'warn', { claim: 'unknown', proof: 'yes' }]],
  ]),
  row('ralph-A28', 'three claims, then noise', [
    ...refused(3),
    [{ says: '{ this is not json \u0000 }' }, [go, 'warn', { claim: 'unknown' }]],
  ]),
  row(
    'ralph-A30',
    'five claims, then an explicit no: the safety stop needs the claim too',
    [
      ...refused(4),
      [shut, ['stuck/hollow-claims', 'hollow-claims', { measures: { completionIndicators: 5 } }]],
      [{ says: no }, [go, 'warn', { claim: 'no' }]],
    ],
    { config: { ralph: { window: 9 } }, note: 'the shipped code exits at the last one' },
  ),
  row(
    'ralph-A32',
    'test-only iterations ignore EXIT_SIGNAL',
    Array.from({ length: 3 }, (_, i) => [
      { says: `${testing}${no}` },
      i < 2 ? [go, 'continue'] : ['stuck/stagnation', 'test-saturation'],
    ]),
  ),
  row(
    'ralph-A33',
    'three done signals against an explicit no',
    [
      [{ says: `The parser is done.\n${no}` }, [go, 'continue', { measures: { doneSignals: 1 } }]],
      [{ says: `The lexer is done.\n${no}` }, [go, 'warn', { measures: { doneSignals: 2 } }]],
      [{ says: `The writer is done.\n${no}` }, [go, 'warn', { measures: { doneSignals: 3 }, claim: 'no' }]],
    ],
    { note: needsSignal },
  ),
  one('ralph-A36', 'sure words and a no count as no claim', { says: `I am confident it is complete.\n${no}` }, [
    go,
    'continue',
    { measures: { completionIndicators: 0 } },
  ]),
  one('ralph-A37', 'a claim in the first iteration', { says: yes }, [
    go,
    'warn',
    { streaks: { completionIndicators: 1 } },
  ]),
  row('ralph-A38', 'no, no with words, yes: one claim', [
    [{ says: no }, [go, 'continue', { measures: { completionIndicators: 0 } }]],
    [{ says: `It is done.\n${no}` }, [go, 'continue', { measures: { completionIndicators: 0 } }]],
    [
      { says: `One more.\n${yes}`, evidence: { tests: false } },
      [go, 'warn', { measures: { completionIndicators: 1 } }],
    ],
  ]),
  row(
    'ralph-A39',
    'five times no',
    Array.from({ length: 5 }, () => [
      { says: no, evidence: { changed: true } },
      [go, 'continue', { measures: { completionIndicators: 0 } }],
    ]),
  ),
  one('ralph-A40', 'a tool call was denied', { says: 'x', stream: { denials: ['Bash(npm install express)'] } }, [
    'aborted/needs-human',
    'permission-denied',
    { reason: 'permission denied: Bash(npm install express)' },
  ]),
  one('ralph-A41 ralph-A44', 'nothing was denied', { says: 'x', stream: { denials: [] } }, [go, 'continue']),
  row('ralph-A42', 'a refusal goes before testing alone', [
    [{ says: testing }, [go, 'continue']],
    [{ says: testing }, [go, 'continue']],
    [{ says: testing, stream: { denials: ['Bash(rm)'] } }, ['aborted/needs-human', 'permission-denied']],
  ]),
  one('ralph-A43', 'three denied calls', { says: yes, stream: { denials: ['Bash(a)', 'Bash(b)', 'Write(c)'] } }, [
    'aborted/needs-human',
    'permission-denied',
    { reason: /Bash\(a\), Bash\(b\), Write\(c\)/ },
  ]),
  plan('ralph-A45', 'dates are no boxes', '- [2026-01-29] kick-off\n- [ ] a\n- [ ] b\n', false),
  plan('ralph-A46', 'a date, a tick, an open one', '- [2026-01-29] kick-off\n- [x] a\n- [ ] b\n', false),
  plan('ralph-A47', 'notes are no boxes', '- [NOTE] x\n- [TODO] x\n- [FIXME] x\n- [WIP] x\n- [ ] a\n', false),
  plan('ralph-A48', 'small and capital ticks', '- [x] a\n- [X] b\n', true),
  plan('ralph-A49', 'indented dates and a tick', '- [x] a\n  - [2026-01-29] begun\n  - [2026-01-30] ended\n', true),
  plan('ralph-A50', 'two blanks are no box', '- [ ] a\n- [  ] b\n- [x] c\n', false),
  plan('ralph-A51', 'versions are no boxes', '- [v1.0] out\n- [v1.1] out\n- [x] a\n', true),
  plan('ralph-A52', 'numbers of issues are no boxes', '- [#141] x\n- [PR#155] x\n- [ ] a\n- [ ] b\n', false),
  row(
    'ralph-A58',
    'a question does not count against the agent',
    Array.from({ length: 4 }, () => [
      { says: 'Should I implement approach A or B? Which option do you prefer?', evidence: { changed: false } },
      [go, 'continue', { breaker: { noProgress: 0 } }],
    ]),
  ),
  row('ralph-A59', 'an ordinary text without change is', [
    [
      { says: 'Read the code of the parser.', evidence: { changed: false } },
      [go, 'continue', { breaker: { noProgress: 1 } }],
    ],
    [{ says: 'Read more of it.', evidence: { changed: false } }, [go, 'warn', { breaker: { noProgress: 2 } }]],
    [{ says: 'And more.', evidence: { changed: false } }, ['stuck/breaker', 'breaker-open']],
  ]),
  row(
    'ralph-A63',
    'a shorter answer decides nothing',
    [
      [{ says: 'x'.repeat(1000) }, [go, 'continue', { breaker: { noProgress: 0 } }]],
      [{ says: 'x' }, [go, 'continue', { breaker: { noProgress: 0 } }]],
    ],
    { note: 'the original adds 10 to a confidence that no rule reads' },
  ),
  row('ralph-A64 ralph-A65', 'a new run begins without the signals of the old one', [
    [{ says: yes }, [go, 'warn', { measures: { completionIndicators: 1 } }]],
    [{ says: yes, before: 'new run' }, [go, 'warn', { measures: { completionIndicators: 1, doneSignals: 1 } }]],
  ]),
  one('ralph-A66', 'the counts are in the verdict', { says: `${testing}${yes}` }, [
    go,
    'warn',
    { measures: { testOnly: 1, doneSignals: 1, completionIndicators: 1 } },
  ]),
]
