import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'
import { compareRuns, openFlakeHistory } from '../../src/evidence/flakes.ts'
import { quarantineAt } from '../../src/evidence/quarantine.ts'

const STATES: Readonly<Record<string, TestState>> = { f: 'failed', p: 'passed', s: 'skipped' }
/** `a:p b:f` is a run of two tests; `a:r` passed on a retry. */
function run(text: string, more: Partial<TestRun> = {}): TestRun {
  const tests = text
    .split(' ')
    .filter(Boolean)
    .map((word): TestCase => {
      const [name = '', letter = ''] = word.split(':')
      return letter === 'r' ? { name, state: 'passed', flaky: true } : { name, state: STATES[letter]! }
    })
  const count = (state: TestState) => tests.filter((test) => test.state === state).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  return { passed, failed, skipped, total: tests.length, ok: failed === 0, framework: 'x', tests, ...more }
}
const bare = (passed: number, failed: number): TestRun => ({
  passed,
  failed,
  skipped: 0,
  total: passed + failed,
  ok: failed === 0,
  framework: 'x',
})

describe('runs on the same tree', () => {
  const rows: [name: string, runs: TestRun[], flakes: Record<string, string>][] = [
    ['one run', [run('a:f b:p')], {}],
    ['two alike', [run('a:f b:p'), run('b:p a:f')], {}],
    ['passed, then failed', [run('a:p b:p'), run('a:f b:p')], { a: 'passed, failed' }],
    ['failed, then passed', [run('a:f'), run('a:p')], { a: 'failed, passed' }],
    ['three runs', [run('a:p'), run('a:p'), run('a:f')], { a: 'passed, passed, failed' }],
    ['passed, then skipped', [run('a:p b:p'), run('a:s b:p')], { a: 'passed, skipped' }],
    ['gone in the second run', [run('a:p b:p'), run('b:p')], { a: 'passed, absent' }],
    ['a failing one that comes', [run('b:p c:p'), run('b:p a:f')], { a: 'absent, failed' }],
    ['names with a random part', [run('a1:p b:p'), run('a2:p b:p')], {}],
    ['one of two with the same name', [run('a:p a:p'), run('a:p a:f')], { a: 'passed and passed, failed and passed' }],
    ['two of a name, the other way round', [run('a:p a:f'), run('a:f a:p')], {}],
    ['tried again by the runner', [run('a:r b:p')], { a: 'failed, passed' }],
    ['no names, the same counts', [bare(3, 0), bare(3, 0)], {}],
  ]
  it.each(rows)('%s', (_name, runs, flakes) => {
    const found = compareRuns(runs)
    expect(Object.fromEntries(found.flakes.map(({ name, states }) => [name, states.join(', ')]))).toEqual(flakes)
    expect(found.unnamed).toBeUndefined()
  })

  it('a difference counts even without names', () => {
    expect(compareRuns([bare(3, 0), bare(2, 1)])).toEqual({
      flakes: [],
      unnamed: '3 passed, 0 failed, 0 skipped; then 2 passed, 1 failed, 0 skipped',
    })
  })

  it('distinguishes tests with the same name by their files', () => {
    const of = (a: TestState, b: TestState) =>
      run('', {
        tests: [
          { name: 'x', file: 'a.js', state: a },
          { name: 'x', file: 'b.js', state: b },
        ],
      })
    expect(compareRuns([of('passed', 'failed'), of('failed', 'failed')]).flakes).toEqual([
      { name: 'x', file: 'a.js', states: ['passed', 'failed'] },
    ])
  })
})

describe('quarantine', () => {
  const at = Date.parse('2025-03-31T12:00:00Z')
  const rows: [until: string, holds: boolean, expired: boolean, problem: boolean][] = [
    ['2025-04-01', true, false, false],
    ['2025-03-31', true, false, false],
    ['2025-03-30', false, true, false],
    ['2025-03-31T12:00:01Z', true, false, false],
    ['2025-03-31T12:00:00Z', false, true, false],
    ['2025-03-31T14:30:00+02:00', true, false, false],
    ['2025-02-31', false, false, true],
    ['never', false, false, true],
    ['', false, false, true],
    ['2025', false, false, true],
    ['9999-99-99', false, false, true],
  ]
  it.each(rows)('until %j', (until, holds, expired, problem) => {
    const found = quarantineAt([{ test: 'a > b', until, reason: 'slow network' }], at)
    expect([
      found.active({ name: 'a > b' }) !== undefined,
      found.expired({ name: 'a > b' }) !== undefined,
      found.problems.length > 0,
    ]).toEqual([holds, expired, problem])
    expect(found.active({ name: 'a > c' })).toBeUndefined()
  })

  it('needs a reason', () => {
    const found = quarantineAt([{ test: 'a', until: '2099-01-01', reason: ' ' }], at)
    expect(found.active({ name: 'a' })).toBeUndefined()
    expect(found.problems).toEqual(['The quarantine of "a" has no reason.'])
  })

  it('has no end and needs no reason for a test that is listed by its name', () => {
    const found = quarantineAt(['a > b'], Date.parse('2999-01-01'))
    expect([found.active({ name: 'a > b' })?.test, found.problems]).toEqual(['a > b', []])
  })

  it('finds a test with its file', () => {
    const found = quarantineAt([{ test: 'x.test.js > a > b', until: '2099-01-01', reason: 'r' }], at)
    expect(found.active({ name: 'a > b' }, 'x.test.js')?.reason).toBe('r')
    expect(found.active({ name: 'a > b', file: 'x.test.js' })?.reason).toBe('r')
    expect(found.active({ name: 'a > b' }, 'y.test.js')).toBeUndefined()
  })
})

describe('the history', () => {
  let dir = ''
  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'exitgate-flakes-')), 'state')
  })
  afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
  const green = { green: true, failed: [] }
  const red = (...failed: string[]) => ({ green: false, failed })

  it('remembers rates from one process to the next', () => {
    openFlakeHistory(dir).record({ tree: 't', at: 1, rounds: [green, red('a')], flaky: ['a'] })
    openFlakeHistory(dir).record({ tree: 't', at: 2, rounds: [green, green], flaky: [] })
    openFlakeHistory(dir).record({ tree: 'u', at: 3, rounds: [green, red('a')], flaky: ['a'] })
    const again = openFlakeHistory(dir)
    expect([again.rateOf('a'), again.rateOf('b'), again.rateOf('toString'), again.problems]).toEqual([
      { flaked: 2, runs: 6, at: 3 },
      undefined,
      undefined,
      [],
    ])
    expect(statSync(join(dir, 'flakes.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual(['flakes.json'])
  })

  it('counts passing runs in a row on each tree', () => {
    const history = openFlakeHistory(dir)
    history.record({ tree: 't', at: 1, rounds: [red('a')], flaky: [] })
    history.record({ tree: 't', at: 2, rounds: [green, green], flaky: [] })
    history.record({ tree: 'u', at: 3, rounds: [green], flaky: [] })
    history.record({ tree: 't', at: 4, rounds: [green], flaky: [] })
    expect([history.onTree('t'), history.onTree('u')?.green, history.onTree('v')]).toEqual([
      { tree: 't', green: 3, failed: ['a'] },
      1,
      undefined,
    ])
    history.record({ tree: 't', at: 5, rounds: [green, red('b')], flaky: [] })
    expect(history.onTree('t')).toMatchObject({ green: 0, failed: ['a', 'b'] })
  })

  it('remembers nothing about a tree without an id', () => {
    const history = openFlakeHistory(dir)
    history.record({ tree: '', at: 1, rounds: [green], flaky: [] })
    expect(history.onTree('')).toBeUndefined()
  })

  it('stays small', () => {
    const history = openFlakeHistory(dir)
    for (let i = 0; i < 40; i++) {
      const names = Array.from({ length: 300 }, (_none, n) => `test ${i * 300 + n}`)
      history.record({ tree: `t${i}`, at: i, rounds: [red(...names)], flaky: names })
    }
    expect(readFileSync(join(dir, 'flakes.json')).length).toBeLessThan(200_000)
    expect([history.rateOf('test 0'), history.rateOf('test 11999')]).toEqual([
      undefined,
      { flaked: 1, runs: 1, at: 39 },
    ])
    expect([history.onTree('t0'), history.onTree('t39')?.failed.length]).toEqual([undefined, 200])
  })

  const bad = [
    '',
    'no json',
    '[]',
    '{"v":2}',
    '{"v":1,"tests":[],"trees":[]}',
    '{"v":1,"tests":{"a":{"flaked":"x"}},"trees":[]}',
    '{"v":1,"tests":{},"trees":[null]}',
  ]
  it.each(bad)('reports a damaged file (%s) and starts with an empty one', (text) => {
    mkdirSync(dir)
    writeFileSync(join(dir, 'flakes.json'), text)
    const history = openFlakeHistory(dir)
    expect(history.problems).toEqual([expect.stringContaining('Starting with an empty one')])
    history.record({ tree: 't', at: 1, rounds: [green], flaky: ['a'] })
    expect(openFlakeHistory(dir)).toMatchObject({ problems: [] })
  })

  it('follows no link, and continues if it cannot be written', () => {
    mkdirSync(dir)
    symlinkSync('/etc/hostname', join(dir, 'flakes.json'))
    expect(openFlakeHistory(dir).problems).toHaveLength(1)
    rmSync(dir, { recursive: true })
    writeFileSync(dir, 'a file')
    const history = openFlakeHistory(dir)
    history.record({ tree: 't', at: 1, rounds: [green], flaky: [] })
    expect(history.problems).toEqual([expect.stringContaining('was not written')])
    expect(history.onTree('t')?.green).toBe(1)
  })
})
