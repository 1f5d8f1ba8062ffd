import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Loaded } from '../../src/config/load.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { PRESETS } from '../../src/core/presets/index.ts'
import type { Calibration } from '../../src/core/types.ts'
import { calibrationFor, keepCalibration, readCalibration } from '../../src/loop/calibration-file.ts'
import { opening } from '../../src/loop/opening.ts'

const home = mkdtempSync(join(tmpdir(), 'exitgate-learning-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const folder = (): string => mkdtempSync(join(home, 'state-'))

const curve: Calibration = { kind: 'logistic', labels: 40, bias: -1.5, weights: { score: 2, hedges: -0.25 } }
const steps: Calibration = { kind: 'isotonic', labels: 300, scores: [0, 1], shares: [0.125, 0.75] }

describe('a stored calibration', () => {
  it.each([curve, steps])('is read unchanged: $kind', (calibration) => {
    const dir = folder()
    keepCalibration(dir, calibration)
    expect([readCalibration(dir), readdirSync(dir)]).toEqual([calibration, ['calibration.json']])
    keepCalibration(dir, undefined)
    expect([readCalibration(dir), readdirSync(dir)]).toEqual([undefined, []])
  })

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['nothing', 'null'],
    ['a list', '[]'],
    ['another kind', '{"kind":"tree","labels":40}'],
    ['no number of labels', '{"kind":"logistic","bias":1,"weights":{}}'],
    ['a weight that is none', '{"kind":"logistic","labels":40,"bias":1,"weights":{"score":"2"}}'],
    ['a bias beyond numbers', '{"kind":"logistic","labels":40,"bias":1e999,"weights":{}}'],
    ['scores that are none', '{"kind":"isotonic","labels":40,"scores":[null],"shares":[1]}'],
    ['far too much', `{"kind":"isotonic","labels":40,"scores":[${'1,'.repeat(200_000)}1],"shares":[1]}`],
  ])('is ignored if damaged: %s', (_name, text) => {
    const dir = folder()
    writeFileSync(join(dir, 'calibration.json'), text)
    expect(readCalibration(dir)).toBe(undefined)
  })

  it('is ignored if it is a link', () => {
    const dir = folder()
    writeFileSync(join(dir, 'elsewhere.json'), JSON.stringify(curve))
    symlinkSync(join(dir, 'elsewhere.json'), join(dir, 'calibration.json'))
    expect(readCalibration(dir)).toBe(undefined)
  })
})

describe('a run', () => {
  const loaded: Loaded = { config: BASE, preset: PRESETS.default, sources: new Map(), hash: '', warnings: [] }
  const dir = folder()
  keepCalibration(dir, curve)

  it('keeps the calibration it started with, whatever is learned meanwhile', () => {
    const begun = opening(emptyState(), { loaded, now: 0, newRun: true, ...calibrationFor(dir) })
    expect(begun.config.calibration).toEqual(curve)
    const state = begun.first
      .map((happening, i) => ({ v: 1, seq: i + 1, at: 0, prev: '', ...happening }))
      .reduce(reduce, emptyState())
    for (const taught of [{ calibration: steps }, {}]) {
      const goesOn = opening(state, { loaded, now: 1, newRun: false, ...taught })
      expect([goesOn.config.calibration, goesOn.first, goesOn.warnings]).toEqual([curve, [], []])
    }
    const next = opening(state, { loaded, now: 2, newRun: true, calibration: steps })
    expect(next.first).toMatchObject([{ type: 'run.started', config: { calibration: steps } }])
  })

  it('without one has no such key', () => {
    const begun = opening(emptyState(), { loaded, now: 0, newRun: true, ...calibrationFor(folder()) })
    expect(Object.hasOwn(begun.config, 'calibration')).toBe(false)
  })
})
