import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { Fold } from '../../src/core/journal/fold.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { CLOSED } from '../../src/core/policy/breaker.ts'
import type { Breaker } from '../../src/core/types.ts'
import { CONTINUE, DONE, decided, eventInput, note, observation, STUCK, stamped, started, verdict } from './samples.ts'

const fold = (...events: readonly EventInput[]): State => stamped(events).reduce(reduce, emptyState())
const open: Breaker = { ...CLOSED, state: 'open', noProgress: 3, gateBlocked: 2, openedAt: 5, opens: 2 }
const closed: Breaker = { ...CLOSED, opens: 2 }
const lasting = { ...BASE, breaker: { ...BASE.breaker, autoReset: false } }
const stuckRun = [started(), decided(1, STUCK, 'no', open)]
const lastingRun = [started({ config: lasting }), decided(1, STUCK, 'no', open)]
const resumed: EventInput = { type: 'run.resumed', iteration: 1, reason: 'it had ended as breaker', again: true }
const toGreen: EventInput = { type: 'phase.changed', from: 'RED', to: 'GREEN', forced: false }
const ended: EventInput = {
  type: 'run.ended',
  outcome: 'stuck',
  ending: 'breaker',
  reason: 'no progress',
  iteration: 1,
}

describe('reduce', () => {
  const rows: readonly [string, readonly EventInput[], Partial<State>][] = [
    ['nothing yet', [], emptyState()],
    ['a run', [started({ task: 't' })], { run: 'r1', config: BASE, task: 't', startedAt: 1000, seq: 1 }],
    ['a decision', [started(), decided(1)], { iterations: 1, previous: observation }],
    ['the last verdict', [decided(1, STUCK)], { last: { iteration: 1, at: 1000, verdict: verdict(STUCK) } }],
    [
      'recent decisions',
      [decided(1)],
      { recent: [{ iteration: 1, at: 1000, action: 'continue', rule: 'a rule', reason: 'a reason' }] },
    ],
    ['a running iteration', [{ type: 'iteration.started', iteration: 4 }], { running: { iteration: 4, at: 1000 } }],
    [
      'an ending',
      [decided(1, STUCK), ended],
      { ended: { outcome: 'stuck', ending: 'breaker', reason: 'no progress', at: 1001 } },
    ],
    ['a note', [note('n')], { seq: 1, totals: emptyState().totals }],
    ['changed configuration', [started(), { type: 'config.changed', config: lasting, paths: [] }], { config: lasting }],
    [
      'a finished phase',
      [started({ phase: 'RED' }), decided(2), toGreen],
      { phasesDone: [{ phase: 'RED', iterations: 2, at: 1002, forced: false }] },
    ],
    [
      'a phase with its own iteration count',
      [decided(2), { ...toGreen, iterations: 7 }],
      { phasesDone: [{ phase: 'RED', iterations: 7, at: 1001, forced: false }] },
    ],
    ['a first phase', [{ type: 'phase.changed', to: 'RED', forced: false }], { phasesDone: [] }],
    ['a new run forgets the phases', [toGreen, started()], { phasesDone: [], recent: [] }],
    ['a new run counts from zero', [decided(9), started()], { iterations: 0 }],
  ]
  it.each(rows)('%s', (_name, events, expected) => {
    expect(fold(...events)).toMatchObject(expected)
  })

  const totals: readonly [string, readonly EventInput[], Partial<State['totals']>][] = [
    ['a decision to continue', [started(), started()], { runs: 2 }],
    ['a rejected claim', [decided(1, CONTINUE, 'yes')], { decisions: 1, continues: 1, stops: 0, claimsRefused: 1 }],
    ['a claim that ends as stuck', [decided(1, STUCK, 'yes')], { stops: 1, claimsRefused: 1 }],
    ['an accepted claim', [decided(1, DONE, 'yes')], { stops: 1, claimsRefused: 0 }],
    [
      'a claim that advances',
      [decided(1, { action: 'advance', phase: 'B' }, 'yes')],
      { stops: 0, continues: 0, claimsRefused: 0 },
    ],
    ['no claim', [decided(1, CONTINUE, 'unknown')], { claimsRefused: 0 }],
    ['over several runs', [decided(1), started(), decided(1)], { decisions: 2 }],
  ]
  it.each(totals)('totals: %s', (_name, events, expected) => {
    expect(fold(...events).totals).toMatchObject(expected)
  })

  const breakers: readonly [string, readonly EventInput[], Breaker][] = [
    ['copied from the decision', [decided(1, CONTINUE, 'no', open)], open],
    ['closed by a new run', [started(), decided(1, STUCK, 'no', open), started()], closed],
    ['kept by a new run if it lasts', [...lastingRun, started({ config: lasting })], open],
    ['closed by a new run whose breaker does not last', [...lastingRun, started()], closed],
    ['not taken over from a run whose breaker does not last', [...stuckRun, started({ config: lasting })], closed],
    ['closed when a stuck run tries again', [...stuckRun, resumed], closed],
    ['kept when a stuck run tries again, if it lasts', [...lastingRun, resumed], open],
    ['kept when a run is merely resumed', [...stuckRun, { type: 'run.resumed', iteration: 1, reason: 'r' }], open],
    ['closed by the user', [decided(1, STUCK, 'no', open), { type: 'breaker.reset', by: 'me', reason: 'r' }], closed],
    [
      'not changed by the event about its change',
      [{ type: 'breaker.changed', iteration: 1, from: 'closed', to: 'open', reason: 'r' }],
      CLOSED,
    ],
  ]
  it.each(breakers)('breaker: %s', (_name, events, expected) => {
    expect(fold(...events).counters.breaker).toEqual(expected)
  })

  const gone: readonly [string, keyof State, readonly EventInput[]][] = [
    ['a decision ends the running iteration', 'running', [{ type: 'iteration.started', iteration: 1 }, decided(1)]],
    ['the end of the run ends the running iteration', 'running', [{ type: 'iteration.started', iteration: 1 }, ended]],
    ['an iteration reopens an ended run', 'ended', [ended, { type: 'iteration.started', iteration: 2 }]],
    ['a decision reopens an ended run', 'ended', [ended, decided(2)]],
    ['a new run has no ending', 'ended', [ended, started()]],
    ['a new run has no previous iteration', 'previous', [decided(1), started()]],
    ['a new run has no verdict', 'last', [decided(1), started()]],
    ['a new run without a task has none', 'task', [started({ task: 't' }), started()]],
  ]
  it.each(gone)('%s', (_name, key, events) => {
    expect(fold(...events)).not.toHaveProperty(key)
  })

  it('starts a phase at zero iterations', () => {
    expect(fold(decided(5), toGreen).counters).toMatchObject({ phase: 'GREEN', phaseIteration: 0 })
  })

  it('keeps the last 50 decisions', () => {
    const { recent } = fold(...Array.from({ length: 60 }, (_, i) => decided(i + 1)))
    expect(recent.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 50 }, (_, i) => i + 11))
  })

  it('ignores an unknown type, except for its number', () => {
    const before = fold(started(), decided(1))
    const stranger = { v: 1, seq: 3, at: 9, prev: '', type: 'weather.changed', sky: 'grey' } as unknown as JournalEvent
    expect(reduce(before, stranger)).toEqual({ ...before, seq: 3 })
  })

  it('gives the same result for a long journal, whose starts are kept in place', () => {
    const starts = fc
      .record({ iteration: fc.nat(99) })
      .map((more): EventInput => ({ type: 'iteration.started', ...more }))
    const gap = fc.oneof(fc.nat(1000), fc.nat(2_000_000))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof(starts, eventInput), gap), { maxLength: 40 }),
        fc.nat(40),
        (told, half) => {
          let at = 1000
          const events = stamped(told.map(([each]) => each)).map((event, n) => {
            at += told[n]?.[1] ?? 0
            return { ...event, at }
          })
          const state = events.reduce(reduce, emptyState())
          // From the beginning, and from a snapshot in the middle.
          for (const from of [0, Math.min(half, events.length)]) {
            const fold = new Fold(events.slice(0, from).reduce(reduce, emptyState()))
            for (const event of events.slice(from)) fold.add(event)
            expect(fold.state).toEqual(state)
            expect(fold.past).not.toHaveProperty('starts')
          }
        },
      ),
    )
  })

  it('drops the oldest of too many starts', () => {
    const events = stamped(
      Array.from({ length: 20_500 }, (_, n) => ({ type: 'iteration.started', iteration: n })),
      0,
    )
    const fold = new Fold()
    for (const event of events) fold.add(event)
    expect(fold.state.starts).toEqual(events.slice(-10_000).map(({ at }) => at))
  })

  it('never mutates its input', () => {
    fc.assert(
      fc.property(fc.array(eventInput, { maxLength: 12 }), (inputs) => {
        const events = deepFreeze(stamped(inputs))
        const state = events.reduce((before, event) => reduce(deepFreeze(before), event), emptyState())
        expect(state.seq).toBe(events.length)
      }),
    )
  })
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
