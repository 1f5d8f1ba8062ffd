import { stateIn } from '../../../packages/exitgate/src/checks/reported-tests.ts'
import { roleOf } from '../../../packages/exitgate/src/checks/sides.ts'
import { partsOf } from '../../../packages/exitgate/src/checks/test-names.ts'
import { changedSince } from '../baseline/changed.ts'
import { planRedProof, type RevertedFile } from '../red-proof/plan.ts'
import { type RunTestCommand, runInCopy } from '../red-proof/run-copy.ts'
import { withGrammars } from '../syntax/parse.ts'
import type { TamperFinding } from '../tampering/index.ts'
import type { CheckContext, Detected } from '../types.ts'
import type { CollectedTests } from './definition.ts'
import { changesOf } from './red-proof.ts'

interface RewrittenOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  readonly testsNow: (context: CheckContext) => Promise<CollectedTests>
}

/** What a test that was rewritten looks like, whether it proves less now or only something else. */
const REWRITTEN: ReadonlySet<string> = new Set(['assertion-removed', 'assertion-weakened'])

const isRewritten = ({ kind, severity, test }: TamperFinding) =>
  severity === 'block' && test !== undefined && REWRITTEN.has(kind)

/**
 * Judges a rewritten test by what it proves. If its original version still passes with the new source, nothing is hidden. If its new
 * version fails with the old source, it proves the change. With both it was changed, not weakened, and the finding is a warning.
 */
export async function judgeRewritten(
  found: readonly TamperFinding[],
  options: RewrittenOptions,
  context: CheckContext,
): Promise<readonly TamperFinding[]> {
  const { workspace, baseline, deadlineMs, signal, openRoom } = context
  if (baseline === undefined || !found.some(isRewritten)) return found
  const { run: now, evidence } = await options.testsNow(context)
  if (now === undefined || evidence.some(({ check, answer }) => check === 'tests' && answer !== 'yes')) return found
  const changes = changesOf(await changedSince(baseline, workspace), {}, context)
  const { revert } = await withGrammars(() => planRedProof(changes))
  if (revert.length === 0) return found
  const originals = changes.flatMap((change): readonly RevertedFile[] => {
    const { path, before } = change
    return before !== undefined && roleOf(change) === 'test' ? [{ path, text: before }] : []
  })
  const runWith = async (files: readonly RevertedFile[]) => {
    const { commands, run } = options
    const more = { ...(signal && { signal }), ...(openRoom && { openRoom }) }
    return (await runInCopy(workspace, { commands, run, revert: files, deadlineMs, ...more })).run
  }
  try {
    const before = await runWith(originals)
    if (before === undefined) return found
    const without = await runWith(revert)
    if (without === undefined) return found
    return found.map((finding) => {
      if (!isRewritten(finding)) return finding
      const parts = partsOf(finding.test!)
      const test = {
        file: finding.file,
        groups: parts.slice(0, -1),
        name: parts.at(-1) ?? '',
        kind: 'changed',
      } as const
      const states = [now, before, without].map((run) => stateIn(run, test)).join()
      if (states !== 'passed,passed,failed') return finding
      const why = 'Its original version still passes, and the new one fails without the change.'
      return { ...finding, severity: 'warn', detail: `${finding.detail} ${why}` }
    })
  } catch {
    // Without a copy the finding stays, and the user can accept it.
    return found
  }
}
