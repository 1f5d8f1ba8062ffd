import type { Config } from '../core/config.ts'
import { changedSince } from './baseline/changed.ts'
import { baselineTestsCheck } from './checks/baseline-tests.ts'
import { redProofCheck } from './checks/red-proof.ts'
import type { CollectedTests } from './checks/tests.ts'
import type { RunTestCommand } from './red-proof/run-copy.ts'
import { sweepScratch } from './red-proof/sweep.ts'
import { runTestCommand } from './runners/run.ts'
import type { Baseline, Check, Detected, Workspace } from './types.ts'

/** The checks that run the tests in a copy of the tree in which some files are as they were. */
export function copyChecks(
  commands: readonly Detected[],
  { evidence, baseline: { accept } }: Config,
  {
    baseline,
    workspace,
    claim,
  }: { readonly baseline: Baseline; readonly workspace: Workspace; readonly claim: boolean },
  testsNow: () => Promise<CollectedTests>,
): readonly Check[] {
  // Copies that a killed process left behind; whoever waits for that gains nothing.
  if (claim) void sweepScratch().catch(() => {})
  const run: RunTestCommand = (each, detected, how) => runTestCommand(each, detected, how)
  const changed = () => changedSince(baseline, workspace)
  const common = { commands, run, changed }
  const kept = baselineTestsCheck({ ...common, testsNow, accept, allow: evidence.allow })
  if (!evidence.redProof) return [kept]
  return [kept, redProofCheck({ ...common, testsNow: async () => (await testsNow()).run })]
}
