import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { limits } from '../../src/core/policy/rules/limits.ts'
import type { Facts } from '../../src/core/types.ts'
import { waitFor } from '../../src/loop/limits/after-agent.ts'
import { budgetLeft, exhausted, nextCallAt } from '../../src/loop/limits/budget.ts'
import type { ProviderLimit } from '../../src/loop/limits/provider.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const start = Date.parse('2026-07-22T10:00:00Z')

/** Hits the same limit again after each wait. Returns the length of each wait, then how it ended. */
function waits(limitAt: (now: number) => ProviderLimit, run = BASE.run): readonly (number | string)[] {
  const waited: (number | string)[] = []
  let state: State = emptyState()
  for (let now = start; waited.length < 40; ) {
    const limit = limitAt(now)
    const wait = waitFor(limit, state.limited, run, now)
    if (wait.kind !== 'waits') return [...waited, wait.kind]
    waited.push((wait.until - now) / 1000)
    const met: JournalEvent = {
      v: 1,
      seq: state.seq + 1,
      prev: '',
      at: now,
      type: 'iteration.limited',
      iteration: 1,
      attempt: waited.length,
      kind: limit.kind,
      until: wait.until,
      message: limit.message,
      spent: { ms: 0, tokens: 0, usd: 0 },
    }
    state = reduce(state, met)
    now = wait.until
  }
  return waited
}

describe('waiting for the provider', () => {
  const limit = (): ProviderLimit => ({ kind: 'limit', message: 'used up' })
  const overload = (): ProviderLimit => ({ kind: 'overload', message: 'too busy' })
  const stated =
    (ms: number) =>
    (now: number): ProviderLimit => ({ ...limit(), until: now + ms })

  const rows: [name: string, waited: readonly (number | string)[], expected: readonly (number | string)[]][] = [
    [
      'a limit without a reset time',
      waits(limit, { ...BASE.run, maxWaitMinutes: 120 }),
      [300, 600, 1200, 1800, 1800, 1500, 'gives-up'],
    ],
    [
      'a limit without a reset time, up to six hours',
      waits(limit),
      [300, 600, 1200, ...Array(10).fill(1800), 1500, 'gives-up'],
    ],
    ['a reset time, plus a few seconds', waits(stated(HOUR), { ...BASE.run, maxWaitMinutes: 100 }), [3605, 'gives-up']],
    ['a reset time too far away', waits(stated(7 * HOUR)), ['gives-up']],
    ['a reset time just within the maximum', waits(stated(6 * HOUR - 5000)).slice(0, 1), [6 * 3600]],
    [
      'an agent that invents reset times of one second',
      waits(stated(1000)).slice(0, 8),
      [6, 60, 120, 300, 600, 1200, 1800, 1800],
    ],
    [
      'an overload, up to one hour',
      waits(overload, { ...BASE.run, maxWaitMinutes: 60 }),
      [15, 30, 60, 120, 240, ...Array(6).fill(480), 255, 'gives-up'],
    ],
    [
      'an overload with six retries',
      waits(overload, { ...BASE.run, overloadRetries: 6 }),
      [15, 30, 60, 120, 240, 480, 'fails'],
    ],
    ['an overload with one retry', waits(overload, { ...BASE.run, overloadRetries: 1 }), [15, 'fails']],
    ['an overload without retries', waits(overload, { ...BASE.run, overloadRetries: 0 }), ['fails']],
    [
      'an overload with a reset time',
      waits((now) => ({ ...overload(), until: now + 2500 })).slice(0, 3),
      [7.5, 60, 120],
    ],
    [
      'a limit with a shorter maximum than the first wait',
      waits(limit, { ...BASE.run, maxWaitMinutes: 1 }),
      [60, 'gives-up'],
    ],
    ['a limit, with waiting turned off', waits(limit, { ...BASE.run, maxWaitMinutes: 0 }), ['gives-up']],
    ['an overload, with waiting turned off', waits(overload, { ...BASE.run, maxWaitMinutes: 0 }), ['fails']],
  ]
  it.each(rows)('%s', (_name, waited, expected) => {
    expect(waited).toEqual(expected)
  })

  it('adds up across kinds, so that alternating gains nothing', () => {
    let turn = 0
    const waited = waits((now) => (turn++ % 2 === 0 ? stated(HOUR)(now) : overload()), {
      ...BASE.run,
      maxWaitMinutes: 150,
    })
    expect(waited).toEqual([3605, 15, 3605, 15, 'gives-up'])
  })

  it('gives a reason when it gives up', () => {
    const run = { ...BASE.run, maxWaitMinutes: 60 }
    expect(waitFor(stated(3 * HOUR)(start), undefined, run, start)).toEqual({
      kind: 'gives-up',
      reason:
        "the provider's limit ends at 2026-07-22 13:00 UTC, a wait of 181 minutes, but run.maxWaitMinutes is 60: used up",
      minutes: 181,
    })
    expect(waitFor(limit(), { n: 3, kind: 'limit', until: start, since: start - HOUR }, run, start)).toEqual({
      kind: 'gives-up',
      reason: "the provider's limit has not ended after 60 minutes of waiting: used up",
    })
    expect(waitFor(limit(), { n: 3, kind: 'limit', until: start, since: start - 50 * MINUTE }, run, start)).toEqual({
      kind: 'waits',
      until: start + 10 * MINUTE,
    })
    expect(waitFor(overload(), { n: 5, kind: 'overload', until: start, since: start - 2 * HOUR }, run, start)).toEqual({
      kind: 'gives-up',
      reason: "the provider's failure has not ended after 120 minutes of waiting: too busy",
    })
    expect(waitFor(limit(), undefined, { ...run, maxWaitMinutes: 0 }, start)).toEqual({
      kind: 'gives-up',
      reason: "the provider's limit can't be waited for, because run.maxWaitMinutes is 0: used up",
    })
    expect(waitFor(limit(), undefined, { ...run, maxWaitMinutes: 0.5 }, start, start - MINUTE / 2)).toEqual({
      kind: 'gives-up',
      reason: "the provider's limit has not ended after 30 seconds of waiting: used up",
    })
    const retries = { ...run, overloadRetries: 6 }
    expect(waitFor(overload(), { n: 6, kind: 'overload', until: start }, retries, start)).toEqual({ kind: 'fails' })
  })
})

describe('calls per hour', () => {
  const rows: [name: string, starts: readonly number[], most: number | undefined, at: number | undefined][] = [
    ['no limit', [0, 0, 0], undefined, undefined],
    ['no start yet', [], 1, undefined],
    ['one of two', [-10], 2, undefined],
    ['two of two', [-50, -10], 2, 10],
    ['the first of two is an hour old', [-60, -10], 2, undefined],
    ['more than allowed, because the limit was lowered', [-50, -40, -10], 2, 20],
    ['one an hour', [0], 1, 60],
    ['unsorted', [-10, -50], 2, 10],
    ['the clock was set back', [500], 1, 60],
  ]
  it.each(rows)('%s', (_name, starts, most, at) => {
    const found = nextCallAt(
      starts.map((minutes) => start + minutes * MINUTE),
      most,
      start,
    )
    expect(found === undefined ? undefined : (found - start) / MINUTE).toBe(at)
  })
})

describe('the remaining budget', () => {
  const used = (iterations: number, ms: number, usd = 0, tokens = 0): State => {
    const state = emptyState()
    return { ...state, iterations, counters: { ...state.counters, total: { ms, usd, tokens } } }
  }
  const most = { iterations: 3, minutes: 10, usd: 2, tokens: 1000 }

  const rows: [name: string, state: State, ending: string | undefined][] = [
    ['all of it', used(0, 0), undefined],
    ['the last iteration', used(2, 9 * MINUTE, 1.99, 999), undefined],
    ['no iterations', used(3, 0), 'iterations'],
    ['no time', used(1, 10 * MINUTE), 'time'],
    ['no money', used(1, 0, 2), 'cost'],
    ['no tokens', used(1, 0, 0, 1000), 'tokens'],
    ['nothing at all', used(3, 10 * MINUTE, 2, 1000), 'iterations'],
  ]
  it.each(rows)('%s', (_name, state, ending) => {
    const found = exhausted(state, most)
    expect(found?.ending).toBe(ending)
    // The reason is that of the rule that would have decided it.
    const facts = { iteration: state.iterations, total: state.counters.total } as Facts
    const rule = limits(most).find(({ when }) => when(facts).answer === 'yes')
    expect(found?.reason).toBe(rule?.when(facts).detail)
  })

  it('includes the running iteration, and is never negative', () => {
    const state = { ...used(1, 4 * MINUTE, 0.5, 100), running: { iteration: 2, at: start } }
    expect(budgetLeft(state, most, start + 2 * MINUTE)).toEqual({
      iterations: { used: 1, most: 3, left: 2 },
      ms: { used: 6 * MINUTE, most: 10 * MINUTE, left: 4 * MINUTE },
      usd: { used: 0.5, most: 2, left: 1.5 },
      tokens: { used: 100, most: 1000, left: 900 },
    })
    expect(budgetLeft(state, { minutes: 10 }, start + HOUR)).toEqual({
      ms: { used: 64 * MINUTE, most: 10 * MINUTE, left: 0 },
    })
    expect(budgetLeft(state, {}, start)).toEqual({})
  })
})
