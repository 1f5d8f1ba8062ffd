import { open, several } from './default.ts'
import type { Expected, Row, Turn } from './row.ts'

const failing = (cause: NonNullable<Turn['cause']>, failed: string, tree = 'same'): Turn => ({
  ...{ cause, failed, tree },
  evidence: { changed: tree !== 'same' },
})
const crash = failing('crash', 'the agent exited with code 1: boom')
const stopped = (tree: string): Turn => failing('time', 'the agent was stopped after 20 minutes (time limit)', tree)
const closed = { breaker: { state: 'closed', noProgress: 0 } } as const
const errors = (reason: string): Expected => ['aborted/errors', 'agent-fails', { reason, ...closed }]

/** The same turn again and again; the last one ends the run. */
const repeated = (turns: readonly Turn[], end: Expected): readonly (readonly [Turn, Expected])[] =>
  turns.map((turn, i) => [turn, i === turns.length - 1 ? end : [open, i === 0 ? 'continue' : 'warn']])

/** Runs of the default preset that end because of the agent's own errors, and healthy ones that don't. */
export const defaultFailing: readonly Row[] = [
  several(
    'crashes',
    'three crashes that change nothing are errors, not a lack of progress',
    repeated(
      [crash, crash, crash],
      errors('3 iterations in a row failed and changed nothing: the agent exited with code 1: boom'),
    ),
  ),
  several(
    'crashes-mixed',
    'whatever the errors are',
    repeated(
      [failing('silence', 'it was silent'), failing('empty', "the agent's answer is empty"), crash],
      errors('3 iterations in a row failed and changed nothing: the agent exited with code 1: boom'),
    ),
  ),
  several('crash-talk', 'with an iteration that only talks in between, it is a lack of progress', [
    [crash, [open, 'continue']],
    [{ says: 'a', tree: 'same', evidence: { changed: false } }, [open, 'warn']],
    [
      crash,
      [
        'stuck/breaker',
        'breaker-open',
        { reason: /OPEN: The agent exited with code 1: boom\. exitgate saw no change in 3 iterations\.$/ },
      ],
    ],
  ]),
  several('crash-new-run', 'the next run is not stuck', [
    ...repeated(
      [crash, crash, crash],
      errors('3 iterations in a row failed and changed nothing: the agent exited with code 1: boom'),
    ),
    [
      { says: 'b', before: 'new run', evidence: { changed: false } },
      [open, 'continue', { breaker: { noProgress: 1 } }],
    ],
  ]),
  several('outage', 'an outage that was waited for ends the run at once', [
    [failing('outage', 'API Error: 529'), errors('API Error: 529')],
  ]),
  several('outage-progress', 'unless the agent worked until then', [
    [{ says: 'a', tree: 'A', evidence: { changed: true } }, [open, 'continue']],
    [failing('outage', 'API Error: 529', 'B'), [open, 'continue']],
    [failing('outage', 'API Error: 529', 'C'), [open, 'continue']],
  ]),
  several('refusal', 'the model refuses twice: only you can change the task', [
    [failing('refusal', 'against the usage policy'), [open, 'continue']],
    [
      failing('refusal', 'against the usage policy'),
      [
        'aborted/needs-human',
        'refused',
        { reason: '2 iterations in a row failed and changed nothing: against the usage policy', ...closed },
      ],
    ],
  ]),
  several(
    'cut-off',
    'iterations that are cut off by the time limit and change files go on',
    ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((tree) => [
      { ...stopped(tree), task: '7' },
      [open, 'continue', { breaker: { noProgress: 0, failures: 0 }, streaks: { sameTask: 0, failing: 0 } }],
    ]),
    { config: { breaker: { failures: 3 } } },
  ),
  several(
    'cut-off-idle',
    'and end if nothing changes',
    repeated(
      [stopped('same'), stopped('same'), stopped('same')],
      errors('3 iterations in a row failed and changed nothing: the agent was stopped after 20 minutes (time limit)'),
    ),
  ),
  several(
    'same-error-progress',
    'the same error in iterations that change files',
    ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((tree) => [
      { says: 'a', tree, evidence: { changed: true }, error: 'E' },
      [open, 'continue', { breaker: { sameError: 1 } }],
    ]),
  ),
  several('crashes-after-work', 'crashes that changed something do not count among those that changed nothing', [
    ...['A', 'B'].map((tree): readonly [Turn, Expected] => [
      failing('crash', 'the agent exited with code 1: boom', tree),
      [open, 'continue'],
    ]),
    ...[1, 2, 3].map((n): readonly [Turn, Expected] => [
      failing('crash', 'the agent exited with code 1: boom', 'B'),
      n < 3
        ? [open, n === 1 ? 'continue' : 'warn']
        : errors('3 iterations in a row failed and changed nothing: the agent exited with code 1: boom'),
    ]),
  ]),
  several(
    'crash-log',
    'a crash that writes a log each time is no work: it ends after twice as many',
    ['A', 'B', 'C', 'D', 'E', 'F'].map((tree, i) => [
      failing('crash', 'the agent exited with code 1: boom', tree),
      i < 5
        ? [open, 'continue']
        : ['aborted/errors', 'agent-fails', { reason: /^6 iterations in a row failed the same way: / }],
    ]),
  ),
]
