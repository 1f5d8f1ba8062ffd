import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Config } from '../../src/core/config.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { labelsOf } from '../../src/learning/labels.ts'
import { suggest } from '../../src/learning/suggest.ts'
import { TUNABLE_NUMBERS } from '../../src/learning/tunable-numbers.ts'
import { suggestionText } from '../../src/reports/learning/lesson-text.ts'
import { events, type MadeRun, type Turn } from './made-runs.ts'

const refused: Turn = { claim: true, tests: 'no' }
const won: Turn = { claim: true, tests: 'yes' }
const times = (many: number, run: MadeRun): readonly MadeRun[] => Array.from({ length: many }, () => run)
/** Trees differ, so that only the claims count. */
const apart = (turns: readonly Turn[]): readonly Turn[] => turns.map((turn, n) => ({ ...turn, tree: `t${n}` }))

const hollow: MadeRun = { turns: apart([refused, refused, refused, refused]), label: 'bad' }
const good: MadeRun = { turns: apart([{}, won]), label: 'good' }
const second: MadeRun = { turns: apart([refused, won]), label: 'good' }
const typed = (run: MadeRun, taskType: string): MadeRun => ({ ...run, config: { ...run.config, taskType } })

const doyakenSays = (phrases: readonly string[]): Turn => ({
  claim: true,
  tests: 'yes',
  phrases,
  signals: {
    source: 'doyaken-status',
    claims: { 'doyaken-status': true },
    blocks: ['doyaken-status'],
    said: { PHASE_COMPLETE: true, TESTS_STATUS: 'pass' },
  },
})
const doyaken: Partial<Config> = { preset: 'doyaken' }

function suggested(runs: readonly MadeRun[]): readonly string[] {
  const all = events(runs)
  const labels = new Map([...labelsOf(all)].map(([run, { label }]) => [run, label]))
  return suggest([all], labels, policyFor).map(suggestionText)
}

describe('a suggestion', () => {
  it.each<[string, readonly MadeRun[], readonly (string | RegExp)[]]>([
    ['needs ten runs', times(9, hollow), []],
    ['is not made where nothing would be better', times(12, good), []],
    [
      'stops earlier where no completion is lost by it',
      [...times(6, hollow), ...times(6, second)],
      ['hollowClaims 3 -> 2: 6 iterations saved, no other completion lost (12 runs, 12 labelled)'],
    ],
    [
      'is not made at the price of one good run',
      [...times(11, hollow), { turns: apart([refused, refused, won]), label: 'good' }],
      [],
    ],
    [
      'is not made at the price of a completion that nobody has labelled',
      [...times(11, hollow), { turns: apart([refused, refused, won]) }],
      [],
    ],
    [
      'goes on longer where good work was stopped',
      [...times(10, good), { ...hollow, label: 'good' }],
      ['hollowClaims 3 -> 4: 1 good run not stopped, no other completion lost (11 runs, 11 labelled)'],
    ],
    [
      'is made for a kind of task by itself',
      [
        ...times(10, typed(hollow, 'bugfix')),
        ...times(10, typed({ turns: apart([refused, refused, won]), label: 'good' }, 'feature')),
      ],
      ['taskTypes.bugfix.hollowClaims 3 -> 1: 20 iterations saved, no other completion lost (10 runs, 10 labelled)'],
    ],
    [
      'is not made where good and bad have the same score',
      [
        ...times(9, { turns: [doyakenSays(['doyaken:task complete'])], label: 'good', config: doyaken }),
        ...times(6, { turns: [doyakenSays(['doyaken:task complete'])], label: 'bad', config: doyaken }),
      ],
      [],
    ],
  ])('%s', (_name, runs, expected) => {
    expect(suggested(runs)).toEqual(expected)
  })

  it('is marked if it would make completion easier', () => {
    const base = { runs: 20, labelled: 20, saved: 4, avoided: 0, lost: 0, spared: 0 }
    expect(suggestionText({ ...base, path: ['doyaken', 'threshold'], from: 70, to: 65, opensMoreEasily: true })).toBe(
      'doyaken.threshold 70 -> 65: 4 iterations saved, no other completion lost (20 runs, 20 labelled); RUNS COMPLETE MORE EASILY',
    )
  })

  it('never changes what completion requires in default', () => {
    const tops = new Set(TUNABLE_NUMBERS.map(({ path }) => path[0]))
    expect(
      [...tops].filter((key) =>
        ['required', 'requireChange', 'evidence', 'baseline', 'commands', 'plan'].includes(key ?? ''),
      ),
    ).toEqual([])
    for (const { path, preset } of TUNABLE_NUMBERS) {
      const value = path.reduce<unknown>((so, key) => (so as Record<string, unknown>)[key], BASE)
      expect([path.join('.'), typeof value]).toEqual([path.join('.'), 'number'])
      if (path[0] === 'doyaken' || path[0] === 'blackbox') expect(preset).toBe(path[0])
    }
  })
})
