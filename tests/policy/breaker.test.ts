import { describe, expect, it } from 'vitest'
import type { ConfigPatch, PresetName } from '../../src/config/types.ts'
import { emptyState, reduce } from '../../src/journal/reduce.ts'
import { type Charge, CLOSED, charge, reset, rest } from '../../src/policy/breaker.ts'
import { policyFor } from '../../src/presets/index.ts'
import type { Breaker, BreakerPolicy, BreakerTransition } from '../../src/types.ts'
import { configFor } from '../scenarios/play.ts'

const START = Date.UTC(2026, 0, 5, 8)
const MINUTE = 60_000

/** What happens to a breaker: an iteration, so many minutes, a new run, a person's reset. */
type Event = Partial<Charge> | { readonly wait: number } | 'new run' | 'reset'
/** Its state and counts afterwards, and the moves it made. */
type After = readonly [state: Breaker['state'], counts: Partial<Breaker>, moves?: string]
type Row = readonly [
  id: string,
  name: string,
  preset: PresetName,
  events: readonly (readonly [Event, After])[],
  more?: More,
]
interface More {
  readonly config?: ConfigPatch
  readonly from?: Partial<Breaker>
}

const no: Event = { progress: 'no' }
const yes: Event = { progress: 'yes' }
const unknown: Event = { progress: 'unknown' }
const fails = (error?: string, size = 100): Event => ({
  progress: 'no',
  failed: true,
  size,
  ...(error ? { error } : {}),
})
const hits = (error: string): Event => ({ progress: 'yes', error })
const inPhase = (phase: string, event: Partial<Charge>): Event => ({ ...event, phase })
const still = (n: number, phase: string, opensAt: number): readonly (readonly [Event, After])[] =>
  Array.from({ length: n }, (_, i) => {
    const count = i + 1
    const state = count >= opensAt ? 'open' : count >= 2 ? 'half-open' : 'closed'
    const moves = [count === 2 ? 'closed>half-open' : '', count === opensAt ? 'half-open>open' : ''].filter(Boolean)
    return [inPhase(phase, { progress: 'no' }), [state, { noProgress: count }, moves.join(' ')]]
  })
const opened = {
  state: 'open',
  noProgress: 3,
  openedAt: START,
  reason: 'No progress for 3 iterations',
  opens: 1,
} as const

const rows: readonly Row[] = [
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
  ['ralph-C1', 'ten minutes are not thirty', 'ralph', [[{ wait: 10 }, ['open', {}]]], { from: opened }],
  [
    'ralph-C2 ralph-C3',
    'after 35 minutes it is half-open, and that is written down',
    'ralph',
    [[{ wait: 35 }, ['half-open', { noProgress: 3 }, 'open>half-open']]],
    { from: opened },
  ],
  [
    'ralph-C4',
    'half-open and files changed',
    'ralph',
    [[yes, ['closed', { noProgress: 0 }, 'half-open>closed']]],
    { from: { ...opened, state: 'half-open' } },
  ],
  [
    'ralph-C5',
    'half-open and nothing changed',
    'ralph',
    [[no, ['open', { noProgress: 4 }, 'half-open>open']]],
    { from: { ...opened, state: 'half-open' } },
  ],
  [
    'ralph-C6',
    'a cooldown of nothing',
    'ralph',
    [[{ wait: 0 }, ['half-open', {}, 'open>half-open']]],
    { from: opened, config: { breaker: { cooldownMinutes: 0 } } },
  ],
  [
    'ralph-C8',
    'opened in the future: a clock was set back, it stays open',
    'ralph',
    [[{ wait: 60 }, ['open', {}]]],
    { from: { ...opened, openedAt: START + 120 * MINUTE } },
  ],
  [
    'ralph-C9 ralph-C10',
    'a new run closes it where that is wanted, and how often it opened is remembered',
    'ralph',
    [['new run', ['closed', { noProgress: 0, opens: 3 }]]],
    { from: { ...opened, opens: 3 }, config: { breaker: { autoReset: true } } },
  ],
  [
    'ralph-C12',
    'a new run alone closes nothing',
    'ralph',
    [['new run', ['open', { noProgress: 3, openedAt: START }]]],
    { from: opened },
  ],
  [
    'ralph-C13',
    'closed stays closed',
    'ralph',
    [
      ['new run', ['closed', {}]],
      [{ wait: 0 }, ['closed', {}]],
    ],
    { config: { breaker: { autoReset: true, cooldownMinutes: 0 } } },
  ],
  [
    'ralph-C14',
    'three loops without progress, and the time is noted',
    'ralph',
    [
      [no, ['closed', {}]],
      [no, ['half-open', {}]],
      [no, ['open', { openedAt: START }]],
    ],
  ],
  [
    'ralph-C15',
    'open, and another result: the time stays',
    'ralph',
    [
      [{ wait: 5 }, ['open', {}]],
      [no, ['open', { openedAt: START, opens: 1 }]],
    ],
    { from: opened },
  ],
  [
    'ralph-C21',
    'a person resets it',
    'ralph',
    [['reset', ['closed', { loops: 0, noProgress: 0, opens: 1 }]]],
    { from: { ...opened, loops: 7 } },
  ],
  [
    'ralph-denials',
    'two iterations with refused tools',
    'ralph',
    [
      [{ denied: true, progress: 'yes' }, ['closed', { denials: 1 }]],
      [{ denied: true, progress: 'yes' }, ['open', { denials: 2 }, 'closed>open']],
    ],
  ],
  [
    'ralph-question',
    'an iteration that is held is not counted at all',
    'ralph',
    [
      [no, ['closed', { noProgress: 1, loops: 1 }]],
      [{ ...no, held: true }, ['closed', { noProgress: 1, loops: 1 }]],
      [no, ['half-open', { noProgress: 2, loops: 2 }]],
    ],
  ],
  [
    'default-failed',
    'a failed iteration is no progress, whatever it changed',
    'default',
    [
      [no, ['closed', { noProgress: 1 }]],
      [no, ['half-open', { noProgress: 2 }]],
      [{ progress: 'yes', failed: true }, ['half-open', { noProgress: 3 }, '']],
      [yes, ['closed', { noProgress: 0 }, 'half-open>closed']],
    ],
    { config: { breaker: { noProgress: 5 } } },
  ],
  [
    'default-unknown',
    'where nothing tells of progress, nothing is counted: neither up nor down',
    'default',
    [
      [no, ['closed', { noProgress: 1 }]],
      [unknown, ['closed', { noProgress: 1 }]],
      [no, ['half-open', { noProgress: 2 }, 'closed>half-open']],
      [unknown, ['half-open', { noProgress: 2 }]],
    ],
  ],
  [
    'default-unknown-try',
    'the one try after the cooldown told nothing: it is no reason to open again',
    'default',
    [
      [{ wait: 30 }, ['half-open', { noProgress: 3 }, 'open>half-open']],
      [unknown, ['half-open', { noProgress: 3 }]],
      [no, ['open', { noProgress: 4 }, 'half-open>open']],
    ],
    { from: opened },
  ],
  [
    'default-progress-recovery',
    'recovery by progress',
    'default',
    [
      [no, ['open', { noProgress: 4 }]],
      [{ progress: 'yes', failed: true }, ['open', { noProgress: 5 }]],
      [yes, ['closed', { noProgress: 0, opens: 1 }, 'open>closed']],
    ],
    { from: opened, config: { breaker: { recovery: 'progress' } } },
  ],
  [
    'default-half-open-at-one',
    'half-open and open at the same count: both moves',
    'default',
    [[no, ['open', { noProgress: 1 }, 'closed>half-open half-open>open']]],
    { config: { breaker: { halfOpenAt: 1, noProgress: 1 } } },
  ],
  [
    'default-never-half',
    'half-open above the limit: it opens directly',
    'default',
    [
      [no, ['closed', {}]],
      [no, ['open', { noProgress: 2 }, 'closed>open']],
    ],
    { config: { breaker: { halfOpenAt: 9, noProgress: 2 } } },
  ],
  [
    'default-reopened',
    'opened, cooled, closed by progress, opened again: the count of openings goes on',
    'default',
    [
      [{ wait: 31 }, ['half-open', { opens: 1 }]],
      [yes, ['closed', { opens: 1, noProgress: 0 }]],
      [no, ['closed', {}]],
      [no, ['half-open', {}]],
      [no, ['open', { opens: 2, noProgress: 3 }]],
    ],
    { from: opened },
  ],
  [
    'task-type',
    'a simple script is allowed five loops',
    'blackbox',
    Array.from({ length: 5 }, (_, i) => [yes, [i === 4 ? 'open' : 'closed', { loops: i + 1 }]]),
    { config: { breaker: { noProgress: 3, loops: 5 } } },
  ],
]

describe('the breaker', () => {
  it.each(rows)('%s: %s', (_id, _name, preset, events, more = {}) => {
    const config = configFor(preset, more.config)
    const policy = policyFor(config).breaker
    let breaker: Breaker = { ...CLOSED, ...more.from }
    let at = START
    for (const [event, [state, counts, moves]] of events) {
      let transitions: readonly BreakerTransition[] = []
      if (event === 'reset') breaker = reset(breaker)
      else if (event === 'new run') breaker = newRun(breaker, config)
      else {
        if ('wait' in event) at += event.wait * MINUTE
        const after = 'wait' in event ? rest(breaker, policy, at) : charge(breaker, policy, charged(event, at))
        breaker = after.breaker
        transitions = after.transitions
      }
      expect(picked(breaker, counts), JSON.stringify(event)).toEqual({ ...counts, state })
      if (moves !== undefined) expect(transitions.map(({ from, to }) => `${from}>${to}`).join(' ')).toBe(moves)
    }
  })
})

function picked(breaker: Breaker, like: Partial<Breaker>): object {
  const all = breaker as unknown as Record<string, unknown>
  const patterns = like as unknown as Record<string, unknown>
  const values = Object.keys(like).map((key) => {
    const pattern = patterns[key]
    return [key, pattern instanceof RegExp && pattern.test(String(all[key])) ? pattern : all[key]]
  })
  return { ...Object.fromEntries(values), state: breaker.state }
}

const charged = (event: Partial<Charge>, at: number): Charge => ({
  progress: 'unknown',
  failed: false,
  gateOpen: false,
  size: 100,
  denied: false,
  held: false,
  at,
  ...event,
})

/** The journal folds a new run over the breaker that the last one left. */
function newRun(breaker: Breaker, config: ReturnType<typeof configFor>): Breaker {
  const before = emptyState()
  const state = { ...before, counters: { ...before.counters, breaker } }
  return reduce(state, { v: 1, seq: 1, at: START, prev: '', type: 'run.started', run: 'next', config }).counters.breaker
}

describe('the breaker policy of each preset', () => {
  const expected: Readonly<Record<PresetName, Partial<BreakerPolicy>>> = {
    default: { halfOpenAt: 2, limits: { noProgress: 3, sameError: 5 }, recovery: 'cooldown', cooldownMinutes: 30 },
    cub: { halfOpenAt: 2, limits: { gateBlocked: 3 }, recovery: 'manual' },
    prp: {
      halfOpenAt: 2,
      limits: { noProgress: 3, sameError: 5 },
      recovery: 'manual',
      phases: {
        RED: { noProgress: 3, sameError: 5 },
        GREEN: { noProgress: 2, sameError: 3 },
        REFACTOR: { noProgress: 5, sameError: 5 },
        DOCUMENT: { noProgress: 3, sameError: 5 },
        QA: { noProgress: 3, sameError: 3 },
      },
    },
    doyaken: { limits: { noProgress: 3, sameError: 5 }, outputDecline: 70, recovery: 'cooldown', cooldownMinutes: 5 },
    blackbox: { limits: { noProgress: 10, loops: 20 }, recovery: 'manual' },
    gsd: { limits: { failures: 5 }, recovery: 'manual' },
    ralph: { limits: { noProgress: 3, sameError: 5, denials: 2 }, recovery: 'cooldown', cooldownMinutes: 30 },
  }
  it.each(Object.entries(expected))('%s', (name, breaker) => {
    expect(policyFor(configFor(name as PresetName)).breaker).toMatchObject(breaker)
    expect(Object.keys(policyFor(configFor(name as PresetName)).breaker.limits).sort()).toEqual(
      Object.keys(breaker.limits ?? {}).sort(),
    )
  })
})
