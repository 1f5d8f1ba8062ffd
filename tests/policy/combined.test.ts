import { describe, expect, it } from 'vitest'
import { improved, notRefuted } from '../../src/core/policy/conditions.ts'
import { all, any, byPhase, finding, once, openLeaves, provided } from '../../src/core/policy/finding.ts'
import { completion, countIn, greenRuns } from '../../src/core/policy/measures.ts'
import { everyCheck } from '../../src/core/policy/proof.ts'
import { allPass, everyTestFails, newTests, noneFailing } from '../../src/core/policy/test-counts.ts'
import type { Answer, Condition, Evidence, Facts } from '../../src/core/types.ts'
import { type Checks, counted, evidence, facts } from './made-facts.ts'

const yes: Condition = () => finding('yes', 'yes', 'fine.')
const no: Condition = () => finding('no', 'no', 'wrong.')
const unknown: Condition = () => finding('unknown', 'unknown', 'dark.')

type Row = readonly [string, Condition, Facts, Answer, detail: string]
const tests: readonly Row[] = [
  ['every test passes', allPass, counted({ total: 2, passed: 2, failed: 0 }), 'yes', 'tests: 2 of 2 pass'],
  ['one is skipped', allPass, counted({ total: 2, passed: 1, failed: 0 }), 'no', 'tests: 1 of 2 pass'],
  ['a failure beside them', allPass, counted({ total: 2, passed: 2, failed: 1 }), 'no', 'tests: 2 of 2 pass'],
  [
    'a check that failed otherwise',
    allPass,
    counted({ total: 2, passed: 2, failed: 0 }, { answer: 'no' }),
    'no',
    'tests: fail',
  ],
  [
    'and says why',
    allPass,
    counted({ total: 2, passed: 2, failed: 0 }, { answer: 'no', detail: 'd' }),
    'no',
    'tests: d',
  ],
  ['no counts', allPass, facts({ tests: {} }), 'unknown', 'tests: no test results'],
  ['no counts, with the reason', allPass, facts({ tests: { detail: 'd' } }), 'unknown', 'tests: d'],
  ['no tests', allPass, facts(), 'unknown', 'tests: no test results'],
  ['no total', allPass, counted({ passed: 1, failed: 0 }), 'unknown', 'tests: no test results'],
  ['no passed', allPass, counted({ total: 1, failed: 0 }), 'unknown', 'tests: no test results'],
  ['no failed', allPass, counted({ total: 1, passed: 1 }), 'unknown', 'tests: no test results'],
  ['no test ran', allPass, counted({ total: 0, passed: 0, failed: 0 }), 'unknown', 'tests: no test ran'],
  [
    'an unknown answer',
    allPass,
    counted({ total: 1, passed: 1, failed: 0 }, { answer: 'unknown' }),
    'unknown',
    'tests: unknown',
  ],
  [
    'none failing',
    noneFailing,
    counted({ total: 3, passed: 2, failed: 0, skipped: 1 }),
    'yes',
    'tests: 2 of 3 pass, 0 fail',
  ],
  ['one unaccounted for', noneFailing, counted({ total: 3, passed: 2, failed: 0 }), 'no', 'tests: 2 of 3 pass, 0 fail'],
  [
    'one failing',
    noneFailing,
    counted({ total: 3, passed: 2, failed: 1, skipped: 1 }),
    'no',
    'tests: 2 of 3 pass, 1 fail',
  ],
  [
    'only skipped',
    noneFailing,
    counted({ total: 1, passed: 0, failed: 0, skipped: 1 }),
    'no',
    'tests: 0 of 1 pass, 0 fail',
  ],
]

const was = { baseline: evidence({ tests: { counts: { total: 3, passed: 2, failed: 1 } } }) }
const red = (total: number, passed: number, failed: number, more: Evidence['counts'] & {} = {}) =>
  facts({ tests: { answer: 'no', counts: { total, passed, failed, ...more } } }, was)
const inRed: readonly Row[] = [
  ['every new test fails', everyTestFails, red(5, 2, 3), 'yes', '2 of 2 new tests fail, 0 pass'],
  ['one new test passes', everyTestFails, red(5, 3, 2), 'no', '1 of 2 new tests fail, 1 pass'],
  ['one is skipped', everyTestFails, red(5, 2, 2), 'no', '1 of 2 new tests fail, 0 pass'],
  ['no new test', everyTestFails, red(3, 2, 1), 'no', '0 of 0 new tests fail, 0 pass'],
  ['an earlier test is gone', everyTestFails, red(5, 2, 3, { missing: 1 }), 'no', '1 earlier test is gone'],
  ['an earlier test fails', everyTestFails, red(5, 1, 4), 'no', '1 test that passed before the run fails now'],
  ['earlier tests fail', everyTestFails, red(5, 0, 5), 'no', '2 tests that passed before the run fail now'],
  ['an earlier failure passes', everyTestFails, red(5, 5, 0), 'no', '1 test that failed before the run passes already'],
  [
    'without a baseline all are new',
    everyTestFails,
    counted({ total: 1, passed: 0, failed: 1 }),
    'yes',
    '1 of 1 test fail, 0 pass',
  ],
]

const proof: readonly Row[] = [
  [
    'proof that is not required',
    notRefuted('proven'),
    facts({ proven: { answer: 'unknown' } }),
    'yes',
    'not proven, and not needed',
  ],
  [
    'no problem',
    notRefuted('mutation'),
    facts({ mutation: { answer: 'unknown' } }),
    'yes',
    'changes tested: no problem found',
  ],
]

const combined: readonly Row[] = [
  ['all of nothing', all('n'), facts(), 'unknown', 'no check ran, so nothing is proven'],
  ['all of yes', all('n', yes, yes), facts(), 'yes', 'fine; fine'],
  ['all with one no', all('n', yes, no), facts(), 'no', 'wrong.'],
  ['all with one unknown', all('n', unknown, yes), facts(), 'unknown', 'dark.'],
  ['all with both', all('n', unknown, no), facts(), 'no', '2 of 2 conditions not met'],
  ['all in a phase', all('n', () => finding('phase A', 'yes', 'in A'), yes), facts(), 'yes', 'fine'],
  ['only the phase', all('n', () => finding('phase A', 'yes', 'in A')), facts(), 'yes', 'in A'],
  ['any of yes', any('n', no, yes), facts(), 'yes', 'fine.'],
  ['any of no', any('n', no, no), facts(), 'no', 'wrong; wrong'],
  ['any with unknown', any('n', no, unknown), facts(), 'unknown', 'wrong; dark'],
  ['no warning', any('warn', no), facts(), 'no', 'no warning applies'],
  ['provided yes', provided(yes, no), facts(), 'no', 'wrong.'],
  ['provided no', provided(no, yes), facts(), 'no', 'wrong.'],
  ['a phase', byPhase('n', { A: no }), facts({}, { phase: 'A' }), 'no', 'wrong.'],
  ['another phase', byPhase('n', { A: no }), facts({}, { phase: 'B' }), 'unknown', 'the phase B has no checks'],
  ['no phase', byPhase('n', { A: no }), facts(), 'unknown', 'the phase (none) has no checks'],
]

describe('a combination', () => {
  it.each([...tests, ...inRed, ...proof, ...combined])('%s', (_name, condition, seen, answer, detail) => {
    const found = condition(seen)
    expect([found.answer, found.detail]).toEqual([answer, detail])
  })

  it('the parts of a phase are those of its condition, or itself', () => {
    expect(byPhase('n', { A: no })(facts({}, { phase: 'A' })).parts).toEqual([no(facts())])
    expect(byPhase('n', { A: all('a', yes, no) })(facts({}, { phase: 'A' })).parts).toEqual([yes(facts()), no(facts())])
  })

  it('what is open are the leaves that are not yes', () => {
    const found = all('n', yes, all('m', no, yes, unknown))(facts())
    expect(openLeaves(found).map(({ name }) => name)).toEqual(['no', 'unknown'])
    expect(openLeaves(finding('n', 'yes', '', [no(facts())]))).toEqual([])
    expect(openLeaves(finding('n', 'no', '', [])).map(({ name }) => name)).toEqual(['n'])
  })

  it('a condition runs once for the same facts', () => {
    let asked = 0
    const condition = once(() => finding('n', 'yes', `${++asked}`))
    const [one, other] = [facts(), facts()]
    expect([one, one, other, one].map((each) => condition(each).detail)).toEqual(['1', '1', '2', '3'])
  })
})

describe('the proof of the default preset', () => {
  const names = (required: readonly string[], requireChange: boolean, checks: Checks) =>
    everyCheck(required, requireChange)(facts(checks)).parts?.map(({ name, answer }) => `${name} ${answer}`)
  const fails = { answer: 'no' } as const
  const dark = { answer: 'unknown' } as const
  const proofs: readonly [string, readonly string[], boolean, Checks, readonly string[]][] = [
    [
      'required checks first, then what was gathered',
      ['tests'],
      true,
      { lint: {}, tests: {}, build: fails },
      ['tests yes', 'build no', 'lint yes'],
    ],
    ['a required check that nobody ran', ['tests'], true, {}, ['tests unknown']],
    [
      'information does not count',
      [],
      true,
      { clean: fails, 'task-done': fails, quality: fails, lint: {} },
      ['lint yes'],
    ],
    ['unless it is required', ['clean'], true, { clean: fails }, ['clean no']],
    [
      'checks that only refute',
      [],
      true,
      { proven: dark, mutation: fails, 'special-cased': {} },
      ['mutation no', 'proven yes', 'special-cased yes'],
    ],
    ['a proof that is required and missing', [], true, { proven: fails, lint: {} }, ['lint yes', 'proven no']],
    // Journals of earlier versions have these.
    [
      'checks of earlier versions',
      [],
      true,
      { 'red-proof': dark, 'baseline-tests': fails },
      ['baseline-tests no', 'red-proof yes'],
    ],
    ['a change is required', [], true, { changed: fails, lint: {} }, ['lint yes', 'changed no']],
    ['an unknown change is none', [], true, { changed: dark, lint: {} }, ['lint yes', 'changed unknown']],
    ['other checks still refute', [], false, { mutation: fails, lint: {} }, ['lint yes', 'mutation no']],
    ['a change is not required', [], false, { changed: fails, lint: {} }, ['lint yes']],
    [
      'a refuting check that is required has to pass',
      ['changed', 'mutation'],
      false,
      { changed: dark, mutation: dark },
      ['changed unknown', 'mutation unknown'],
    ],
  ]
  it.each(proofs)('%s', (_name, required, requireChange, checks, parts) => {
    expect(names(required, requireChange, checks)).toEqual(parts)
  })
})

describe('measures', () => {
  const plan = (counts: Evidence['counts'] & {}, answer: Answer = 'yes') => facts({ checklist: { counts, answer } })
  const values: readonly [string, () => number | undefined, number | undefined][] = [
    ['a share of the plan, rounded down', () => completion(plan({ total: 3, done: 2 })), 66],
    ['an empty plan', () => completion(plan({ total: 0, done: 0 })), undefined],
    ['a plan without ticks', () => completion(plan({ total: 3 })), undefined],
    ['a plan that nobody could read', () => completion(plan({ total: 3, done: 3 }, 'unknown')), undefined],
    ['no plan', () => completion(facts()), undefined],
    ['a count', () => countIn(counted({ total: 3 }), 'tests', 'total'), 3],
    ['a count of a quick run', () => countIn(counted({ total: 3 }, { quick: true }), 'tests', 'total'), undefined],
    ['a count that is absent', () => countIn(counted({}), 'tests', 'total'), undefined],
    ['passing runs of the check', () => greenRuns(counted({ greenRuns: 2 })), 2],
    ['passing runs by iterations', () => greenRuns(facts({ tests: {} }, { streaks: { green: { n: 3 } } })), 3],
    ['passing runs without tests', () => greenRuns(facts({}, { streaks: { green: { n: 3 } } })), undefined],
    ['new tests', () => newTests(red(5, 2, 3)), 2],
    ['new tests without a baseline', () => newTests(counted({ total: 2 })), 2],
    ['new tests without a total', () => newTests(facts({ tests: {} }, was)), undefined],
  ]
  it.each(values)('%s', (_name, value, expected) => expect(value()).toBe(expected))

  const better: readonly [string, Evidence['counts'] & {}, Evidence['counts'] & {}, boolean][] = [
    ['fewer failures', { failed: 2 }, { failed: 1 }, true],
    ['as many failures', { failed: 1 }, { failed: 1 }, false],
    ['more failures', { failed: 1 }, { failed: 2 }, false],
    ['more passes', { passed: 1 }, { passed: 2 }, true],
    ['as many passes', { passed: 1 }, { passed: 1 }, false],
    ['unknown before', {}, { passed: 1 }, false],
  ]
  it.each(better)('improved: %s', (_name, before, now, expected) => {
    const previous = { evidence: evidence({ tests: { counts: before } }) }
    expect(improved(facts({ tests: { counts: now } }, { previous }))).toBe(expected)
    const ticks = (n: number) => ({ checklist: { counts: { done: n } } })
    const planned = (n: number) => facts(ticks(n), { previous: { evidence: evidence(ticks(1)) } })
    expect([improved(planned(1)), improved(planned(2))]).toEqual([false, true])
  })
})
