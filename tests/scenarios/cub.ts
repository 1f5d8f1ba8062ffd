import type { ConfigPatch } from '../../src/core/config.ts'
import type { Row } from './row.ts'

const complete = 'EXIT_STATUS: COMPLETE\nEXIT_REASON: it all works\nREMAINING_WORK: none\n'
const finished = 'All tasks are completed, ready for review.\n'
/** The original counts all four kinds of evidence. Its configuration turns two of them off. */
const four: ConfigPatch = { cub: { evidence: { tests: true, build: true, criteria: true, cleanGit: true } } }
const nothing = { tests: false, criteria: false, build: false, git: 'modified' }
const open = 'continue'
const blocked = [open, 'warn'] as const
const byWords = 'completed/threshold'

const one = (id: string, name: string, turn: Row['turns'][number], more: Partial<Row> = {}): Row => ({
  id,
  name,
  preset: 'cub',
  config: four,
  turns: [turn],
  ...more,
})

/** The exit gate of cub: indicators and EXIT_STATUS. */
export const cub: readonly Row[] = [
  one('cub-1', 'two phrases without a signal', [
    { says: finished, evidence: nothing },
    [...blocked, { measures: { textIndicators: 2, evidenceIndicators: 0, indicators: 2 }, claim: 'unknown' }],
  ]),
  one('cub-2', 'a signal without any indicator', [
    { says: complete, evidence: nothing },
    [...blocked, { measures: { indicators: 0 }, claim: 'yes', proof: 'no' }],
  ]),
  one('cub-3', 'one phrase and the signal', [
    { says: `Ready for review\n${complete}`, evidence: nothing },
    [...blocked, { measures: { indicators: 1 }, missing: ['1 completion indicators of 2 needed'] }],
  ]),
  one(
    'cub-4',
    'evidence alone does not complete',
    [
      { says: complete, evidence: { ...nothing, tests: true, criteria: true } },
      [
        ...blocked,
        { measures: { evidenceIndicators: 2, indicators: 2 }, missing: [/0 of the indicators are phrases/] },
      ],
    ],
    { note: 'the original ends here although the agent wrote no word of completion; minTextIndicators 0 is its sum' },
  ),
  one(
    'cub-4',
    'the plain sum of the original, by configuration',
    [
      { says: complete, evidence: { ...nothing, tests: true, criteria: true } },
      ['completed/verified', 'gate', { measures: { indicators: 2 }, missing: [] }],
    ],
    { config: { cub: { ...four.cub, minTextIndicators: 0 } } },
  ),
  one(
    'cub-5',
    'an unchanged tree with passing tests does not complete',
    [
      { says: complete, evidence: { ...nothing, tests: true, git: 'clean' } },
      [...blocked, { measures: { evidenceIndicators: 2, textIndicators: 0 }, proof: 'no' }],
    ],
    { note: 'the original ends here although nothing was done' },
  ),
  one('cub-6', 'CONTINUE wins against six indicators', [
    {
      says: `${finished}EXIT_STATUS: CONTINUE\n`,
      evidence: { tests: true, criteria: true, build: true, git: 'clean' },
    },
    [...blocked, { measures: { textIndicators: 2, evidenceIndicators: 4, indicators: 6 }, claim: 'no', proof: 'yes' }],
  ]),
  one('cub-7', 'a lower-case status does not match', [
    { says: `${finished}EXIT_STATUS: complete\n`, evidence: nothing },
    [...blocked, { measures: { indicators: 2 }, claim: 'no', missing: [/EXIT_STATUS as "complete"/] }],
  ]),
  one('cub-8', 'no space after the colon', [
    { says: `${finished}EXIT_STATUS:COMPLETE\n`, evidence: nothing },
    [byWords, 'indicators', { measures: { indicators: 2 }, claim: 'yes', missing: ['tests: Given as no.'] }],
  ]),
  one(
    'cub-9',
    'the status twice: the last one counts',
    [
      { says: `EXIT_STATUS: COMPLETE\nmore\nEXIT_STATUS: COMPLETE\n${finished}`, evidence: nothing },
      [byWords, 'indicators', { claim: 'yes' }],
    ],
    { note: 'the original compares both matches joined by a line break, and refuses' },
  ),
  one(
    'cub-10',
    'CONTINUE, then COMPLETE: the last one counts and the conflict is reported',
    [
      { says: `EXIT_STATUS: CONTINUE\nEXIT_STATUS: COMPLETE\n${finished}`, evidence: nothing },
      [byWords, 'indicators', { claim: 'yes', signals: { vetoes: [] } }],
    ],
    { note: 'as for two equal ones' },
  ),
  one('cub-10', 'COMPLETE, then CONTINUE: the last one counts here too', [
    { says: `${finished}EXIT_STATUS: COMPLETE\nEXIT_STATUS: CONTINUE\n`, evidence: nothing },
    [...blocked, { claim: 'no', warnings: [/contradict/] }],
  ]),
  one(
    'cub-11',
    'bold marks around the status',
    [{ says: `${finished}**EXIT_STATUS:** COMPLETE\n`, evidence: nothing }, [byWords, 'indicators', { claim: 'yes' }]],
    { note: 'the original cannot skip the asterisks' },
  ),
  one(
    'cub-12',
    'negated phrases do not count',
    [
      {
        says: 'Not all tasks are completed and it is not ready for review\nEXIT_STATUS: COMPLETE\n',
        evidence: nothing,
      },
      [...blocked, { measures: { textIndicators: 0, indicators: 0 }, claim: 'yes' }],
    ],
    { note: 'the original counts 2 and ends' },
  ),
  one('cub-13', 'phrases in capitals', [
    { says: `ALL TASKS COMPLETED. READY FOR REVIEW\n${complete}`, evidence: nothing },
    [byWords, 'indicators', { measures: { textIndicators: 2 } }],
  ]),
  one('cub-14', 'a phrase said twice counts once', [
    { says: `ready for review\nready for review\n${complete}`, evidence: nothing },
    [...blocked, { measures: { indicators: 1 } }],
  ]),
  one(
    'cub-15',
    'remaining work is a veto',
    [
      { says: `${finished}EXIT_STATUS: COMPLETE\nREMAINING_WORK: half the API\n`, evidence: nothing },
      [open, 'continue', { measures: { indicators: 2 }, claim: 'yes', missing: [/REMAINING_WORK: half the API/] }],
    ],
    { note: 'the original never reads REMAINING_WORK' },
  ),
  one('cub-16', 'the override is off unless the user allows it', [
    { says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: HIGH\nEXIT_OVERRIDE: true\n', evidence: nothing },
    [...blocked, { measures: { indicators: 0 } }],
  ]),
  one(
    'cub-16',
    'an allowed override never passes failing tests',
    [
      { says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: HIGH\nEXIT_OVERRIDE: true\n', evidence: nothing },
      [...blocked, { measures: { indicators: 0 } }],
    ],
    { config: { ...four, agentOverride: true } },
  ),
  one(
    'cub-17',
    'an untracked file is an uncommitted change',
    [
      { says: `Ready for review\n${complete}`, evidence: { ...nothing, git: 'untracked' } },
      [...blocked, { measures: { evidenceIndicators: 0, indicators: 1 } }],
    ],
    { note: 'git diff --quiet, which the original asks, does not see untracked files' },
  ),
  one(
    'cub-18',
    'a threshold of zero still needs one indicator',
    [{ says: complete, evidence: nothing }, [...blocked, { missing: [/0 completion indicators of 1 needed/] }]],
    { config: { cub: { ...four.cub, threshold: 0 } }, note: 'the original ends on the bare signal' },
  ),
  one(
    'cub-19',
    'an allowed override skips the threshold',
    [
      { says: 'EXIT_STATUS: COMPLETE\nEXIT_CONFIDENCE: HIGH\nEXIT_OVERRIDE: true\nEXIT_REASON: verified\n' },
      [byWords, 'agent-override', { measures: { indicators: 0 }, missing: [/0 completion indicators of 2/] }],
    ],
    { config: { agentOverride: true } },
  ),
  one(
    'cub-20',
    'an override without the signal has no effect',
    [
      {
        says: `${finished}No remaining work. EXIT_OVERRIDE asked.\nEXIT_STATUS: CONTINUE\nEXIT_OVERRIDE: true\n`,
        evidence: { tests: true, criteria: true },
      },
      [...blocked, { measures: { indicators: 5 }, claim: 'no' }],
    ],
    { config: { agentOverride: true } },
  ),
  one(
    'cub-21',
    'by default only tests and criteria are evidence',
    [
      { says: complete, evidence: { tests: false, criteria: true, build: true, git: 'clean' } },
      [...blocked, { measures: { evidenceIndicators: 1, indicators: 1 } }],
    ],
    { config: {} },
  ),
  one('cub-22', 'no signal required', [{ says: finished }, [byWords, 'indicators', { measures: { indicators: 2 } }]], {
    config: { cub: { requireExplicitSignal: false } },
  }),
  one(
    'cub-22',
    'no signal required, but CONTINUE wins',
    [{ says: `${finished}EXIT_STATUS: CONTINUE\n` }, [open, 'continue', { missing: [/EXIT_STATUS: CONTINUE/] }]],
    { config: { cub: { requireExplicitSignal: false } } },
  ),
  one(
    'cub-23',
    'turned off: the promise tag alone decides',
    [{ says: 'All good.\n<promise>COMPLETE</promise>\n' }, [byWords, 'indicators']],
    {
      config: { cub: { enabled: false } },
    },
  ),
  one(
    'cub-23',
    'turned off: EXIT_STATUS alone does not decide',
    [{ says: `${finished}${complete}` }, [open, 'warn', { claim: 'unknown' }]],
    { config: { cub: { enabled: false } } },
  ),
  {
    id: 'cub-24',
    name: 'three blocked gates trip the breaker',
    preset: 'cub',
    turns: [
      [{ says: 'working' }, [open, 'continue', { breaker: { gateBlocked: 1, state: 'closed' } }]],
      [{ says: 'working' }, [open, 'continue', { breaker: { gateBlocked: 2, state: 'closed' } }]],
      [
        { says: 'working' },
        [
          'stuck/breaker',
          'breaker-open',
          {
            breaker: { gateBlocked: 3, state: 'open', reason: 'Exit gate not passing' },
            reason: 'Circuit breaker is OPEN: Exit gate not passing',
            moves: 'closed>open',
          },
        ],
      ],
    ],
  },
  one('cub-25', 'three indicators and the signal: what the log line says', [
    { says: `${finished}${complete}`, evidence: { ...nothing, tests: true } },
    ['completed/verified', 'gate', { measures: { indicators: 3 }, claim: 'yes', missing: [] }],
  ]),
  one('cub-26', 'within the time limit, the timeout breaker stays closed', [
    { says: 'working', spent: { ms: 50 } },
    [open, 'continue', { breaker: { state: 'closed' } }],
  ]),
  one('cub-27', 'the whole iteration took too long', [
    { says: 'working', stalled: { kind: 'overall', minutes: 0.002 } },
    [
      'stuck/breaker',
      'breaker-open',
      {
        reason: /Circuit breaker tripped: No activity for 1 minutes\. The harness appears to be hung or unresponsive\./,
      },
    ],
  ]),
  one('cub-28', 'the agent went silent', [
    { says: 'working', stalled: { kind: 'activity', minutes: 15 } },
    [
      'stuck/breaker',
      'breaker-open',
      { reason: /Circuit breaker tripped: No streaming activity for 15 minutes\. A subprocess may be stuck\./ },
    ],
  ]),
]
