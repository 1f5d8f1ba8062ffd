import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Decided, JournalEvent } from '../../src/core/journal/events.ts'
import { type PolicyLookup, replay } from '../../src/core/journal/replay.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { play } from '../scenarios/play.ts'

type Recorded = Extract<JournalEvent, { type: 'iteration.decided' }>

/** A claim with failing tests, then a claim without any evidence. */
const { events } = play({
  id: 'replay',
  name: '',
  preset: 'default',
  turns: [
    [{ says: 'EXIT_STATUS: COMPLETE\n', evidence: { tests_total: 3, tests_passing: 2, tests_failing: 1 } }, ['', '']],
    [{ says: 'EXIT_STATUS: COMPLETE\n' }, ['', '']],
  ],
})

/** Replays the journal after a change to its first decision. */
function replayed(change: (event: Recorded) => object, lookup: PolicyLookup = policyFor) {
  let changed = false
  const altered = events.map((event) => {
    if (event.type !== 'iteration.decided' || changed) return event
    changed = true
    return { ...event, ...change(event) } as JournalEvent
  })
  return [...replay(altered, lookup)]
}
const inVerdict = (change: (verdict: Decided) => object) => (event: Recorded) => ({
  verdict: { ...event.verdict, ...change(event.verdict) },
})
const inStreaks = (change: (streaks: Recorded['after']['streaks']) => object) => (event: Recorded) => ({
  after: { ...event.after, streaks: change(event.after.streaks) },
})
const [first] = replayed(() => ({}))
const { reason, missing, measures } = first!.decision.verdict
const warning = first!.decision.verdict.action === 'continue' ? first!.decision.verdict.warnings[0] : undefined

describe('a decision made again', () => {
  it('is the same without a change', () => {
    expect(replayed(() => ({})).map(({ same, difference }) => [same, difference])).toEqual([
      [true, undefined],
      [true, undefined],
    ])
    expect(replayed(() => ({}))[0]).not.toHaveProperty('difference')
    expect([missing.length > 0, warning !== undefined, measures.confidence]).toEqual([true, true, 65])
  })

  const rows: readonly [
    string,
    (event: Recorded) => object,
    same: boolean,
    field: string,
    was: unknown,
    today: unknown,
  ][] = [
    ['another reason', inVerdict(() => ({ reason: 'r' })), true, 'reason', 'r', reason],
    ['another warning', inVerdict(() => ({ warnings: ['w'] })), true, 'warnings.0', 'w', warning],
    [
      'other words for what is missing',
      inVerdict(() => ({ missing: ['m', ...missing.slice(1)] })),
      true,
      'missing.0',
      'm',
      missing[0],
    ],
    ['nothing missing', inVerdict(() => ({ missing: [] })), false, 'complete', true, false],
    ['another action', inVerdict(() => ({ action: 'advance', phase: 'B' })), false, 'action', 'advance', 'continue'],
    ['another measure', inVerdict(() => ({ measures: { confidence: 1 } })), false, 'measures.confidence', 1, 65],
    [
      'a measure that was not recorded',
      inVerdict(() => ({ measures: {} })),
      false,
      'measures.confidence',
      undefined,
      65,
    ],
    [
      'a measure that is gone',
      inVerdict(() => ({ measures: { ...measures, old: 1 } })),
      false,
      'measures.old',
      1,
      undefined,
    ],
    [
      'a measure named like a method',
      inVerdict(() => ({ measures: { ...measures, toString: 1 } })),
      false,
      'measures.toString',
      1,
      undefined,
    ],
    ['a list instead of a table', inVerdict(() => ({ measures: [] })), false, 'measures', [], measures],
    ['nothing instead of a table', inVerdict(() => ({ measures: null })), false, 'measures', null, measures],
    ['a text instead of a table', inVerdict(() => ({ measures: 'm' })), false, 'measures', 'm', measures],
    [
      'a changed count',
      inStreaks((all) => ({ ...all, hollowClaims: { n: 7 } })),
      true,
      'after.streaks.hollowClaims.n',
      7,
      1,
    ],
    [
      'a streak that is gone',
      inStreaks((all) => ({ ...all, old: { n: 1 } })),
      true,
      'after.streaks.old',
      { n: 1 },
      undefined,
    ],
    ['another phase', ({ after }) => ({ after: { ...after, phase: 'B' } }), true, 'after.phase', 'B', undefined],
  ]
  it.each(rows)('%s', (_name, change, same, field, recorded, today) => {
    const [found, next] = replayed(change)
    expect([found?.same, found?.difference]).toEqual([same, { field, recorded, today }])
    expect(next?.same).toBe(true)
  })

  const alike: readonly [string, (event: Recorded) => object][] = [
    ['a streak that is newer than the journal', inStreaks(({ hollowClaims: _hollowClaims, ...rest }) => rest)],
    ['an undefined value', inVerdict(() => ({ phase: undefined }))],
    [
      'a number that JSON stores as null',
      ({ observation, after }) => ({
        observation: { ...observation, spent: { ...observation.spent, usd: Number.NaN } },
        after: { ...after, total: { ...after.total, usd: null } },
      }),
    ],
  ]
  it.each(alike)('%s makes no difference', (_name, change) => {
    const [found] = replayed(change)
    expect([found?.same, found?.difference]).toEqual([true, undefined])
  })
})

describe('the policy', () => {
  it('is made once for each configuration', () => {
    const asked: string[] = []
    const lookup: PolicyLookup = (config) => {
      asked.push(config.preset)
      return policyFor(config)
    }
    expect(replayed(() => ({}), lookup)).toHaveLength(2)
    expect(asked).toEqual(['default'])
    const [start, ...rest] = events
    const decision = rest.find(({ type }) => type === 'iteration.decided')!
    const changed = {
      ...decision,
      type: 'config.changed',
      config: { ...BASE, preset: 'cub' },
      paths: [],
    } as JournalEvent
    const runs = [...replay([start!, decision, changed, decision], lookup)]
    expect(asked).toEqual(['default', 'default', 'cub'])
    expect(runs.map(({ policy }) => policy.preset)).toEqual(['default', 'cub'])
  })

  it('decisions without their configuration or code are skipped', () => {
    expect(
      replayed(
        () => ({}),
        () => undefined,
      ),
    ).toEqual([])
    expect([
      ...replay(
        events.filter(({ type }) => type !== 'run.started'),
        policyFor,
      ),
    ]).toEqual([])
  })
})
