import { expect, it } from 'vitest'
import type { Ran } from '../../packages/exitgate/src/checks/trees.ts'
import { tryWithout, type WithoutPlan } from '../../packages/exitgate/src/checks/without.ts'
import type { TestRun } from '../../packages/test-output/src/types.ts'

const plan: WithoutPlan = {
  tests: [{ file: '', groups: [], name: '', kind: 'fixed' }],
  revert: [{ path: 'sum.rb', text: 'old' }],
  notReverted: [],
  newNames: new Set(),
  newModules: new Set(),
  testTexts: new Map(),
}
const green: TestRun = { passed: 3, failed: 0, skipped: 0, total: 3, ok: true, framework: 'minitest' }
const red: TestRun = { ...green, passed: 2, failed: 1, ok: false, tests: [{ name: 'adds', state: 'failed' }] }

/** Some runners name only the tests that fail. */
it.each([
  ['fails both times', [red, red], 'proves'],
  ['fails only once', [red, green], 'could-not-run'],
  ['passes', [green], 'vacuous'],
] as const)('tests that report names only for failures: without the change, one %s', async (_what, runs, judgement) => {
  const left = [...runs]
  const run = async (): Promise<Ran> => ({ run: left.shift(), output: '' })
  const judged = await tryWithout(plan, green, run, async () => undefined)
  expect(judged.map((each) => each.judgement)).toEqual([judgement])
})
