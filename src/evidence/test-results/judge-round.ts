import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Flake } from '../flakes.ts'
import type { Quarantine } from '../quarantine.ts'
import { isUnsteadyEntry } from '../unsteady.ts'
import { type Comparison, type compareContext, compareTests } from './compare.ts'
import type { ComparedTest } from './findings.ts'
import type { TestRound } from './round.ts'

/** One run of all test commands, compared with the baseline. */
export interface JudgedRound {
  readonly round: TestRound
  readonly comparison?: Comparison
  /** Failing tests that the user did not accept, without the flaky ones. */
  readonly failing: readonly ComparedTest[]
  /** Failing tests that the user accepted or put in quarantine. */
  readonly accepted: readonly ComparedTest[]
  /** Failing tests that were unsteady before the run: they don't count. */
  readonly unsteady: readonly ComparedTest[]
  readonly green: boolean
}

export async function judgeRound(
  round: TestRound,
  before: TestRun | undefined,
  contextFor: ReturnType<typeof compareContext>,
  quarantine: Quarantine,
  flakes: readonly Flake[],
): Promise<JudgedRound> {
  const { run } = round
  if (run === undefined) return { round, failing: [], accepted: [], unsteady: [], green: false }
  const known = await contextFor(run)
  const comparison = compareTests(before, run, { ...known, flaky: flakes.map(({ name }) => name) })
  const isHeld = (test: ComparedTest) => test.change !== 'missing' && quarantine.active(test, test.file) !== undefined
  const failing = comparison.blocking.filter((test) => !['missing', 'flaky'].includes(test.change) && !isHeld(test))
  const held = comparison.blocking.filter((test) => isHeld(test) && test.change !== 'flaky')
  const entryOf = (test: ComparedTest) => quarantine.active(test, test.file)!
  const unsteady = held
    .filter((test) => isUnsteadyEntry(entryOf(test)))
    .map((test) => ({ ...test, blocks: false, why: entryOf(test).reason }))
  const quarantined = held
    .filter((test) => !isUnsteadyEntry(entryOf(test)))
    .map((test) => ({ ...test, blocks: false, why: 'in quarantine' }))
  const accepted = [...comparison.accepted, ...quarantined]
  const { missing, unnamed } = comparison
  const retried = (run.tests ?? []).filter((test) => test.flaky && quarantine.active(test) === undefined)
  const flaky = comparison.blocking.filter((test) => test.change === 'flaky' && !isHeld(test))
  const against = [round.troubles, failing, missing, retried, flaky].reduce(
    (sum, list) => sum + list.length,
    unnamed.failing,
  )
  const green = against === 0 && run.passed > 0
  return { round, comparison, failing, accepted, unsteady, green }
}
