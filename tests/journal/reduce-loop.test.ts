import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { EventInput, State } from '../../src/core/journal/events.ts'
import { Fold } from '../../src/core/journal/fold.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { CLOSED } from '../../src/core/policy/breaker.ts'
import type { Breaker } from '../../src/core/types.ts'
import { decided, observation, STUCK, stamped, started } from './samples.ts'

type Of<T extends EventInput['type']> = Extract<EventInput, { type: T }>

const fold = (...events: readonly EventInput[]): State => stamped(events).reduce(reduce, emptyState())
const stampedAt = (events: readonly (readonly [at: number, event: EventInput])[]) =>
  stamped(events.map(([, event]) => event)).map((event, i) => ({ ...event, at: events[i]?.[0] ?? 0 }))

const HOUR = 3_600_000
const other = { ...BASE, preset: 'cub' as const }
const third = { ...BASE, preset: 'gsd' as const }
const go = (iteration: number, more: Partial<Of<'iteration.started'>> = {}): EventInput => ({
  type: 'iteration.started',
  iteration,
  ...more,
})
const agent: Of<'agent.started'> = { type: 'agent.started', iteration: 1, attempt: 1, pid: 7, id: 'a1' }
const step = (name: string, result: unknown): EventInput => ({ type: 'step.done', name, result })
const limited = (more: Partial<Of<'iteration.limited'>> = {}): EventInput => ({
  ...{ type: 'iteration.limited', iteration: 1, attempt: 1, kind: 'limit', until: 9000, message: 'm' },
  spent: { ms: 1, tokens: 20, usd: 0.25 },
  ...more,
})
const switched = (more: Partial<Of<'agent.switched'>> = {}): EventInput => ({
  type: 'agent.switched',
  to: 'fallback',
  why: 'limit',
  ...more,
})
const skipped = (task: string): EventInput => ({ type: 'task.skipped', task, by: 'me', reason: 'r' })
const guidance = (text: string): EventInput => ({ type: 'guidance', text, by: 'me' })
const ended = (more: Partial<Of<'run.ended'>> = {}): EventInput => ({
  ...{ type: 'run.ended', outcome: 'stuck', ending: 'breaker', reason: 'no progress', iteration: 1 },
  ...more,
})
const open: Breaker = { ...CLOSED, state: 'open', noProgress: 3, openedAt: 5, opens: 2 }

/** The state has exactly this value under the key; undefined means that the key is absent. */
const rows: readonly [string, keyof State, readonly EventInput[], unknown][] = [
  [
    'an attempt and its task',
    'running',
    [go(4, { attempt: 2, task: 't' })],
    { iteration: 4, at: 1000, attempt: 2, task: 't' },
  ],
  ['a first attempt without a number', 'attempt', [go(4)], { iteration: 4, n: 1 }],
  ['a later attempt', 'attempt', [go(4, { attempt: 3 })], { iteration: 4, n: 3 }],
  [
    'the end of a run ends its iteration, also if it is resumed',
    'running',
    [go(4), ended(), { type: 'run.resumed', iteration: 4, reason: 'r' }],
    undefined,
  ],
  ['a resumed run has no ending', 'ended', [ended(), { type: 'run.resumed', iteration: 1, reason: 'r' }], undefined],
  [
    'a run resumed in the middle',
    'running',
    [go(4), { type: 'run.resumed', iteration: 4, reason: 'r' }],
    { iteration: 4, at: 1000 },
  ],
  [
    'an ending without a cause',
    'ended',
    [ended()],
    { outcome: 'stuck', ending: 'breaker', reason: 'no progress', at: 1000 },
  ],
  [
    'an ending with its cause',
    'ended',
    [ended({ cause: 'login' })],
    { outcome: 'stuck', ending: 'breaker', reason: 'no progress', at: 1000, cause: 'login' },
  ],

  ["the agent's process", 'running', [go(1), agent], { iteration: 1, at: 1000, agent: { pid: 7, id: 'a1' } }],
  [
    "the agent's process with its start",
    'running',
    [go(1), { ...agent, since: 's' }],
    { iteration: 1, at: 1000, agent: { pid: 7, id: 'a1', since: 's' } },
  ],
  ['a process of no iteration', 'running', [agent], undefined],

  ['results of steps', 'steps', [step('a', 1), step('b', { c: 2 })], { a: 1, b: { c: 2 } }],
  ['a decision drops the steps', 'steps', [step('a', 1), decided(1)], undefined],
  ['another start drops the steps', 'steps', [step('a', 1), go(1)], undefined],
  ['a limit drops the steps', 'steps', [step('a', 1), limited()], undefined],

  ['a limit', 'limited', [limited()], { n: 1, until: 9000, kind: 'limit', since: 1000 }],
  [
    'two limits in a row',
    'limited',
    [limited(), limited({ until: 9500 })],
    { n: 2, until: 9500, kind: 'limit', since: 1000 },
  ],
  [
    'another kind of limit counts from one, since the first',
    'limited',
    [limited(), limited({ kind: 'overload' })],
    { n: 1, until: 9000, kind: 'overload', since: 1000 },
  ],
  [
    'a limit that says since when',
    'limited',
    [limited(), limited({ since: 500 })],
    { n: 2, until: 9000, kind: 'limit', since: 500 },
  ],
  ['a decision ends a limit', 'limited', [limited(), decided(1)], undefined],
  ['a limit ends the running iteration', 'running', [go(1), limited()], undefined],

  ['a fallback', 'fallback', [switched()], { why: 'limit', since: 1000 }],
  ['a fallback for a while', 'fallback', [switched({ until: 9000 })], { why: 'limit', since: 1000, until: 9000 }],
  ['the first agent again', 'fallback', [switched(), switched({ to: 'first' })], undefined],
  ['another agent has no limit', 'limited', [limited(), switched()], undefined],
  [
    'another agent has no session',
    'previous',
    [
      { ...(decided(1) as Of<'iteration.decided'>), observation: { ...observation, session: { id: 's1' } } },
      switched(),
    ],
    observation,
  ],
  ['another agent before the first decision', 'previous', [switched()], undefined],

  ['skipped tasks, each once', 'skipped', [skipped('a'), skipped('b'), skipped('a')], ['a', 'b']],
  ['the last five hints', 'guidance', ['1', '2', '3', '4', '5', '6'].map(guidance), ['2', '3', '4', '5', '6']],

  ['configuration of a task', 'config', [started(), { type: 'task.config', task: 't', config: other }], other],
  [
    'the configuration of the run is kept during a task',
    'base',
    [started(), { type: 'task.config', task: 't', config: other }, { type: 'task.config', task: 'u', config: third }],
    BASE,
  ],
  ['a task before any configuration', 'base', [{ type: 'task.config', task: 't', config: other }], other],
  [
    'a changed configuration replaces both',
    'base',
    [
      started(),
      { type: 'task.config', task: 't', config: other },
      { type: 'config.changed', config: third, paths: [] },
    ],
    undefined,
  ],
]

describe('events of a loop', () => {
  it.each(rows)('%s', (_name, key, events, expected) => {
    const state = fold(...events)
    expect([state[key], Object.hasOwn(state, key)]).toStrictEqual([expected, expected !== undefined])
    expect(state.seq).toBe(events.length)
  })

  it('the cost of a limited iteration counts', () => {
    const { counters, iterations } = fold(limited(), limited())
    expect([counters.total, iterations]).toEqual([{ ms: 2, tokens: 40, usd: 0.5 }, 0])
  })

  it('a try with a half-open breaker keeps its counts', () => {
    const events = [
      decided(1, STUCK, 'no', open),
      { type: 'breaker.reset', by: 'me', reason: 'r', to: 'half-open' } as const,
    ]
    expect(fold(...events).counters.breaker).toEqual({ ...open, state: 'half-open' })
  })

  it('a new run starts in its phase with empty counters', () => {
    const { counters } = fold(decided(5), limited(), started({ phase: 'RED' }))
    expect(counters).toStrictEqual({ ...emptyState().counters, phase: 'RED' })
    expect(fold(started({ phase: 'RED' }), started()).counters).toStrictEqual(emptyState().counters)
  })

  const starts: readonly [string, readonly number[], readonly number[]][] = [
    ['almost an hour', [0, HOUR - 1], [0, HOUR - 1]],
    ['an hour', [0, 1, HOUR], [1, HOUR]],
    ['an hour, the only one', [0, HOUR], [HOUR]],
    [
      'many that are dropped, and many that are not',
      [...Array(4000).fill(0), ...Array(6000).fill(HOUR)] as number[],
      Array(6000).fill(HOUR) as number[],
    ],
  ]
  it.each(starts)('starts of the last hour are kept: %s', (_name, times, kept) => {
    const events = times.map((at, n) => [at, go(n)] as const)
    const fold = new Fold()
    for (const event of stampedAt(events)) fold.add(event)
    expect(fold.state.starts).toEqual(kept)
    if (times.length < 10) expect(stampedAt(events).reduce(reduce, emptyState()).starts).toEqual(kept)
  })

  it('the last 10,000 starts are kept', () => {
    const state = { ...emptyState(), starts: Array.from({ length: 10_000 }, (_, n) => n) }
    const [event] = stampedAt([[10_000, go(1)]])
    expect(reduce(state, event!).starts).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1))
  })

  it('starts outlive their run', () => {
    expect(
      stampedAt([
        [0, go(1)],
        [10, started()],
        [20, go(1)],
      ]).reduce(reduce, emptyState()).starts,
    ).toEqual([0, 20])
  })
})
