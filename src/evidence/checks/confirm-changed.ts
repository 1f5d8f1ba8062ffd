import { canBeLeftOut, otherTests } from '../../../packages/exitgate/src/checks/sides.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { runInCopy } from '../red-proof/run-copy.ts'
import type { ScratchOptions } from '../red-proof/scratch.ts'
import type { RunTests } from '../test-results/round.ts'
import { testIndex } from '../test-results/test-index.ts'
import type { CheckContext, Detected } from '../types.ts'

export interface ConfirmOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTests
  /** The first run, in which everything passed. */
  readonly now: TestRun
  readonly scratch?: ScratchOptions
}

/** How many tests passed again, or `failed` if not all of them did; undefined if there are none to run without the others. */
export type Confirmed = number | 'failed' | undefined

/** Runs the test files again that changed or have newly fixed tests, in a copy without the other test files. */
export async function confirmChanged(options: ConfirmOptions, context: CheckContext): Promise<Confirmed> {
  const { workspace, baseline, deadlineMs, signal, openRoom } = context
  const { commands, run, now, scratch } = options
  if (baseline === undefined || now.tests === undefined) return undefined
  const changed = new Set(await changedSince(baseline, workspace))
  const passedBefore = new Set(baseline.tests?.tests?.flatMap(({ name, state }) => (state === 'passed' ? [name] : [])))
  const index = await testIndex(await viewOf(workspace), workspace.dir)
  const passed = now.tests.filter(({ state }) => state === 'passed')
  const placed = passed.map((test) => ({ name: test.name, file: index.fileOf(test) }))
  const fresh = placed.filter(({ name, file }) => !passedBefore.has(name) || (file !== undefined && changed.has(file)))
  const files = new Set(fresh.flatMap(({ file }) => file ?? []))
  if (fresh.length === 0 || fresh.some(({ file }) => file === undefined) || ![...files].every(canBeLeftOut))
    return undefined
  const others = otherTests(await workspace.list(), files)
  const again = await runInCopy(workspace, {
    commands,
    run: (copy, detected, limits) => run(detected, limits, copy),
    revert: others.map((path) => ({ path })),
    deadlineMs,
    unnoticed: true,
    ...(openRoom && { openRoom }),
    ...(signal && { signal }),
    ...(scratch && { scratch }),
  })
  if (again.stopped !== undefined || again.run?.ok !== true || again.run.failed > 0) return 'failed'
  const passing = new Set(again.run.tests?.flatMap(({ name, state }) => (state === 'passed' ? [name] : [])))
  return fresh.every(({ name }) => passing.has(name)) ? new Set(fresh.map(({ name }) => name)).size : 'failed'
}
