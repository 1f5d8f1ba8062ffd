import { describe, expect, it } from 'vitest'
import { CLOSED } from '../../src/core/policy/breaker.ts'
import { type After, decideIteration } from '../../src/core/policy/decide.ts'
import { finding, yesNo } from '../../src/core/policy/finding.ts'
import { type Before, look, observation, start } from '../../src/core/policy/look.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Breaker, Condition, Observation, Policy, Rule, Streak, StreakPolicy } from '../../src/core/types.ts'
import { configFor } from '../scenarios/play.ts'
import { type Checks, evidence, facts } from './made-facts.ts'

const base = policyFor(configFor('default'))
const AT = 1_000_000
const seen = (more: Partial<Observation> = {}, checks: Checks = {}): Observation =>
  observation(
    { ...facts().signals, denials: [], length: 0, text: '', blocks: [], problems: [] },
    evidence(checks),
    more,
  )
const looked = (before: Partial<Before>, now: Observation = seen(), policy: Partial<Policy> = {}) =>
  look({ ...start(), ...before }, now, { ...base, ...policy }, AT)

describe('facts', () => {
  const rows: readonly [string, Partial<Before>, Observation, Partial<Policy>, object][] = [
    ['the number of the iteration', { iterations: 4 }, seen(), {}, { iteration: 5, at: AT }],
    [
      'the sum of what was spent',
      { total: { ms: 1, tokens: 2, usd: 3 } },
      seen({ spent: { ms: 10, tokens: 20, usd: 30 } }),
      {},
      { total: { ms: 11, tokens: 22, usd: 33 } },
    ],
    ['the first phase', {}, seen(), { phases: ['A', 'B'] }, { phase: 'A', phaseIteration: 1 }],
    [
      'the phase before',
      { phase: 'B', phaseIteration: 2 },
      seen(),
      { phases: ['A', 'B'] },
      { phase: 'B', phaseIteration: 3 },
    ],
    [
      'a phase that the caller names',
      { phase: 'B', phaseIteration: 2 },
      seen({ phase: 'A' }),
      { phases: ['A', 'B'] },
      { phase: 'A', phaseIteration: 1 },
    ],
    [
      'an iteration that the caller counts',
      { phase: 'B', phaseIteration: 2 },
      seen({ given: { phaseIteration: 7 } }),
      {},
      { phaseIteration: 7 },
    ],
    ['a new tree', { trees: ['a'] }, seen({}, { lint: {}, tests: { tree: 'b' } }), {}, { trees: ['a', 'b'] }],
    ['no tree', { trees: ['a'] }, seen({}, { lint: {} }), {}, { trees: ['a'] }],
    [
      'the last twelve trees',
      { trees: [...'abcdefghijkl'] },
      seen({}, { tests: { tree: 'm' } }),
      {},
      { trees: [...'bcdefghijklm'] },
    ],
    ['the iteration before', { previous: seen({ task: 't' }) }, seen(), {}, { previous: seen({ task: 't' }) }],
    ['the baseline', { baseline: {} }, seen(), {}, { baseline: {} }],
  ]
  it.each(rows)('%s', (_name, before, now, policy, expected) => {
    expect(looked(before, now, policy).facts).toMatchObject(expected)
  })

  it('have no phase, previous iteration or baseline if there is none', () => {
    const { facts: bare } = looked({}, seen({ phase: undefined } as unknown as Partial<Observation>))
    expect(['phase', 'previous', 'baseline'].filter((key) => Object.hasOwn(bare, key))).toEqual([])
  })
})

describe('a streak', () => {
  const counts: Condition = () => finding('n', 'yes', '')
  const not: Condition = () => finding('n', 'no', '')
  const rows: readonly [string, StreakPolicy, before: Streak | undefined, iterations: number, after: Streak][] = [
    ['begins', { when: counts }, undefined, 0, { n: 1 }],
    ['continues', { when: counts }, { n: 2 }, 0, { n: 3 }],
    ['ends', { when: not }, { n: 2 }, 0, { n: 0 }],
    ['is held', { when: counts, hold: counts }, { n: 2 }, 0, { n: 2 }],
    ['is held before it begins', { when: counts, hold: counts }, undefined, 0, { n: 0 }],
    ['is not held', { when: counts, hold: not }, { n: 2 }, 0, { n: 3 }],
    ['with a key', { when: counts, key: () => 'a' }, undefined, 0, { n: 1, key: 'a' }],
    ['with the same key', { when: counts, key: () => 'a' }, { n: 2, key: 'a' }, 0, { n: 3, key: 'a' }],
    ['with another key', { when: counts, key: () => 'a' }, { n: 2, key: 'b' }, 0, { n: 1, key: 'a' }],
    ['that had ended', { when: counts, key: () => 'a' }, { n: 0, key: 'a' }, 0, { n: 1, key: 'a' }],
    ['in a window', { when: counts, window: 3 }, { n: 2, recent: [2, 3] }, 4, { n: 2, recent: [3, 5] }],
    ['in a window, not counted', { when: not, window: 3 }, { n: 2, recent: [2, 3] }, 4, { n: 1, recent: [3] }],
    ['in a window, first', { when: counts, window: 3 }, undefined, 0, { n: 1, recent: [1] }],
  ]
  it.each(rows)('%s', (_name, streak, before, iterations, after) => {
    const streaks = before === undefined ? {} : { s: before }
    const { facts: found } = looked({ iterations, streaks }, seen(), { streaks: { s: streak } })
    expect(found.streaks.s).toEqual(after)
    expect(Object.keys(found.streaks.s!)).toEqual(Object.keys(after))
  })
})

describe('the breaker before an iteration', () => {
  const open: Breaker = { ...CLOSED, state: 'open', noProgress: 3, openedAt: 5, reason: 'r', opens: 2 }
  const rows: readonly [string, Breaker, Observation['given'], Partial<Breaker>][] = [
    ['is remembered', open, undefined, open],
    ['is remembered if the caller passes something else', open, { phaseIteration: 1 }, open],
    ['is closed by the caller', open, { breaker: { state: 'closed' } }, { ...CLOSED, opens: 2 }],
    [
      'is opened by the caller',
      CLOSED,
      { breaker: { state: 'open', reason: 'x' } },
      { ...CLOSED, state: 'open', reason: 'x', openedAt: AT, opens: 1 },
    ],
    [
      'was open, and is opened by the caller',
      open,
      { breaker: { state: 'open' } },
      { ...open, reason: 'set by the caller' },
    ],
    [
      'is half-opened by the caller',
      open,
      { breaker: { state: 'half-open' } },
      { ...open, state: 'half-open', reason: 'set by the caller' },
    ],
  ]
  it.each(rows)('%s', (_name, breaker, given, expected) => {
    const { facts: found, rested } = looked({ breaker }, seen(given === undefined ? {} : { given }))
    expect([found.breaker, rested]).toEqual([expected, []])
  })
})

describe('after a decision', () => {
  const stops = (decision: Rule['decision'], name = 'r'): Partial<Policy> => ({
    rules: [{ name, when: () => finding(name, 'yes', 'why'), decision }],
    streaks: { s: { when: () => finding('n', 'yes', '') } },
    progress: () => finding('progress', 'no', ''),
  })
  const before: Before = {
    ...start(),
    breaker: { ...CLOSED, state: 'half-open', noProgress: 1 },
    streaks: { s: { n: 4 } },
  }
  const decide = (policy: Partial<Policy>) => decideIteration(before, seen({ phase: 'A' }), { ...base, ...policy }, AT)
  const closes = { breaker: { state: 'closed', noProgress: 0 }, streaks: { s: { n: 5 } } }
  const rows: readonly [string, Partial<Policy>, object, moves: string][] = [
    [
      'a success closes the breaker',
      stops({ action: 'stop', outcome: 'completed', ending: 'verified' }),
      closes,
      'half-open>closed',
    ],
    [
      'so does the next phase',
      stops({ action: 'advance', phase: 'B' }),
      { ...closes, phase: 'B', phaseIteration: 0 },
      'half-open>closed',
    ],
    [
      "and the agent's own errors",
      stops({ action: 'stop', outcome: 'aborted', ending: 'errors' }, 'agent-fails'),
      closes,
      'half-open>closed',
    ],
    [
      'an interrupted iteration counts nothing',
      stops({ action: 'stop', outcome: 'interrupted', ending: 'interrupt' }),
      { breaker: { state: 'half-open', noProgress: 1 }, streaks: { s: { n: 4 } } },
      '',
    ],
    [
      'another end counts',
      stops({ action: 'stop', outcome: 'aborted', ending: 'iterations' }),
      { breaker: { noProgress: 2 }, streaks: { s: { n: 5 } }, phase: 'A', phaseIteration: 1 },
      '',
    ],
  ]
  it.each(rows)('%s', (_name, policy, expected, moves) => {
    const found = decide(policy)
    expect(found.after satisfies After).toMatchObject(expected)
    expect(found.transitions.map(({ from, to }) => `${from}>${to}`).join(' ')).toBe(moves)
  })

  it('without any rule that applies, the run continues', () => {
    const never: Rule = {
      name: 'never',
      when: () => finding('never', 'no', 'not now'),
      decision: { action: 'stop', outcome: 'stuck', ending: 'breaker' },
    }
    const { verdict } = decide({ ...stops({ action: 'continue', warnings: [] }), rules: [never] })
    expect(verdict).toMatchObject({
      action: 'continue',
      warnings: [],
      rule: 'continue',
      reason: 'no rule stopped the run',
    })
    expect(verdict.trace.map(({ name }) => name)).toEqual(['never'])
  })

  it('warnings are those that apply', () => {
    const parts = [finding('a', 'yes', 'first'), finding('b', 'no', 'second'), finding('c', 'yes', 'third')]
    const warn: Rule = {
      name: 'warn',
      when: () => finding('warn', 'yes', 'first', parts),
      decision: { action: 'continue', warnings: [] },
    }
    expect(decide({ rules: [warn] }).verdict).toMatchObject({ warnings: ['first', 'third'] })
    const plain: Rule = { ...warn, when: () => finding('warn', 'yes', 'first') }
    expect(decide({ rules: [plain] }).verdict).toMatchObject({ warnings: [] })
  })

  it('an end without full proof lists what a verified one needs', () => {
    const verified = (name: string, answer: boolean, ending: 'verified' | 'forced'): Rule => ({
      name,
      when: () => finding(name, yesNo(answer), `${name} is missing`),
      decision: { action: 'stop', outcome: 'completed', ending },
    })
    const enough: Rule = {
      name: 'enough',
      when: () => finding('enough', 'yes', 'why'),
      decision: { action: 'stop', outcome: 'completed', ending: 'threshold' },
    }
    const policy = {
      claim: () => finding('claim', 'yes', 'c'),
      proof: () => finding('proof', 'yes', 'p'),
      rules: [verified('strong', false, 'verified'), verified('other', false, 'forced'), enough],
    }
    expect(decide(policy).verdict.missing).toEqual(['strong is missing'])
    expect(decide({ ...policy, rules: [policy.rules[0]!, verified('weak', true, 'forced')] }).verdict.missing).toEqual(
      [],
    )
  })
})
