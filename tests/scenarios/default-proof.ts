import { done, green, one, open, verified } from './default.ts'
import { type Expected, type Given, type Row, ticks } from './row.ts'

/** With a claim, the evidence decides. */
const given = (id: string, name: string, evidence: Given, expected: Expected, more: Partial<Row> = {}): Row =>
  one(id, name, { says: done, evidence }, expected, more)
const refused = (proof: 'no' | 'unknown', ...missing: (string | RegExp)[]): Expected => [
  open,
  'warn',
  missing.length === 0 ? { proof } : { proof, missing },
]
/** With passing tests, the agent's words decide. */
const spoken = (id: string, name: string, says: string, expected: Expected, more: Partial<Row> = {}): Row =>
  one(id, name, { says, evidence: green }, expected, more)

/** What completes a run in the default preset, and what does not. */
export const defaultProof: readonly Row[] = [
  given('no-evidence', 'nothing was gathered', {}, refused('unknown', 'tests: not checked')),
  given('unknown-tests', 'tests that could not be read', { tests: 'unknown' }, refused('unknown')),
  given(
    'zero-tests',
    'zero tests prove nothing',
    { tests: { answer: 'yes', total: 0, passed: 0, failed: 0 } },
    refused('unknown'),
  ),
  given(
    'all-skipped',
    'nothing but skipped tests proves nothing',
    { tests: { answer: 'yes', total: 5, passed: 0, failed: 0, skipped: 5 } },
    refused('unknown'),
  ),
  given(
    'contradiction',
    'a yes that contradicts its own counts',
    { tests: { answer: 'yes', total: 5, passed: 4, failed: 1 } },
    refused('no'),
  ),
  given('excused', 'a failure that is excused', { tests: { total: 5, passed: 4, failed: 1, excused: 1 } }, verified),
  given('some-skipped', 'some skipped tests', { tests: { total: 5, passed: 4, failed: 0, skipped: 1 } }, verified),
  given('bare-yes', 'a plain yes of another harness', { tests: true }, verified),
  given(
    'flaky',
    'different results on the same tree',
    { tests: { answer: 'unknown', total: 5, passed: 5, failed: 0 } },
    refused('unknown'),
  ),
  given('build-fails', 'whatever else was gathered has to agree', { ...green, build: false }, refused('no', /^build/)),
  given('build-unknown', 'also where it cannot answer', { ...green, build: 'unknown' }, refused('unknown', /^build/)),
  given('all-good', 'tests, build, lint and types', { ...green, build: true, lint: true, typecheck: true }, verified),
  given(
    'informs',
    'uncommitted changes and an unfinished task file are only information',
    { ...green, clean: false, 'task-done': false },
    verified,
  ),
  given('command', 'a command of the user that fails', { ...green, commands: { docs: false } }, refused('no', /docs/)),
  given(
    'review',
    'a review that found a blocking issue',
    { ...green, review: { approved: true, blocking: 1 } },
    refused('no'),
  ),
  given(
    'tampering',
    'tests were weakened',
    { ...green, tampering: { answer: 'no', detail: 'a.test.ts:7 was skipped' } },
    refused('no', /a\.test\.ts:7/),
  ),
  given(
    'tampering-unknown',
    'unknown whether tests were weakened',
    { ...green, tampering: 'unknown' },
    refused('unknown', /^tests intact/),
  ),
  given('unproven', 'work that nothing proves', { ...green, proven: false }, refused('no', /^not proven/)),
  given(
    'special-cased',
    'source that answers only the tests',
    { ...green, 'special-cased': false },
    refused('no', /^tests special-cased/),
  ),
  given(
    'mutation',
    'a changed function that no test checks, and the check is required',
    { ...green, mutation: false },
    refused('no', /^changed functions not tested/),
    { config: { required: ['tests', 'mutation'] } },
  ),
  given(
    'mutation-unknown',
    'mutants that could not run, and the check is not required',
    { ...green, mutation: 'unknown' },
    verified,
  ),
  given(
    'unchanged',
    'a run that changed nothing has proven nothing',
    { tests: true, changed: false },
    refused('no', /changed/),
  ),
  given('unchanged-allowed', 'unless that is wanted', { tests: true, changed: false }, verified, {
    config: { requireChange: false },
  }),
  given(
    'unknown-change',
    'nobody knows whether anything changed',
    { tests: true, git: 'no-repo' },
    refused('unknown', /^files changed: /),
  ),
  given('unknown-change-allowed', 'unless no change is needed', { tests: true, git: 'no-repo' }, verified, {
    config: { requireChange: false },
  }),
  given(
    'nothing-required',
    'nothing required and nothing gathered is not proof',
    {},
    refused('unknown', /no check ran/),
    { config: { required: [] } },
  ),
  given('other-required', 'another check required', { build: true }, verified, { config: { required: ['build'] } }),
  given(
    'both-required',
    'tests and build required, no build',
    { tests: true },
    refused('unknown', /^no build command found/),
    {
      config: { required: ['tests', 'build'] },
    },
  ),
  one(
    'plan',
    'a plan with one open item',
    { says: done, evidence: green, plan: ticks(2, 1) },
    refused('no', /1 item open/),
    { config: { plan: 'PLAN.md' } },
  ),
  one(
    'plan-done',
    'a fully ticked plan',
    { says: done, evidence: green, plan: ticks(3, 0) },
    [...verified, { measures: { 'checklist.done': 3 } }],
    { config: { plan: 'PLAN.md' } },
  ),
  one('plan-missing', 'a missing plan', { says: done, evidence: green }, refused('unknown', /^no plan found/), {
    config: { plan: 'PLAN.md' },
  }),
  one('plan-empty', 'a plan without items', { says: done, evidence: green, plan: '# Plan\n' }, refused('unknown'), {
    config: { plan: 'PLAN.md' },
  }),

  spoken('promise', 'the promise tag is a claim', 'Done.\n\n<promise>COMPLETE</promise>\n', verified),
  spoken('own-promise', 'the words of the promise may be chosen', '<promise>SHIP IT</promise>\n', verified, {
    config: { promise: 'SHIP IT' },
  }),
  spoken('other-promise', 'other words promise nothing', '<promise>SOON</promise>\n', [
    open,
    'warn',
    { claim: 'unknown' },
  ]),
  spoken('exit-signal', 'a line with EXIT_SIGNAL', 'All in.\n\nEXIT_SIGNAL: true\n', verified),
  spoken(
    'ralph-block',
    'a block of another dialect',
    '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n',
    verified,
  ),
  spoken(
    'fenced',
    'a fenced block at the end',
    'Here you are:\n\n```\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n```\n',
    verified,
  ),
  spoken(
    'explained',
    'a fenced block that is explained',
    '```\nEXIT_STATUS: COMPLETE\n```\nThat is what I print when I am finished. I am not.\n',
    [open, 'warn', { claim: 'unknown' }],
  ),
  spoken('quoted', 'a quoted block', '> EXIT_STATUS: COMPLETE\n', [open, 'warn', { claim: 'unknown' }]),
  spoken('template', 'a template', 'EXIT_STATUS: {COMPLETE|CONTINUE}\n', [open, 'warn', { claim: 'unknown' }]),
  spoken(
    'words',
    'completion words complete nothing',
    'All tasks are completed. Implementation finished. Ready for review.\n',
    [open, 'warn', { claim: 'unknown' }],
  ),
  spoken('lower-case', 'small letters', 'exit_status: complete\nEXIT_STATUS: complete\n', verified),
  spoken('strange-value', 'an unknown value claims nothing', 'EXIT_STATUS: ALMOST\n', [
    open,
    'warn',
    { claim: 'unknown', warnings: [/ALMOST/] },
  ]),
  spoken('continue', 'CONTINUE', 'EXIT_STATUS: CONTINUE\n', [
    open,
    'warn',
    { claim: 'no', missing: [/EXIT_STATUS: CONTINUE/] },
  ]),
  spoken('remaining', 'work is left', 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: two tests\n', [
    open,
    'continue',
    { claim: 'yes', missing: [/two tests/] },
  ]),
  spoken('two-dialects', 'another dialect says no', 'EXIT_SIGNAL: false\n\n<promise>COMPLETE</promise>\n', [
    open,
    'warn',
    { missing: [/EXIT_SIGNAL: false/] },
  ]),
  spoken(
    'taken-back',
    'the same dialect withdraws its no',
    'EXIT_STATUS: CONTINUE\n\nNow it works.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n',
    verified,
  ),
  one('echo', 'the prompt is echoed', { says: done, prompt: `Print this when finished:\n${done}`, evidence: green }, [
    open,
    'warn',
    { claim: 'unknown' },
  ]),
  one(
    'tool',
    'the tool claims completion',
    { stream: { toolSignals: [{ status: 'complete' }] }, evidence: green },
    verified,
  ),
  one(
    'tool-no',
    'the tool says no, the text says yes',
    { says: done, stream: { toolSignals: [{ status: 'continue' }] }, evidence: green },
    [open, 'warn', { missing: [/the agent reports STATUS: continue/], warnings: [/contradict/] }],
  ),
]
