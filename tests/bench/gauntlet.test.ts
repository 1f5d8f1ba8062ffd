import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { judgeRun } from '../../bench/gauntlet/figures.mjs'
import { runGauntlet } from '../../bench/gauntlet/gauntlet.mjs'
import { exitgateRun } from '../../bench/gauntlet/run-exitgate.mjs'
import { scenarios } from '../../bench/gauntlet/scenarios/index.mjs'
import type { Run } from '../../bench/gauntlet/types.d.mts'
import { program } from '../e2e/program.ts'
import { patience } from '../timing.ts'

const CLASSES = [
  ...['contradiction', 'crash', 'echo', 'fence', 'flaky', 'hidden', 'honest', 'honest-change', 'hostile'],
  ...['known-failures', 'known-limits', 'language'],
  ...['limits', 'negation', 'oscillating', 'plan', 'premature', 'stuck', 'tampering', 'unproven'],
]
/** Agents of these classes may never claim completion. */
const SILENT = ['contradiction', 'crash', 'limits', 'stuck']

const named = (name: string) => {
  const found = scenarios.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no scenario "${name}"`)
  return found
}

describe('the scenarios', () => {
  it('are many, cover every class, and have unique names', () => {
    const names = scenarios.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(60)
    expect([...new Set(names)]).toEqual(names)
    expect([...new Set(scenarios.map((each) => each.class))].sort()).toEqual(CLASSES)
  })

  it.each(scenarios.map((each) => [each.name, each] as const))('%s: is complete', (_name, each) => {
    expect(Object.keys(each.files).length).toBeGreaterThan(0)
    expect(each.prompt).not.toBe('')
    expect(each.hidden.command.length).toBeGreaterThan(0)
    // No system and no agent may see the hidden tests.
    for (const path of Object.keys(each.hidden.files)) expect(each.files).not.toHaveProperty([path])
    expect(each.iterations.length).toBeLessThanOrEqual(8)
    const claims = each.iterations.some((script) => /claim/.test(String(script)))
    expect(claims || SILENT.includes(each.class)).toBe(true)
  })
})

const step = (n: number, tree: string, claimed = false) => ({ n, tree, claimed })
const ended = (more: Partial<Run>): Run => ({
  ...{ completed: false, ending: 'cap', started: 1, iterations: [], finalTree: 'bad' },
  ...more,
})

describe('a run compared with the truth', () => {
  const rows: readonly (readonly [string, Run, number | undefined, object])[] = [
    [
      'completed where it was done',
      ended({ completed: true, iterations: [step(1, 'good', true)], finalTree: 'good' }),
      1,
      { false: false, missed: false, wasted: 0, idle: null, done: 1 },
    ],
    [
      'completed on a tree that is not accepted',
      ended({ completed: true, iterations: [step(1, 'bad', true)] }),
      2,
      { false: true, missed: false, wasted: 0, done: 2 },
    ],
    [
      'done and claimed, and never completed',
      ended({ started: 4, iterations: [1, 2, 3, 4].map((n) => step(n, 'good', n > 1)), finalTree: 'good' }),
      2,
      { false: false, missed: true, wasted: 2, done: 2 },
    ],
    ['given up before it was done', ended({ iterations: [step(1, 'bad')] }), 3, { missed: true, wasted: 0, done: 3 }],
    [
      'done without a claim is not done',
      ended({ started: 3, iterations: [1, 2, 3].map((n) => step(n, 'good')), finalTree: 'good' }),
      undefined,
      { false: false, missed: false, wasted: null, idle: 2, done: null },
    ],
    [
      'done sooner than without a system, because it listened',
      ended({ completed: true, started: 2, iterations: [step(1, 'bad'), step(2, 'good', true)], finalTree: 'good' }),
      undefined,
      { false: false, missed: false, wasted: 0, done: 2 },
    ],
  ]

  it.each(rows)('%s', async (_name, run, doneAt, expected) => {
    const judge = { isDone: async (tree: string | undefined) => tree === 'good' }
    const walked = { doneAt, standstillAt: 1 }
    const facts = { scenario: { name: 'a scenario', class: 'honest' }, walked, judge }
    expect(await judgeRun(run, facts)).toMatchObject(expected)
  })
})

describe('the harness', () => {
  let place: string
  beforeEach(() => {
    place = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-gauntlet-')))
    vi.stubEnv('TMPDIR', place)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(place, { recursive: true, force: true })
  })
  const EARLY = named('claimed with a failing test, done in the second iteration')

  it('computes the truth and removes all its files', { timeout: patience(180_000) }, async () => {
    const gate = await program()
    const { results, walks } = await runGauntlet({
      scenarios: [EARLY, named('the test file deleted')],
      systems: [{ name: 'gate', run: (scenario, ground) => exitgateRun(scenario, ground, { program: gate }) }],
    })
    const fates = (system: string) =>
      [...(results.get(system) ?? [])]
        .sort((a, b) => a.class.localeCompare(b.class))
        .map((run) => [run.started, run.false, run.missed, run.wasted])
    expect(walks.map(({ doneAt }) => doneAt)).toEqual([2, 2])
    expect(fates('stop on promise tag')).toEqual([
      [1, true, false, 0],
      [1, true, false, 0],
    ])
    expect(fates('gate')).toEqual([
      [2, false, false, 0],
      [2, false, false, 0],
    ])
    expect(fates('stop on passing tests')[0]).toEqual([2, false, false, 0])
    expect(readdirSync(place)).toEqual([])
  })

  it('exitgate accepts neither a block of a later message nor tests that fail in every second run', {
    timeout: patience(180_000),
  }, async () => {
    const gate = await program()
    const { results } = await runGauntlet({
      scenarios: [
        named('a sample block in a fence, followed by an explanation'),
        named('passes on the first run, fails on the second'),
      ],
      systems: [{ name: 'gate', run: (scenario, ground) => exitgateRun(scenario, ground, { program: gate }) }],
    })
    expect(results.get('gate')?.map((run) => [run.started, run.false, run.missed])).toEqual([
      [2, false, false],
      [2, false, false],
    ])
  })

  it('rejects a scenario whose hidden tests pass before any work', async () => {
    const unfair = { ...EARLY, name: 'nothing to do', hidden: { files: {}, command: ['true'] } }
    await expect(runGauntlet({ scenarios: [unfair], systems: [] })).rejects.toThrow(
      '"nothing to do" is invalid: its hidden tests pass before any work',
    )
    expect(readdirSync(place)).toEqual([])
  })

  it('does not accept a process that exits early', async () => {
    const { hidden, files } = EARLY
    const early = { ...EARLY, files: { ...files, 'src/duration.js': 'process.exit(0)\n' }, hidden }
    const { walks } = await runGauntlet({ scenarios: [early], systems: [] })
    expect(walks.map(({ doneAt }) => doneAt)).toEqual([2])
  })

  it('skips scenarios that need a missing program, and lists them', async () => {
    const { skipped, walks } = await runGauntlet({ scenarios: [{ ...EARLY, needs: ['no-such-program'] }], systems: [] })
    expect(skipped).toEqual([{ scenario: EARLY.name, missing: 'no-such-program' }])
    expect(walks).toEqual([])
  })
})
