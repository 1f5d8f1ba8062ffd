import { expect, it } from 'vitest'
import { matchTests } from '../../packages/exitgate/src/checks/matched-tests.ts'
import { readTestOutput } from '../../packages/test-output/src/index.ts'
import type { TestRun } from '../../packages/test-output/src/types.ts'

const POINTS = 430_000
const tap = (points: number) => `1..${points}\n${'ok - works\n'.repeat(points)}`

it('reads and compares 430,000 points with one name', async () => {
  const printed = readTestOutput(tap(POINTS))!
  expect(printed).toMatchObject({ passed: POINTS, ok: true })
  const fewer: TestRun = { ...printed, tests: printed.tests!.slice(1) }
  expect(matchTests(printed, fewer)).toMatchObject({ gone: [{ name: 'works' }], added: [] })
  expect(matchTests(fewer, printed)).toMatchObject({ gone: [], added: [{ name: 'works' }] })
  const none: TestRun = { ...printed, tests: [] }
  expect(matchTests(none, printed).added).toHaveLength(POINTS)
})

it('reads the beginning and the end of millions of lines', () => {
  expect(readTestOutput(`1..1\n${'y\n'.repeat(1_500_000)}ok 1 - works\n`)).toMatchObject({ passed: 1, ok: true })
})

it('points that were left out are missing, and their result is unknown', () => {
  const run = readTestOutput(tap(1_000_100))
  expect(run?.ok).toBeNull()
  expect(run?.problems).toContain('500102 lines were not read.')
})
