import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { RunTestCommand } from '../red-proof/run-copy.ts'
import { runInCopy } from '../red-proof/run-copy.ts'
import type { CheckContext, Detected } from '../types.ts'
import type { SpecialCase } from './find.ts'
import { judgeKnockOut, knockedOut, severityAfter } from './knock-out.ts'

/** What is needed to run the tests in a copy. */
export interface Trying {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  /** The test results of the current tree; undefined if they didn't pass. */
  readonly testsNow: (context: CheckContext) => Promise<TestRun | undefined>
}

/** Each takes a run of the tests. There are rarely any. */
const MOST_TRIED = 5

/**
 * Tries what was found: in a copy, each place compares with another value. Only if then exactly the tests fail that it answers, they
 * pass because of it, and the claim is rejected. In all other cases it is at most a warning.
 */
export async function confirmed(
  found: readonly SpecialCase[],
  { commands, run, testsNow }: Trying,
  context: CheckContext,
): Promise<readonly SpecialCase[]> {
  const unsure = found
    .filter(canBeTried)
    .sort((a, b) => Number(b.severity === 'block') - Number(a.severity === 'block'))
    .slice(0, MOST_TRIED)
  // Nothing is shown by reading alone.
  if (commands.length === 0) return found.map((each) => ({ ...each, severity: 'warn' }))
  const now = unsure.length === 0 ? undefined : await testsNow(context)
  if (now === undefined) return found
  const { workspace, deadlineMs, signal, openRoom } = context
  const results = new Map<SpecialCase, SpecialCase | undefined>()
  for (const each of unsure) {
    const source = workspace.read(each.path)
    if (source === undefined) continue
    const tests = each.answered.flatMap(({ test }) => workspace.read(test.file) ?? [])
    const revert = [{ path: each.path, text: knockedOut(source, each.answered, tests) }]
    try {
      const more = { ...(signal && { signal }), ...(openRoom && { openRoom }) }
      const { run: without } = await runInCopy(workspace, { commands, run, revert, deadlineMs, ...more })
      const severity = severityAfter(each, judgeKnockOut(each.answered, now, without))
      results.set(each, severity && { ...each, severity, ...(severity === 'block' && { isConfirmed: true as const }) })
    } catch {
      // Without a copy it stays what it was.
    }
  }
  return found.flatMap((each) => (results.has(each) ? (results.get(each) ?? []) : [each]))
}

/** Only a comparison has something to change. */
const canBeTried = ({ answered }: SpecialCase) => answered.every(({ at }) => at.length > 0)
