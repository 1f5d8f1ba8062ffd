import { done, green, open, several, verified } from './default.ts'
import type { Row, Turn } from './row.ts'

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

/** An agent that asks for permission in a loop, where no user can answer. */
export const defaultAsks: readonly Row[] = [
  several('asks', 'the third plea to which nothing changed', [
    [asks, [open, 'continue', { streaks: { asking: 1 } }]],
    [{ says: 'I still need your permission to edit files.' }, [open, 'continue', { streaks: { asking: 2 } }]],
    [
      { says: 'The build requires your approval.', stream: refused },
      [
        ...stop,
        { reason: /asked for permission in 3 iterations in a row and no file changed\. .* Bash\(npm install\)/ },
      ],
    ],
  ]),
  several('asks-still', 'it goes before the breaker, whose reason says less', [
    [still('on it'), [open, 'continue', { streaks: { asking: 0 } }]],
    [still(please), [open, 'continue', { streaks: { asking: 1 }, breaker: { noProgress: 1 } }]],
    [still('on it', { stream: refused }), [open, 'warn', { streaks: { asking: 2 }, breaker: { noProgress: 2 } }]],
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
  several('asks-then-moved', 'a change in between begins the count again', [
    [asks, [open, 'continue']],
    [asks, [open, 'continue', { streaks: { asking: 2 } }]],
    [{ ...asks, evidence: { changed: true } }, [open, 'continue', { streaks: { asking: 0 } }]],
    [asks, [open, 'continue', { streaks: { asking: 1 } }]],
  ]),
  several(
    'asks-refused',
    'a denied tool alone counts only if the files are known to be unchanged',
    Array.from({ length: 4 }, () => [
      { says: 'The endpoint is written.', stream: refused },
      [open, 'continue', { streaks: { asking: 0 } }],
    ]),
  ),
  several('asks-question', 'a refusal and a question together are a plea', [
    [{ says: 'Shall I go on without the network?', stream: refused }, [open, 'continue', { streaks: { asking: 1 } }]],
    [{ says: 'Shall I go on without the network?' }, [open, 'continue', { streaks: { asking: 0 } }]],
  ]),
  several('asks-done', 'both keys turn although it asks for the third time', [
    [asks, [open, 'continue']],
    [asks, [open, 'continue']],
    [{ says: `${please}\n\n${done}`, evidence: green }, verified],
  ]),
  several('asks-once', 'at the first plea, when so configured', [[asks, stop]], { config: { asking: 1 } }),
]
