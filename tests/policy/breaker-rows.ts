import { fails, hits, inPhase, MINUTE, no, opened, type Row, START, still, unknown, yes } from './breaker-events.ts'

/** The breakers of the older tools, case by case. */
export const rows: readonly Row[] = [
  ['prp-24', 'RED opens at the third', 'prp', still(3, 'RED', 3)],
  ['prp-25', 'GREEN opens at the second, and both steps are written down', 'prp', still(2, 'GREEN', 2)],
  ['prp-26', 'REFACTOR opens at the fifth', 'prp', still(5, 'REFACTOR', 5)],
  [
    'prp-27',
    'DOCUMENT recovers from half-open',
    'prp',
    [
      [inPhase('DOCUMENT', { progress: 'no' }), ['closed', { noProgress: 1 }]],
      [inPhase('DOCUMENT', { progress: 'no' }), ['half-open', { noProgress: 2 }, 'closed>half-open']],
      [inPhase('DOCUMENT', { progress: 'yes' }), ['closed', { noProgress: 0 }, 'half-open>closed']],
      [inPhase('DOCUMENT', { progress: 'no' }), ['closed', { noProgress: 1 }]],
    ],
  ],
  ['prp-28', 'QA opens at the third', 'prp', still(3, 'QA', 3)],
  [
    'prp-29',
    'GREEN: the same error three times opens in spite of progress, and the time is noted',
    'prp',
    [
      [{ ...hits('E1'), phase: 'GREEN' }, ['closed', { sameError: 1 }]],
      [{ ...hits('E1'), phase: 'GREEN' }, ['closed', { sameError: 2 }]],
      [
        { ...hits('E1'), phase: 'GREEN' },
        [
          'open',
          { sameError: 3, noProgress: 0, reason: 'Same error repeated 3 times', openedAt: START },
          'closed>open',
        ],
      ],
    ],
  ],
  [
    'prp-30',
    'RED: another error begins at one',
    'prp',
    ['E1', 'E2', 'E1'].map((error) => [inPhase('RED', { progress: 'yes', error }), ['closed', { sameError: 1 }]]),
  ],
  [
    'prp-31',
    'RED: the same error opens at the fifth',
    'prp',
    [1, 2, 3, 4, 5].map((n) => [
      inPhase('RED', { progress: 'yes', error: 'E' }),
      [n === 5 ? 'open' : 'closed', { sameError: n }],
    ]),
  ],
  ['prp-phase', 'a phase nobody knows has the thresholds of all', 'prp', still(3, 'OTHER', 3)],
  [
    'prp-manual',
    'an open breaker of prp waits for a person, not for the clock',
    'prp',
    [
      [{ wait: 100_000 }, ['open', { noProgress: 3 }]],
      [yes, ['open', { noProgress: 0 }]],
      ['reset', ['closed', { noProgress: 0, opens: 1 }]],
    ],
    { from: opened },
  ],
  [
    'doyaken-32',
    'progress closes a half-open breaker',
    'doyaken',
    [
      [no, ['closed', { noProgress: 1, sameError: 0 }]],
      [no, ['half-open', { noProgress: 2 }, 'closed>half-open']],
      [yes, ['closed', { noProgress: 0, sameError: 0 }, 'half-open>closed']],
      [{ wait: 1 }, ['closed', { noProgress: 0 }]],
    ],
  ],
  [
    'doyaken-33',
    'the cooldown lets one try through; another without progress opens at once',
    'doyaken',
    [
      [no, ['closed', { noProgress: 1 }]],
      [no, ['half-open', { noProgress: 2 }, 'closed>half-open']],
      [no, ['open', { noProgress: 3, opens: 1 }, 'half-open>open']],
      [{ wait: 4 }, ['open', { noProgress: 3 }]],
      [{ wait: 1 }, ['half-open', { noProgress: 3 }, 'open>half-open']],
      [no, ['open', { noProgress: 4, opens: 2, openedAt: START + 5 * MINUTE }, 'half-open>open']],
      [{ wait: 1 }, ['open', { noProgress: 4 }]],
    ],
  ],
  [
    'doyaken-34',
    'failures with one error: no progress opens first, and the counts go on',
    'doyaken',
    [1, 2, 3, 4, 5].map((n) => [
      fails('E'),
      [n >= 3 ? 'open' : n === 2 ? 'half-open' : 'closed', { noProgress: n, sameError: n }],
    ]),
  ],
  [
    'doyaken-35',
    'a failure whose output shrank counts once',
    'doyaken',
    [
      [fails('a', 1000), ['closed', { noProgress: 1, sameError: 1 }]],
      [fails('b', 1000), ['half-open', { noProgress: 2, sameError: 1 }]],
      [fails('c', 10), ['open', { noProgress: 3, sameError: 1 }]],
    ],
  ],
  [
    'doyaken-decline',
    'an output below 70 % of the earlier ones counts where nothing else tells',
    'doyaken',
    [
      [{ progress: 'unknown', size: 1000 }, ['closed', { noProgress: 0, sizes: [1000] }]],
      [{ progress: 'unknown', size: 700 }, ['closed', { noProgress: 0 }]],
      [{ progress: 'unknown', size: 590 }, ['closed', { noProgress: 1 }]],
      [{ progress: 'yes', size: 1 }, ['closed', { noProgress: 0 }]],
    ],
  ],
  [
    'default-decline',
    'without that setting the size of the output means nothing',
    'default',
    [
      [{ progress: 'unknown', size: 1000 }, ['closed', { noProgress: 0 }]],
      [{ progress: 'unknown', size: 1 }, ['closed', { noProgress: 0 }]],
    ],
  ],
  [
    'doyaken-off',
    'switched off, it counts nothing',
    'doyaken',
    [
      [no, ['closed', { noProgress: 0 }]],
      [fails('E'), ['closed', { noProgress: 0, failures: 0 }]],
    ],
    { config: { breaker: { enabled: false } } },
  ],
  [
    'cub-24',
    'the gate blocked three times',
    'cub',
    [
      [unknown, ['closed', { gateBlocked: 1 }]],
      [unknown, ['closed', { gateBlocked: 2 }]],
      [unknown, ['open', { gateBlocked: 3, reason: 'Exit gate not passing' }, 'closed>open']],
    ],
  ],
  [
    'cub-open-gate',
    'an open gate begins the count again',
    'cub',
    [
      [unknown, ['closed', { gateBlocked: 1 }]],
      [{ progress: 'unknown', gateOpen: true }, ['closed', { gateBlocked: 0 }]],
    ],
  ],
  [
    'cub-no-limit',
    'no progress alone never opens it',
    'cub',
    [[{ ...no, gateOpen: true }, ['closed', { noProgress: 1 }]]],
  ],
  [
    'cub-27 cub-28',
    'a timeout opens at once',
    'cub',
    [
      [
        { stalled: { kind: 'overall', minutes: 30 } },
        ['open', { reason: /No activity for 30 minutes/ as never }, 'closed>open'],
      ],
    ],
  ],
  [
    'gsd-26',
    'five failures without a success',
    'gsd',
    [1, 2, 3, 4, 5].map((n) => [fails(), [n === 5 ? 'open' : n >= 2 ? 'half-open' : 'closed', { failures: n }]]),
  ],
  [
    'gsd-success',
    'a success begins the count of failures again',
    'gsd',
    [
      [fails(), ['closed', { failures: 1 }]],
      [yes, ['closed', { failures: 0 }]],
      [fails(), ['closed', { failures: 1 }]],
    ],
  ],
  [
    'blackbox-cap',
    'twenty loops are enough even with progress',
    'blackbox',
    Array.from({ length: 20 }, (_, i) => [yes, [i === 19 ? 'open' : 'closed', { loops: i + 1 }]]),
  ],
  [
    'blackbox-ten',
    'ten loops without progress',
    'blackbox',
    Array.from({ length: 10 }, (_, i) => [
      no,
      [i === 9 ? 'open' : i >= 1 ? 'half-open' : 'closed', { noProgress: i + 1 }],
    ]),
  ],
]
