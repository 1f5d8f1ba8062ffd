import { type Expected, type Row, type Turn, ticks } from './row.ts'

const sure = 'I am confident this is correct. Task 1 done.\n'
const third = ticks(1, 2)
const open = 'continue'
const unsure = ['aborted/low-confidence', 'low-confidence'] as const

const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row => ({
  id,
  name,
  preset: 'blackbox',
  turns: [[turn, expected]],
  ...more,
})
const says = (id: string, name: string, text: string, expected: Expected, more: Partial<Row> = {}): Row =>
  one(id, name, { says: text, plan: third }, expected, more)
const loops = (
  id: string,
  name: string,
  plans: readonly string[],
  expected: readonly Expected[],
  more: Partial<Row> = {},
): Row => ({
  id,
  name,
  preset: 'blackbox',
  turns: plans.map((plan, i) => [{ says: sure, plan }, expected[i]!]),
  ...more,
})
const still = (n: number): Expected => [open, 'continue', { streaks: { stagnation: n } }]
const stopped = (n: number): Expected => [
  'stuck/stagnation',
  'stagnation',
  { reason: `No progress for ${n} consecutive loops`, streaks: { stagnation: n } },
]

/** The seven rules of blackbox about plan, wording and breaker. */
export const blackbox: readonly Row[] = [
  says('blackbox-1', 'hedged words stop for a review', "I think this might work, but I'm not sure.\n", [
    ...unsure,
    {
      reason: 'AI confidence 30% < threshold 70%',
      measures: { completion: 33, confidence: 30, errors: 0, length: 43 },
    },
  ]),
  says('blackbox-2', 'sure of it, one of three', sure, [
    open,
    'continue',
    {
      reason: 'Progress detected: 1/3 tasks done',
      measures: { completion: 33, confidence: 100, errors: 0, length: 45 },
      streaks: { stagnation: 0 },
    },
  ]),
  says('blackbox-3', 'neutral words are not sure enough', 'Implemented the parser and ran it.\n', [
    ...unsure,
    { reason: 'AI confidence 50% < threshold 70%', measures: { confidence: 50, length: 35 } },
  ]),
  says(
    'blackbox-4',
    'probably is the documented 60',
    'This is probably fine.\n',
    [...unsure, { measures: { confidence: 60 } }],
    { note: 'the original adds its two ways of reading and gets 100' },
  ),
  says('blackbox-5', 'sure, with a hedge', 'I am confident it could be right.\n', [
    open,
    'continue',
    { measures: { confidence: 100 } },
  ]),
  says(
    'blackbox-6',
    'a hedge about something else does not reduce confidence',
    'Certainly done.\nOne might refactor later.\n',
    [open, 'continue', { measures: { confidence: 100 } }],
    { note: 'in the original the word "might" anywhere cancels what was said outright' },
  ),
  says('blackbox-7', 'two words of certainty: exactly 70 goes on', 'It is definitely guaranteed.\n', [
    open,
    'continue',
    { measures: { confidence: 70 } },
  ]),
  says('blackbox-8', 'six hedges: not below zero', 'maybe might could approximately roughly basically\n', [
    ...unsure,
    { measures: { confidence: 0 } },
  ]),
  says('blackbox-9', 'one word of trouble twenty times counts once', `I am confident. ${'error '.repeat(20)}\n`, [
    open,
    'continue',
    { measures: { errors: 1, confidence: 100 } },
  ]),
  says(
    'blackbox-10',
    'no errors are no errors',
    'I am confident there are no errors.\n',
    [open, 'continue', { measures: { errors: 0 } }],
    { note: 'the original counts the word' },
  ),
  one('blackbox-11', '79 of 100 is below 80', { says: sure, plan: ticks(79, 21) }, [
    open,
    'continue',
    { reason: 'Progress detected: 79/100 tasks done', measures: { completion: 79 } },
  ]),
  one(
    'blackbox-12',
    'a capital X is a tick',
    { says: sure, plan: '- [X] a\n- [ ] b\n' },
    [open, 'continue', { measures: { completion: 50 }, reason: 'Progress detected: 1/2 tasks done' }],
    { note: 'the original takes it for an open task' },
  ),
  one(
    'blackbox-13',
    'a plan without tasks is unknown',
    { says: sure, plan: '# nothing\n' },
    [open, 'continue', { unmeasured: ['completion'], proof: 'unknown', reason: 'Checking progress...' }],
    { note: 'the original says 0 % and gives no reason' },
  ),
  one('blackbox-14', 'no output at all: continue, there was no doubt', { plan: third }, [
    open,
    'continue',
    { measures: { completion: 33 }, unmeasured: ['confidence'] },
  ]),
  loops('blackbox-15', 'nothing ever ticked', Array(4).fill(ticks(0, 3)), [still(0), still(1), still(2), stopped(3)], {
    note: 'the original never fires: it compares a count with a percentage',
  }),
  loops('blackbox-16', 'one tick and no more', Array(4).fill(third), [still(0), still(1), still(2), stopped(3)], {
    note: 'the same defect',
  }),
  loops('blackbox-17', 'one loop is enough when so configured', Array(2).fill(ticks(50, 50)), [still(0), stopped(1)], {
    config: { blackbox: { stagnationLoops: 1 } },
    note: 'the only case in which the original fires',
  }),
  one(
    'blackbox-18 blackbox-19',
    'an open breaker takes precedence over everything',
    {
      says: sure,
      plan: ticks(5, 0),
      given: { breaker: { state: 'open', reason: 'Stagnation: 10 loops without progress' } },
    },
    [
      'stuck/breaker',
      'breaker-was-open',
      { reason: 'Circuit breaker is OPEN: Stagnation: 10 loops without progress', measures: { completion: 100 } },
    ],
    { note: 'the stored code of the original cannot see the state of its breaker' },
  ),
  one(
    'blackbox-20',
    'a closed breaker changes nothing',
    { says: sure, plan: third, given: { breaker: { state: 'closed' } } },
    [open, 'continue'],
  ),
  one(
    'blackbox-21',
    "the user's thresholds",
    { says: sure, plan: ticks(1, 1) },
    [
      'completed/threshold',
      'completion-threshold',
      { reason: 'Task completion 50% >= threshold 50%', missing: [/50%, 100% needed/, /1 item open/] },
    ],
    { config: { blackbox: { minConfidence: 80, minCompletion: 50, stagnationLoops: 2 } } },
  ),
  one(
    'blackbox-22',
    'a threshold left out keeps its default',
    { says: sure, plan: ticks(0, 3) },
    [open, 'continue', { measures: { completion: 0 } }],
    { config: { blackbox: { minConfidence: 80 } }, note: 'the original reads a missing threshold as 0 and ends' },
  ),
  says(
    'blackbox-23',
    'an override per project applies',
    'It is definitely guaranteed.\n',
    [...unsure, { reason: 'AI confidence 70% < threshold 80%' }],
    { config: { blackbox: { minConfidence: 80 } }, note: 'the original documents the file and never reads it' },
  ),
  one(
    'blackbox-28',
    'two of four are 50 %',
    { says: sure, plan: ticks(2, 2) },
    [open, 'continue', { measures: { completion: 50 } }],
    { note: 'the printed formula divides by the open tasks only' },
  ),
  one(
    'blackbox-29',
    'five of five are 100 %',
    { says: 'All tasks are now complete.\n', plan: ticks(5, 0) },
    ['completed/verified', 'completion', { reason: 'Task completion 100% >= threshold 80%', missing: [] }],
    { note: 'the printed formula divides by zero' },
  ),
  one(
    'blackbox-30',
    'six kinds of trouble are too many',
    {
      says: 'I am confident. An error, a failed step, an exception, an issue, a problem and a bug.\n',
      plan: ticks(1, 9),
    },
    ['aborted/errors', 'errors', { reason: 'Error count 6 > threshold 5', measures: { errors: 6, completion: 10 } }],
  ),
  loops('blackbox-31', 'the third loop without a new tick', Array(4).fill(third), [
    still(0),
    still(1),
    still(2),
    stopped(3),
  ]),
  loops(
    'blackbox-32',
    'a newly ticked item restarts the count',
    [1, 1, 1, 2, 2].map((n) => ticks(n, 9 - n)),
    [still(0), still(1), still(2), still(0), still(1)],
  ),
  one(
    'blackbox-33',
    'a higher threshold of the project',
    { says: sure, plan: ticks(85, 15) },
    [open, 'continue', { measures: { completion: 85 } }],
    { config: { blackbox: { minConfidence: 80, minCompletion: 90, stagnationLoops: 2 } } },
  ),
]
