import type { ConfigPatch } from '../../src/core/config.ts'
import { doyakenBlock, type Expected, type Given, type Row, type Turn } from './row.ts'

const open = 'continue'
const finished = 'All tasks complete, implementation finished\n'
const full = doyakenBlock({ complete: 'true', tests: 'pass' })
const bare = 'DOYAKEN_STATUS:\n  PHASE_COMPLETE: true\n  TESTS_STATUS: pass\n'
const clean: Given = { git: 'clean' }
const modified: Given = { git: 'modified' }
const inDone: Given = { git: 'modified', 'task-done': true }

const one = (id: string, name: string, turn: Turn, expected: Expected, more: Partial<Row> = {}): Row => ({
  id,
  name,
  preset: 'doyaken',
  turns: [[turn, expected]],
  ...more,
})
const thrice = (
  id: string,
  name: string,
  turn: Turn,
  expected: readonly Expected[],
  config: ConfigPatch = {},
): Row => ({
  id,
  name,
  preset: 'doyaken',
  config,
  turns: expected.map((each) => [turn, each]),
})

/** The score of doyaken: six signals, an indicator and the block. */
export const doyaken: readonly Row[] = [
  one(
    'doyaken-1',
    'the later revision gives nothing for the done folder: 80',
    { says: `${finished}${full}`, evidence: inDone },
    [
      'completed/threshold',
      'score',
      {
        measures: {
          score: 80,
          'score.block': 30,
          'score.phaseComplete': 20,
          'score.testsPass': 5,
          'score.changed': 15,
          'score.keywords': 10,
          'score.taskInDone': 0,
        },
        said: {
          PHASE_COMPLETE: true,
          FILES_MODIFIED: 3,
          TESTS_STATUS: 'pass',
          CONFIDENCE: 'high',
          REMAINING_WORK: 'none',
        },
        streaks: { lowConfidence: 0 },
      },
    ],
    { config: { doyaken: { weights: { taskInDone: 0 } } } },
  ),
  one('doyaken-1', 'with the done folder: 100', { says: `${finished}${full}`, evidence: inDone }, [
    'completed/threshold',
    'score',
    { measures: { score: 100 }, missing: ['no test command found. Pass --test "..." or set commands.test'] },
  ]),
  one(
    'doyaken-2',
    'a block that says false: 30',
    { says: doyakenBlock({ complete: 'false', tests: 'unknown' }), evidence: clean },
    [open, 'continue', { measures: { score: 30 }, claim: 'no', streaks: { lowConfidence: 0 } }],
    { note: 'the original counts every score below 70 as low confidence; here only claims count' },
  ),
  one('doyaken-3', 'block, complete and tests: 55', { says: bare, evidence: clean }, [
    open,
    'warn',
    { measures: { score: 55 }, claim: 'yes', missing: ['score 55 of 70 needed'] },
  ]),
  one('doyaken-4', 'words alone: 10', { says: 'All tasks complete and implementation finished\n', evidence: clean }, [
    open,
    'warn',
    { measures: { score: 10 }, claim: 'unknown' },
  ]),
  one('doyaken-5', 'a changed file: 15', { says: 'output\n', evidence: modified }, [
    open,
    'continue',
    { measures: { score: 15 } },
  ]),
  one(
    'doyaken-6',
    'an untracked file is a change: 15',
    { says: 'output\n', evidence: { git: 'untracked' } },
    [open, 'continue', { measures: { score: 15 } }],
    { note: 'the original asks git diff HEAD, which does not see untracked files' },
  ),
  one(
    'doyaken-7',
    'committed work is a change: 15',
    { says: 'output\n', evidence: { git: 'committed' } },
    [open, 'continue', { measures: { score: 15 } }],
    { note: 'the original gives nothing to agents that commit' },
  ),
  one('doyaken-8', 'no repository: 0', { says: 'output\n', evidence: { git: 'no-repo' } }, [
    open,
    'continue',
    { measures: { score: 0 } },
  ]),
  one(
    'doyaken-9',
    'a false always wins, whatever the score',
    { says: `All tests passed, task done\n${doyakenBlock({ complete: 'false', tests: 'pass' })}`, evidence: inDone },
    [open, 'continue', { measures: { score: 80 }, claim: 'no', missing: [/PHASE_COMPLETE: false/] }],
    { note: 'the original completes at 80' },
  ),
  one(
    'doyaken-10 doyaken-28',
    'seventy without a completion word is not enough',
    { says: `work ok\n${full}`, evidence: modified },
    [open, 'warn', { measures: { score: 70 }, claim: 'yes', warnings: [/no completion indicator/] }],
    { note: 'the code of the original completes at 70; its text asks for both conditions, and so do we' },
  ),
  one(
    'doyaken-10',
    'the score alone, by configuration',
    { says: `work ok\n${full}`, evidence: modified },
    ['completed/threshold', 'score', { measures: { score: 70 } }],
    { config: { doyaken: { dualCondition: false } } },
  ),
  one(
    'doyaken-11',
    'remaining work is a veto at 75',
    { says: 'tests passing\nDOYAKEN_STATUS:\n  REMAINING_WORK: lots\n', evidence: inDone },
    [open, 'warn', { measures: { score: 75 }, claim: 'unknown', missing: [/REMAINING_WORK: lots/] }],
    { note: 'the original completes without PHASE_COMPLETE' },
  ),
  {
    ...thrice('doyaken-12', 'three claims at 55 are not low confidence', { says: bare, evidence: clean }, [
      [open, 'warn', { measures: { score: 55 }, streaks: { lowConfidence: 0 } }],
      [open, 'warn', { measures: { score: 55 }, streaks: { lowConfidence: 0 } }],
      [open, 'warn', { measures: { score: 55 }, streaks: { lowConfidence: 0 } }],
    ]),
    note: 'the code of the original calls everything below 70 low, its text everything below 50',
  },
  thrice(
    'doyaken-12',
    'low below 70, by configuration: the third claim warns',
    { says: bare, evidence: clean },
    [
      [
        open,
        'warn',
        {
          streaks: { lowConfidence: 1 },
          warnings: ['the status block claims completion, but there is no completion indicator'],
        },
      ],
      [open, 'warn', { streaks: { lowConfidence: 2 } }],
      [open, 'warn', { streaks: { lowConfidence: 3 }, warnings: [/claimed completion 3 times with a low score/] }],
    ],
    { doyaken: { lowConfidenceBelow: 70 } },
  ),
  one(
    'doyaken-13',
    'CRLF line ends',
    { says: 'DOYAKEN_STATUS:\r\n  PHASE_COMPLETE: true\r\n  TESTS_STATUS: pass\r\n', evidence: clean },
    [open, 'warn', { measures: { score: 55 }, claim: 'yes' }],
    { note: 'the original compares with the carriage return in the value: 30' },
  ),
  one('doyaken-14', 'the header in bold', { says: '**DOYAKEN_STATUS:**\n  PHASE_COMPLETE: true\n', evidence: clean }, [
    open,
    'warn',
    { measures: { score: 50 }, claim: 'yes', streaks: { lowConfidence: 0 } },
  ]),
  one(
    'doyaken-15',
    'a mention in a sentence is not a block',
    { says: 'I will print DOYAKEN_STATUS: at the end\nnot indented\n', evidence: clean },
    [open, 'continue', { measures: { score: 0 }, signals: { blocks: [] } }],
    { note: 'the original gives 30 for it' },
  ),
  one(
    'doyaken-16',
    'the template is echoed: the block is detected but claims nothing',
    {
      says: [
        'DOYAKEN_STATUS:',
        '  PHASE_COMPLETE: true/false',
        '  FILES_MODIFIED: <count>',
        '  TESTS_STATUS: pass/fail/skip/unknown',
        '  CONFIDENCE: high/medium/low',
        '  REMAINING_WORK: <what is left, or "none">',
        '',
      ].join('\n'),
      evidence: clean,
    },
    [open, 'warn', { measures: { score: 30 }, claim: 'unknown' }],
  ),
  one(
    'doyaken-17',
    'fields indented by a tab',
    { says: 'DOYAKEN_STATUS:\n\tPHASE_COMPLETE: true\n', evidence: clean },
    [open, 'warn', { measures: { score: 50 }, claim: 'yes' }],
  ),
  one(
    'doyaken-18',
    'fields without indentation still belong to the header above',
    { says: 'DOYAKEN_STATUS:\nPHASE_COMPLETE: true\n', evidence: clean },
    [open, 'warn', { measures: { score: 50 }, claim: 'yes' }],
    { note: 'the original finds the block and no field' },
  ),
  one('doyaken-19', 'colons in a value', { says: 'DOYAKEN_STATUS:\n  REMAINING_WORK: fix: a: b\n', evidence: clean }, [
    open,
    'continue',
    { measures: { score: 30 }, said: { REMAINING_WORK: 'fix: a: b' }, missing: [/fix: a: b/] },
  ]),
  one(
    'doyaken-20',
    'a negated word is not a completion word',
    { says: 'this task is not done\n', evidence: clean },
    [open, 'continue', { measures: { score: 0 } }],
    { note: 'the original gives 10' },
  ),
  one('doyaken-21', 'tests that must pass have not passed', { says: 'tests must pass\n', evidence: clean }, [
    open,
    'continue',
    { measures: { score: 0 } },
  ]),
  one('doyaken-22', 'words in two lines', { says: 'all\ncomplete\n', evidence: clean }, [
    open,
    'continue',
    { measures: { score: 0 } },
  ]),
  one('doyaken-23', 'nothing printed and no repository', { evidence: { git: 'no-repo' } }, [
    open,
    'continue',
    { measures: { score: 0 }, claim: 'unknown' },
  ]),
  one('doyaken-24', 'nothing printed', { evidence: clean }, [open, 'continue', { measures: { score: 0 } }]),
  one(
    'doyaken-25',
    'another threshold',
    { says: `All tasks complete\n${bare}`, evidence: clean },
    ['completed/threshold', 'score', { measures: { score: 65 } }],
    { config: { doyaken: { threshold: 50 } } },
  ),
  one(
    'doyaken-26',
    'an iteration that claims nothing is never low confidence',
    { says: 'still working\n', evidence: clean },
    [open, 'continue', { measures: { score: 0 }, streaks: { lowConfidence: 0 } }],
    { config: { doyaken: { lowConfidenceWarn: 1 } }, note: 'the original warns here' },
  ),
  one(
    'doyaken-27',
    'an indicator without the block: warn and continue',
    { says: 'All tasks complete\n', evidence: clean },
    [open, 'warn', { claim: 'unknown', warnings: [/no status block with a claim/] }],
  ),
  one(
    'doyaken-29',
    'an interrupt takes precedence over everything',
    {
      says: `${finished}${full}`,
      evidence: modified,
      interrupted: true,
      given: { breaker: { state: 'open', reason: 'no progress' } },
    },
    ['interrupted/interrupt', 'interrupted'],
  ),
  one(
    'doyaken-30',
    'an open breaker comes before the score',
    { says: `${finished}${full}`, evidence: inDone, given: { breaker: { state: 'open', reason: 'no progress' } } },
    ['stuck/breaker', 'breaker-was-open', { measures: { score: 100 }, reason: 'Circuit breaker is OPEN: no progress' }],
  ),
  thrice(
    'doyaken-31',
    'claims between 50 and 69 neither complete nor count as low',
    { says: `All tasks complete\n${full}`, evidence: clean },
    [
      [open, 'continue', { measures: { score: 65 }, streaks: { lowConfidence: 0 } }],
      [open, 'continue', { measures: { score: 65 }, streaks: { lowConfidence: 0 } }],
      [open, 'continue', { measures: { score: 65 }, streaks: { lowConfidence: 0 } }],
    ],
  ),
  thrice(
    'doyaken-more-words',
    'completion words are a claim too: the third with a low score warns',
    { says: 'All tasks complete\n', evidence: clean },
    [
      [open, 'warn', { measures: { score: 10 }, streaks: { lowConfidence: 1 } }],
      [open, 'warn', { streaks: { lowConfidence: 2 } }],
      [open, 'warn', { streaks: { lowConfidence: 3 }, warnings: [/claimed completion 3 times with a low score/] }],
    ],
  ),
  thrice(
    'doyaken-more-endless',
    'repeated claims without changes open the breaker, three after the warning',
    { says: `All tasks complete\n${full}`, evidence: clean },
    [
      [open, 'continue', { breaker: { noProgress: 0 } }],
      [open, 'continue', { breaker: { noProgress: 0 } }],
      [open, 'continue', { breaker: { noProgress: 0 } }],
      [open, 'continue', { breaker: { noProgress: 1 } }],
      [open, 'warn', { breaker: { noProgress: 2, state: 'half-open' } }],
      ['stuck/breaker', 'breaker-open', { breaker: { noProgress: 3, state: 'open' } }],
    ],
  ),
  thrice(
    'doyaken-33',
    'three iterations that change nothing and claim nothing',
    { says: 'looking around', evidence: clean },
    [
      [open, 'continue', { breaker: { state: 'closed', noProgress: 1 } }],
      [open, 'warn', { breaker: { state: 'half-open', noProgress: 2 }, moves: 'closed>half-open' }],
      ['stuck/breaker', 'breaker-open', { breaker: { state: 'open', noProgress: 3 }, moves: 'half-open>open' }],
    ],
  ),
]
