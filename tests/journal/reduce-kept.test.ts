import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { EventInput, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import type { Evidence, Observation, OpenFinding } from '../../src/core/types.ts'
import { CONTINUE, DONE, decided, observation, STUCK, stamped, started } from './samples.ts'

type Of<T extends EventInput['type']> = Extract<EventInput, { type: T }>

const fold = (...events: readonly EventInput[]): State => stamped(events).reduce(reduce, emptyState())
/** The state after events at these times. */
const ended = (more: Partial<Of<'run.ended'>> = {}): EventInput => ({
  ...{ type: 'run.ended', outcome: 'stuck', ending: 'breaker', reason: 'no progress', iteration: 1 },
  ...more,
})
const completed = ended({ outcome: 'completed', ending: 'verified' })
const treeVerified: EventInput = { type: 'tree.verified', baselineId: 'b1', folder: 'f1' }
const finding = (key: string): OpenFinding => ({ id: key, key, kind: 'k', file: 'a.js', detail: 'd' })
const accepted = (reason: string, ...keys: readonly string[]): EventInput => ({
  type: 'accepted',
  findings: keys.map(finding),
  by: 'me',
  reason,
})
const held = (reason: string, key: string, after: number) => ({ ...finding(key), by: 'me', reason, after })
const evidence = (check: string, more: Partial<Evidence>): Evidence => ({
  ...{ check, answer: 'yes', detail: '', ms: 0, tree: 't' },
  ...more,
})
const seen = (iteration: number, more: Partial<Observation>, decision = CONTINUE): EventInput => ({
  ...(decided(iteration, decision) as Of<'iteration.decided'>),
  observation: { ...observation, ...more },
})
const looked = (iteration: number, tampering: Partial<Evidence>, decision = CONTINUE): EventInput =>
  seen(iteration, { evidence: { tampering: evidence('tampering', tampering) } }, decision)
const took = (iteration: number, check: string, ms: number, runs?: number): EventInput =>
  seen(iteration, {
    evidence: { [check]: evidence(check, { ms, ...(runs === undefined ? {} : { counts: { runs } }) }) },
  })
const FORCED = { action: 'stop', outcome: 'completed', ending: 'forced' } as const

/** The state has exactly this value under the key; undefined means that the key is absent. */
const rows: readonly [string, keyof State, readonly EventInput[], unknown][] = [
  ['accepted findings', 'accepted', [accepted('one', 'a', 'b')], [held('one', 'a', 0), held('one', 'b', 0)]],
  [
    'a later acceptance replaces the earlier one',
    'accepted',
    [accepted('one', 'a', 'b'), decided(3), accepted('two', 'a')],
    [held('one', 'b', 0), held('two', 'a', 3)],
  ],
  ['the next run keeps them', 'accepted', [accepted('one', 'a'), completed, started()], [held('one', 'a', -1)]],
  [
    'also with a new baseline after an unfinished run',
    'accepted',
    [accepted('one', 'a'), ended(), started({ baselineId: 'b2' })],
    [held('one', 'a', -1)],
  ],
  [
    'a baseline after a completed run contains them',
    'accepted',
    [accepted('one', 'a'), completed, started({ baselineId: 'b2' })],
    undefined,
  ],
  ['a run without any', 'accepted', [started()], undefined],

  ['a verified tree', 'verified', [treeVerified], { baselineId: 'b1', folder: 'f1', at: 1000 }],
  [
    'a verified tree outlives its run',
    'verified',
    [treeVerified, started()],
    { baselineId: 'b1', folder: 'f1', at: 1000 },
  ],
  ['no verified tree', 'verified', [started()], undefined],
  [
    'changed tests that were not verified',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' } })],
    { files: { 'a.js': 'h' }, at: 1000 },
  ],
  [
    'they outlive their run',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' } }), started()],
    { files: { 'a.js': 'h' }, at: 1000 },
  ],
  ['a look that finds none', 'unverified', [looked(1, { unverified: { 'a.js': 'h' } }), looked(2, {})], undefined],
  [
    'a look without an answer changes nothing',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' } }), looked(2, { answer: 'unknown' })],
    { files: { 'a.js': 'h' }, at: 1000 },
  ],
  [
    'nobody looked',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' } }), decided(2)],
    { files: { 'a.js': 'h' }, at: 1000 },
  ],
  ['a verified end', 'unverified', [looked(1, { unverified: { 'a.js': 'h' } }, DONE)], undefined],
  [
    'a verified end without a tree verifies nothing',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' }, tree: '' }, DONE)],
    { files: { 'a.js': 'h' }, at: 1000 },
  ],
  [
    'another end verifies nothing',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' } }, STUCK)],
    { files: { 'a.js': 'h' }, at: 1000 },
  ],
  [
    'a forced end accepts them',
    'unverified',
    [looked(1, { unverified: { 'a.js': 'h' } }), looked(2, { answer: 'unknown' }, FORCED)],
    undefined,
  ],
  ['a stored tree verifies them', 'unverified', [looked(1, { unverified: { 'a.js': 'h' } }), treeVerified], undefined],

  [
    'the slowest run of each check',
    'slowest',
    [took(1, 'tests', 40), took(2, 'lint', 7), took(3, 'tests', 30)],
    { tests: 40, lint: 7 },
  ],
  ['a slower one', 'slowest', [took(1, 'tests', 40), took(2, 'tests', 41)], { tests: 41 }],
  ['each of several runs', 'slowest', [took(1, 'tests', 41, 2)], { tests: 21 }],
  ['of a check that counts no runs', 'slowest', [took(1, 'tests', 41, 0)], { tests: 41 }],
  ['nothing took time', 'slowest', [took(1, 'tests', 0)], undefined],
  ['the baseline counts', 'slowest', [started({ baseline: { tests: evidence('tests', { ms: 50 }) } })], { tests: 50 }],
  ['it outlives its run', 'slowest', [took(1, 'tests', 40), started()], { tests: 40 }],

  ['a baseline', 'baseline', [started({ baseline: {} })], {}],
  ['no baseline', 'baseline', [started()], undefined],
  ['nothing unverified', 'unverified', [started()], undefined],
  ['the id of the baseline', 'baselineId', [started({ baselineId: 'b1' })], 'b1'],
  ['a new run without a baseline', 'baselineId', [started({ baselineId: 'b1' }), started()], undefined],
  ['the sandbox', 'sandbox', [started({ sandbox: 'bubblewrap' })], 'bubblewrap'],
  ['a new run without a sandbox', 'sandbox', [started({ sandbox: 'bubblewrap' }), started()], undefined],
  ['remote control', 'remote', [started({ remote: true })], true],
  ['a new run without remote control', 'remote', [started({ remote: true }), started()], undefined],
  ['the code of the configuration', 'code', [started({ code: 'c1' })], 'c1'],
  ['newer code', 'code', [started({ code: 'c1' }), started({ code: 'c2' })], 'c2'],
  ['code outlives its run', 'code', [started({ code: 'c1' }), started()], 'c1'],
  ['no code', 'code', [started()], undefined],
  ['no configuration', 'config', [{ type: 'run.started', run: 'r1' }], undefined],
  ['the same configuration as in the previous run', 'config', [started(), { type: 'run.started', run: 'r2' }], BASE],
]

describe('what a run keeps', () => {
  it('an observation without evidence, as in an edited journal, changes nothing', () => {
    const { evidence: _evidence, ...bare } = observation
    const event = { ...(decided(2) as Of<'iteration.decided'>), observation: bare as Observation }
    const state = fold(looked(1, { unverified: { 'a.js': 'h' }, ms: 3 }), event)
    expect(state).toMatchObject({ unverified: { at: 1000 }, slowest: { tampering: 3 }, iterations: 2 })
  })

  it.each(rows)('%s', (_name, key, events, expected) => {
    const state = fold(...events)
    expect([state[key], Object.hasOwn(state, key)]).toStrictEqual([expected, expected !== undefined])
    expect(state.seq).toBe(events.length)
  })

  it('the last 500 accepted findings are kept', () => {
    const keys = Array.from({ length: 501 }, (_, i) => `k${i}`)
    expect(fold(accepted('one', ...keys)).accepted?.map(({ key }) => key)).toEqual(keys.slice(1))
  })
})
