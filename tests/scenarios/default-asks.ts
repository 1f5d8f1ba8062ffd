import { done, failing, green, open, several, verified } from './default.ts'
import { doyakenBlock, type Expected, phaseBlock, type Row, ralphBlock, type Turn } from './row.ts'

const please = 'Please approve the write to src/parser.ts, then I go on.'
const refused = { denials: ['Bash(npm install)'] }
const asks: Turn = { says: please }
const still = (says: string, more: Partial<Turn> = {}): Turn => ({
  says,
  tree: 'A',
  evidence: { clean: false },
  ...more,
})
const stop = ['aborted/needs-human', 'asks-permission'] as const
const rounding = 'Should the discount be rounded to cents, or kept exact?'
const question = ['aborted/needs-human', 'asks-question', { reason: `the agent asks: ${rounding}` }] as const
const proven: Partial<Turn> = { evidence: green }

const inPreset = (preset: Row['preset'], says: string, first: string, second: Expected): Row => ({
  id: `${preset}-question`,
  name: 'a question, twice in a row without a change',
  preset,
  turns: [
    [{ says, evidence: { changed: false } }, [open, first]],
    [{ says, evidence: { changed: false } }, second],
  ],
})

/** An agent that asks for permission or for an answer in a loop, where no user can give it. */
export const defaultAsks: readonly Row[] = [
  several('asks', 'the second plea to which nothing changed', [
    [asks, [open, 'continue', { streaks: { asking: 1 } }]],
    [
      { says: 'The build requires your approval.', stream: refused },
      [
        ...stop,
        { reason: /asked for permission in 2 iterations in a row and no file changed\. .* Bash\(npm install\)/ },
      ],
    ],
  ]),
  several('asks-still', 'it goes before the breaker, whose reason says less', [
    [still('on it'), [open, 'continue', { streaks: { asking: 0 } }]],
    [still('on it'), [open, 'continue', { breaker: { noProgress: 1 } }]],
    [still('on it', { stream: refused }), [open, 'warn', { streaks: { asking: 1 }, breaker: { noProgress: 2 } }]],
    [still(please), [...stop, { breaker: { state: 'open' } }]],
  ]),
  several(
    'asks-moved',
    'an agent that asks but keeps working makes progress',
    ['A', 'B', 'C', 'D', 'E'].map((tree) => [
      { says: please, stream: refused, tree, evidence: { clean: false } },
      [open, 'continue', { streaks: { asking: tree === 'A' ? 1 : 0 } }],
    ]),
  ),
  several(
    'asks-then-moved',
    'a change in between begins the count again',
    [
      [asks, [open, 'continue']],
      [asks, [open, 'continue', { streaks: { asking: 2 } }]],
      [{ ...asks, evidence: { changed: true } }, [open, 'continue', { streaks: { asking: 0 } }]],
      [asks, [open, 'continue', { streaks: { asking: 1 } }]],
    ],
    { config: { asking: 3 } },
  ),
  several(
    'asks-refused',
    'a denied tool alone counts only if the files are known to be unchanged',
    Array.from({ length: 4 }, () => [
      { says: 'The endpoint is written.', stream: refused },
      [open, 'continue', { streaks: { asking: 0 } }],
    ]),
  ),
  several('asks-both', 'a refusal and a question together are a plea', [
    [{ says: 'I tried it.\n\nWhy not without the network?', stream: refused }, [open, 'continue']],
    [{ says: 'Shall I go on without the network?', stream: refused }, stop],
  ]),
  several('asks-done', 'both keys turn although it asks again', [
    [asks, [open, 'continue']],
    [{ says: `${please}\n\n${done}`, evidence: green }, verified],
  ]),
  several('asks-once', 'at the first plea, when so configured', [[asks, stop]], { config: { asking: 1 } }),

  several('question', 'the second question to which nothing changed', [
    [{ says: `I read the code. ${rounding}` }, [open, 'continue', { streaks: { asking: 1 } }]],
    [{ says: rounding }, question],
  ]),
  several('question-first', 'the question of the first iteration is in its sentence', [
    [
      { says: rounding, evidence: failing },
      [open, 'continue', { reason: /2 of 10 tests fail\. The agent asks: Should/ }],
    ],
  ]),
  several('question-not-done', 'an explicit "not done" may come with a question', [
    [{ says: `${rounding}\n\nEXIT_STATUS: CONTINUE\n` }, [open, 'continue', { streaks: { asking: 1 } }]],
    [{ says: `${rounding}\n\nEXIT_STATUS: CONTINUE\n` }, question],
  ]),
  several('question-and-work', 'an agent that asks and works on goes on', [
    ...['A', 'B', 'C', 'D'].map(
      (tree) => [still(rounding, { tree }), [open, 'continue', { streaks: { asking: tree === 'A' ? 1 : 0 } }]] as const,
    ),
  ]),
  several('question-then-work', 'an agent that asks once and then decides by itself goes on', [
    [still(rounding), [open, 'continue', { streaks: { asking: 1 } }]],
    [still('I round to cents.', { tree: 'B' }), [open, 'continue', { streaks: { asking: 0 } }]],
    [still(rounding, { tree: 'B' }), [open, 'continue', { streaks: { asking: 1 } }]],
  ]),
  several('question-claim', 'a claim with a polite offer is a claim', [
    [
      { says: `Want me to update the docs, too?\n\n${done}`, evidence: failing },
      [open, 'warn', { streaks: { asking: 0 } }],
    ],
    [{ says: `Shall I also update the docs?\n\n${done}`, evidence: green }, verified],
  ]),
  several('question-manners', 'an offer after finished work is no question, and the stop says what is left', [
    ...[0, 1, 2].map(() => [still('The task is done. Shall I commit it next?', proven), [open, 'warn']] as const),
    [
      still('The task is done. Anything else?', proven),
      [
        'stuck/breaker',
        'breaker-open',
        {
          reason:
            /OPEN: All checks pass\. Only the report of the agent that it is done is missing\. exitgate saw no change in 3 iterations\.$/,
        },
      ],
    ],
  ]),
  inPreset('cub', rounding, 'continue', question),
  inPreset('prp', `${rounding}\n\n${phaseBlock('RED', false)}`, 'continue', question),
  inPreset('doyaken', `${rounding}\n\n${doyakenBlock({ complete: 'false' })}`, 'continue', question),
  // Their documents list every rule, or count no question against the agent.
  inPreset('ralph', `${rounding}\n\n${ralphBlock(false)}`, 'continue', [open, 'warn']),
  inPreset('gsd', rounding, 'continue', [open, 'warn']),
  inPreset('blackbox', `I am confident so far. ${rounding}`, 'continue', [open, 'continue']),
]
