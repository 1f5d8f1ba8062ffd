import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PresetName } from '../src/core/config.ts'
import { replay } from '../src/core/journal/replay.ts'
import { type DecidedIteration, decideIteration } from '../src/core/policy/decide.ts'
import type { Before } from '../src/core/policy/look.ts'
import { PRESETS, policyFor } from '../src/core/presets/index.ts'
import { read } from '../src/core/signals/read.ts'
import type { Evidence, EvidenceSet, Observation, Policy, Verdict } from '../src/core/types.ts'
import * as any from './policy/arbitrary.ts'
import { lively, winning } from './policy/lively.ts'
import { scenarios } from './scenarios/index.ts'
import { configFor, play, spoken } from './scenarios/play.ts'

const NAMES = Object.keys(PRESETS) as PresetName[]
const AT = Date.UTC(2026, 0, 5)
const policies: ReadonlyMap<PresetName, Policy> = new Map(
  NAMES.map((name) => [name, policyFor(configFor(name, name === 'prp' ? { prp: { qa: true } } : {}))]),
)
const policyOf = (name: PresetName): Policy => policies.get(name)!
const decided = (name: PresetName, before: Before, observation: Observation): DecidedIteration =>
  decideIteration(before, observation, policyOf(name), AT)

const completed = (verdict: Verdict): boolean => verdict.action === 'stop' && verdict.outcome === 'completed'
const verified = (verdict: Verdict): boolean =>
  completed(verdict) && 'ending' in verdict && verdict.ending === 'verified'
/** The phase advanced because its gate passed, not because of the user or a rejection. */
const gateOpened = ({ action, rule }: Verdict): boolean => action === 'advance' && rule.startsWith('advance ')
const unforced = ({ forced: _forced, ...rest }: Observation): Observation => rest

const map = (evidence: EvidenceSet, change: (each: Evidence) => Evidence): EvidenceSet =>
  Object.fromEntries(Object.entries(evidence).map(([name, each]) => [name, change(each)]))
const withoutCounts = ({ counts: _counts, ...rest }: Evidence): Evidence => rest

/**
 * Tests that prove nothing complete nothing. Presets that complete without tests (`blackbox`, `ralph`, the last phases of `prp`)
 * must give the same result without any tests.
 */
function provesNothing(name: PresetName, before: Before, seen: Observation, tests: Evidence): void {
  const { tests: _tests, ...others } = seen.evidence
  const { verdict, facts } = decided(name, before, { ...unforced(seen), evidence: { ...others, tests } })
  const without = decided(name, before, { ...unforced(seen), evidence: others }).verdict
  const needsTests =
    name === 'prp' ? !['DOCUMENT', 'QA'].includes(facts.phase ?? '') : !['blackbox', 'ralph'].includes(name)
  const passed = (each: Verdict) => [verified(each), gateOpened(each)]
  expect(passed(verdict)).toEqual(needsTests ? [false, false] : passed(without))
}

describe.each(NAMES)('%s', (name) => {
  it('1: unknown never counts as a pass', () => {
    fc.assert(
      fc.property(any.before, lively(name), (before, seen) => {
        const evidence = map(seen.evidence, (each) => ({ ...withoutCounts(each), answer: 'unknown' }))
        const { verdict } = decided(name, before, { ...unforced(seen), evidence })
        expect([verified(verdict), gateOpened(verdict)]).toEqual([false, false])
      }),
    )
  })

  it('1: tests whose answer is unknown verify nothing, whatever their counts', () => {
    fc.assert(
      fc.property(
        any.before,
        lively(name),
        fc.record({ total: fc.nat(9), passed: fc.nat(9), failed: fc.nat(9), greenRuns: fc.nat(3) }),
        (before, seen, counts) => {
          const tests: Evidence = { check: 'tests', answer: 'unknown', detail: '', counts, ms: 0, tree: '' }
          provesNothing(name, before, seen, tests)
        },
      ),
    )
  })

  it('1: zero tests, items, criteria and documents prove nothing', () => {
    const zero = {
      total: 0,
      passed: 0,
      failed: 0,
      done: 0,
      open: 0,
      met: 0,
      docs: 0,
      diagrams: 0,
      diagramsValid: 0,
      greenRuns: 9,
    }
    fc.assert(
      fc.property(any.before, lively(name), (before, seen) => {
        const { review: _review, ...others } = seen.evidence
        const evidence = map(others, (each) => ({ ...each, answer: 'yes', counts: zero }))
        const { verdict } = decided(name, before, { ...unforced(seen), evidence })
        expect([verified(verdict), gateOpened(verdict)]).toEqual([false, false])
      }),
    )
  })

  it('1: nothing but skipped tests proves nothing', () => {
    fc.assert(
      fc.property(any.before, lively(name), fc.integer({ min: 1, max: 9 }), (before, seen, skipped) => {
        const counts = { total: skipped, passed: 0, failed: 0, skipped, greenRuns: 9 }
        const tests: Evidence = { check: 'tests', answer: 'yes', detail: '', counts, ms: 0, tree: '' }
        provesNothing(name, before, seen, tests)
      }),
    )
  })

  it('2: an explicit "not done" always wins', () => {
    fc.assert(
      fc.property(any.before, lively(name), any.words, (before, seen, veto) => {
        const signals = { ...seen.signals, vetoes: [veto, ...seen.signals.vetoes] }
        const { verdict } = decided(name, before, { ...unforced(seen), signals })
        expect([completed(verdict), gateOpened(verdict)]).toEqual([false, false])
      }),
    )
  })

  it('2: a claim is never inferred from evidence', () => {
    fc.assert(
      fc.property(any.before, lively(name), any.evidence, (before, seen, evidence) => {
        const one = decided(name, before, seen).verdict.gate.claim
        expect(decided(name, before, { ...seen, evidence }).verdict.gate.claim).toBe(one)
      }),
    )
  })

  it('3: success is decided before limits and before the breaker', () => {
    fc.assert(
      fc.property(any.before, winning(name), fc.integer({ min: 0, max: 9e9 }), (before, seen, ms) => {
        const asBefore = { ...before, breaker: { ...before.breaker, state: 'half-open' as const }, streaks: {} }
        const { verdict } = decided(name, asBefore, { ...seen, spent: { ms, tokens: ms, usd: ms } })
        expect(completed(verdict) || gateOpened(verdict)).toBe(true)
      }),
    )
  })

  it('4: facts are never mutated, and the same facts give the same verdict', () => {
    fc.assert(
      fc.property(any.before, lively(name), (before, seen) => {
        const policy = policyOf(name)
        const one = decideIteration(frozen(before), frozen(seen), policy, AT)
        const again = decideIteration(
          JSON.parse(JSON.stringify(before)),
          JSON.parse(JSON.stringify(seen)),
          policyFor(configFor(name, name === 'prp' ? { prp: { qa: true } } : {})),
          AT,
        )
        expect(again).toEqual(one)
      }),
    )
  })

  it('4: the counters after an iteration are valid input for the next', () => {
    fc.assert(
      fc.property(any.before, lively(name), (before, seen) => {
        const { verdict, after, facts } = decided(name, before, seen)
        const advances = verdict.action === 'advance'
        expect(after.phase).toBe(advances ? verdict.phase : facts.phase)
        expect(after.phaseIteration).toBe(advances ? 0 : facts.phaseIteration)
        expect([after.trees.length <= 12, after.breaker.sizes.length <= 5]).toEqual([true, true])
        if (completed(verdict) || advances) expect(after.breaker).toMatchObject({ state: 'closed', noProgress: 0 })
      }),
    )
  })

  it('5: every stop names its rule, its reason and what is missing', () => {
    fc.assert(
      fc.property(any.before, lively(name), (before, seen) => {
        const { verdict } = decided(name, before, seen)
        expect(policyOf(name).rules.map((rule) => rule.name)).toContain(verdict.rule)
        expect(verdict.trace.at(-1)).toMatchObject({ name: verdict.rule, answer: 'yes' })
        expect(verdict.trace.slice(0, -1).filter((found) => found.answer === 'yes')).toEqual([])
        if (verdict.action !== 'stop') return
        const open = verdict.gate.claim !== 'yes' || verdict.gate.proof !== 'yes' || seen.signals.vetoes.length > 0
        expect(verdict.missing.length > 0 || !open).toBe(true)
        expect(verified(verdict) && verdict.missing.length > 0).toBe(false)
      }),
    )
  })

  it('6: a forced completion is always shown as forced', () => {
    fc.assert(
      fc.property(any.before, lively(name), any.words, any.words, (before, seen, by, reason) => {
        const { verdict } = decided(name, before, { ...seen, forced: { by, reason, scope: 'run' } })
        const expected = seen.interrupted ? 'interrupt' : 'forced'
        expect(verdict).toMatchObject({ action: 'stop', ending: expected })
      }),
    )
  })

  it('6: no agent output is verified without evidence', () => {
    fc.assert(
      fc.property(any.before, any.message, (before, text) => {
        const signals = read(spoken(text), policyOf(name).reading)
        const seen = { signals, evidence: {}, spent: { ms: 0, tokens: 0, usd: 0 }, interrupted: false }
        const { verdict } = decided(name, before, seen)
        expect([verified(verdict), gateOpened(verdict)]).toEqual([false, false])
      }),
    )
  })

  it('text for the agent never contains a completion token', () => {
    fc.assert(
      fc.property(any.before, lively(name), (before, seen) => {
        const { verdict } = decided(name, before, seen)
        const warnings = verdict.action === 'continue' ? verdict.warnings : []
        const said = [verdict.reason, ...verdict.missing, ...warnings]
        for (const text of [said.join('\n'), said.map((each) => `- ${each}`).join('\n'), ...said])
          expect(claims(text), text).toEqual([])
      }),
    )
  })

  it('the prompt asks for a status without containing one', () => {
    const { prompt } = policyOf(name)
    expect(claims(prompt)).toEqual([])
    expect(claims(`I was told:\n\n${prompt}`)).toEqual([])
  })
})

describe('default', () => {
  it('6: never completes without evidence, whatever the agent prints', () => {
    fc.assert(
      fc.property(any.before, any.message, any.evidence, (before, text, seen) => {
        const evidence = map(seen, (each) => ({ ...each, answer: each.answer === 'yes' ? 'unknown' : each.answer }))
        const signals = read(spoken(text), policyOf('default').reading)
        const { verdict } = decided('default', before, {
          signals,
          evidence,
          spent: { ms: 0, tokens: 0, usd: 0 },
          interrupted: false,
        })
        expect(completed(verdict)).toBe(false)
      }),
    )
  })

  it('has no weaknesses listed, and every other preset lists its own', () => {
    expect(NAMES.filter((name) => policyOf(name).weaker.length === 0)).toEqual(['default'])
  })
})

describe("2: proof never comes from the agent's words", () => {
  it.each(['default', 'gsd', 'blackbox', 'prp'] as const)('%s', (name) => {
    fc.assert(
      fc.property(any.before, lively(name), any.signals, (before, seen, signals) => {
        // In REFACTOR the preset trusts the agent that nothing is left to improve, and documents that.
        const phase = seen.phase === 'REFACTOR' || (seen.phase ?? before.phase) === 'REFACTOR' ? { phase: 'GREEN' } : {}
        const one = decided(name, before, { ...seen, ...phase }).verdict.gate.proof
        expect(decided(name, before, { ...seen, ...phase, signals }).verdict.gate.proof).toBe(one)
      }),
    )
  })
})

describe('4: replaying the journal of a row gives the same verdicts', () => {
  it.each(Object.entries(scenarios))('%s', (_, rows) => {
    for (const row of rows) {
      const { events } = play(row)
      const again = [...replay(events, policyFor)]
      expect(again.map(({ same }) => same)).toEqual(row.turns.map(() => true))
    }
  })
})

describe('8: every rule is reached by a row, or the preset says why not', () => {
  it.each(NAMES)('%s', (name) => {
    const known = new Set(policyOf(name).rules.map((rule) => rule.name))
    const reached = new Set<string>()
    for (const row of Object.values(scenarios).flat()) {
      if (row.preset !== name) continue
      const { policy, steps } = play(row)
      for (const rule of policy.rules) known.add(rule.name)
      for (const { verdict } of steps) {
        reached.add(verdict.rule)
        expect(Object.keys(policy.shadowed), `${row.id} reaches a rule that is said to be shadowed`).not.toContain(
          verdict.rule,
        )
      }
    }
    expect([...known].filter((rule) => !reached.has(rule) && !(rule in policyOf(name).shadowed))).toEqual([])
    expect(Object.keys(policyOf(name).shadowed).filter((rule) => !known.has(rule))).toEqual([])
  })
})

/** All claims in a text, in any dialect. */
function claims(text: string): readonly string[] {
  const signals = read(spoken(text), {})
  return Object.entries(signals.claims).flatMap(([dialect, yes]) => (yes ? [dialect] : []))
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) frozen(each)
    Object.freeze(value)
  }
  return value
}
