import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import { observation } from '../../src/core/policy/look.ts'
import { policyFor, presetOf } from '../../src/core/presets/index.ts'
import { NO_SIGNALS } from '../../src/core/signals/read-signals.ts'
import type { Answer, Evidence } from '../../src/core/types.ts'
import { gather, gatherBaseline } from '../../src/evidence/gather.ts'
import type { Check } from '../../src/evidence/types.ts'
import { openSession } from '../../src/loop/session.ts'
import { project } from './git-project.ts'

const root = mkdtempSync(join(tmpdir(), 'exitgate-deadlines-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A check that reports a given duration without spending it. */
function scripted(took: readonly [ms: number, answer: Answer][]) {
  const deadlines: number[] = []
  const check: Check = {
    name: 'suite',
    async collect({ deadlineMs, tree }): Promise<readonly Evidence[]> {
      const [ms, answer] = took[deadlines.length] ?? [0, 'yes']
      deadlines.push(deadlineMs)
      return [{ check: 'suite', answer, detail: 'It was asked.', ms, tree }]
    },
  }
  return { check, deadlines }
}

describe('the deadline of a check', () => {
  it('follows its slowest run in any iteration, and a timeout raises it', async () => {
    const dir = join(root, 'state')
    const config = configure({ evidence: { maximumMinutes: 10 }, limits: { iterations: 100 }, hollowClaims: 100 })
    const loaded = { config, preset: presetOf(config), sources: new Map<string, string>(), hash: '', warnings: [] }
    const { check, deadlines } = scripted([
      [200, 'no'],
      [30_000, 'unknown'],
      [36_000, 'yes'],
      [1_000, 'yes'],
      [300, 'no'],
      [40_000, 'yes'],
      [130_000, 'yes'],
    ])
    const asking = {
      ...{ dir: root, config, checks: policyFor(config).checks, moreChecks: [check], stateDir: dir },
      ...{ claim: true, taskTexts: [], ignore: [], at: 0 },
    }
    const details: (string | undefined)[] = []
    const begin = async () => {
      const session = await openSession({ dir, loaded, now: () => 1, newRun: true })
      const { evidence, baselineId } = await gatherBaseline(asking)
      session.begin(evidence, baselineId)
      session.close()
    }
    /** Like `exitgate check`: another process each time. */
    const iterate = async () => {
      const session = await openSession({ dir, loaded, now: () => 1, newRun: false })
      const { baselineId = '', slowest } = session.state
      const { evidence } = await gather({ ...asking, baselineId, slowest })
      details.push(evidence.suite?.detail)
      session.decide(observation(NO_SIGNALS, evidence))
      session.close()
    }
    await begin()
    for (let n = 0; n < 3; n++) await iterate()
    await begin()
    for (let n = 0; n < 2; n++) await iterate()
    expect(deadlines).toEqual([3_600_000, 30_000, 150_000, 180_000, 3_600_000, 180_000, 200_000])
    expect(details).toEqual([
      'It was asked. The next run may take up to 150 s.',
      ...Array.from({ length: 4 }, () => 'It was asked.'),
    ])
  })

  it('is longer for tests that are new, because no earlier run shows how long they take', async () => {
    const place = project({ 'src/a.js': 'export const a = 1\n', 'tests/a.test.js': 'check(1)\n' })
    const config = configure({ evidence: { maximumMinutes: 10 } })
    const deadlines: number[] = []
    const check: Check = {
      name: 'tests',
      async collect({ deadlineMs, tree }): Promise<readonly Evidence[]> {
        deadlines.push(deadlineMs)
        return [{ check: 'tests', answer: 'yes', detail: '', ms: 200, tree }]
      },
    }
    const asking = {
      ...{ dir: place.dir, config, checks: policyFor(config).checks, moreChecks: [check], stateDir: place.state },
      ...{ claim: true, taskTexts: [], ignore: [], at: 0 },
    }
    const { baselineId } = await gatherBaseline(asking)
    const claim = async (files: Readonly<Record<string, string>>, isClaim = true) => {
      place.write(files)
      await gather({ ...asking, claim: isClaim, baselineId })
    }
    await claim({ 'src/a.js': 'export const a = 2\n' })
    await claim({ 'tests/b.test.js': 'check(2)\n' }, false)
    await claim({})
    expect(deadlines).toEqual([3_600_000, 30_000, 30_000, 300_000])
  })
})
