import { describe, expect, it } from 'vitest'
import type { PresetName } from '../../src/core/config.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { type Charge, CLOSED, charge, reset, rest } from '../../src/core/policy/breaker.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Breaker, BreakerPolicy, BreakerTransition } from '../../src/core/types.ts'
import { configFor } from '../scenarios/play.ts'
import { MINUTE, START } from './breaker-events.ts'
import { moreRows } from './breaker-more-rows.ts'
import { rows } from './breaker-rows.ts'

describe('the breaker', () => {
  const all = [...rows, ...moreRows].map((row) => ({ id: row[0], name: row[1], row }))
  it.each(all)('$id: $name', ({ row: [, , preset, events, more = {}] }) => {
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

describe('a breaker', () => {
  const { phases: _phases, ...policy }: BreakerPolicy = {
    ...policyFor(configFor('default')).breaker,
    recovery: 'cooldown',
    cooldownMinutes: 1,
  }
  const open: Breaker = { ...CLOSED, state: 'open', noProgress: 3, openedAt: START, reason: 'r', opens: 2 }
  const later = START + MINUTE

  it('that is disabled is closed, and keeps its counts if it was closed', () => {
    const disabled = { ...policy, enabled: false }
    const counting = { ...CLOSED, noProgress: 1 }
    expect(rest(open, disabled, later)).toEqual({ breaker: { ...CLOSED, opens: 2 }, transitions: [] })
    expect(rest(counting, disabled, later)).toEqual({ breaker: counting, transitions: [] })
  })

  it('allows a try after its cooldown, but only if it is open', () => {
    expect(rest(open, policy, later).breaker.state).toBe('half-open')
    expect(rest(open, policy, later - 1)).toEqual({ breaker: open, transitions: [] })
    const closed = { ...CLOSED, openedAt: START }
    expect(rest(closed, policy, later)).toEqual({ breaker: closed, transitions: [] })
  })

  it('that stays open has no transition', () => {
    expect(charge(open, policy, charged({ progress: 'no', phase: 'A' }, later)).transitions).toEqual([])
  })

  it('that closes after progress counts from zero', () => {
    const half: Breaker = { ...CLOSED, state: 'half-open', gateBlocked: 3, opens: 2 }
    const { breaker } = charge(half, policy, charged({ progress: 'yes', size: 7 }, later))
    expect(breaker).toStrictEqual({ ...CLOSED, sizes: [7], opens: 2 })
  })

  it('has no error after an iteration without one', () => {
    const { breaker } = charge(
      { ...CLOSED, errorKey: 'e', sameError: 2 },
      policy,
      charged({ progress: 'unknown' }, later),
    )
    expect([breaker.sameError, Object.hasOwn(breaker, 'errorKey')]).toEqual([0, false])
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

/** Starts a new run with the breaker of the previous one. */
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
