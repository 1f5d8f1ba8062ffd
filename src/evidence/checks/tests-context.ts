import type { TestRun } from '../../test-output/types.ts'
import { importGraph } from '../attribution/imports.ts'
import { matchTests } from '../attribution/match-tests.ts'
import { testIndex } from '../attribution/test-index.ts'
import type { AttributionContext } from '../attribution/types.ts'
import { changedSince } from '../baseline/changed.ts'
import { viewOf } from '../baseline/view.ts'
import type { CheckContext } from '../types.ts'

type Rules = Pick<AttributionContext, 'accept' | 'mode'>

/** What attribution may know about one run of the tests. */
export type ContextFor = (now: TestRun) => Promise<AttributionContext>

/** Files are listed and compared only when some test failed or is gone, and then once for all runs on the tree. */
export function attributionContext(context: CheckContext, rules: Rules): ContextFor {
  const { baseline, taskTexts } = context
  const cheap: AttributionContext = {
    ...rules,
    taskTexts,
    changedFiles: [],
    testFileOf: (_name, test) => test.file,
    importsOf: () => undefined,
  }
  let full: Promise<AttributionContext> | undefined
  return (now) => {
    const isLost = () => baseline?.tests !== undefined && matchTests(baseline.tests, now).gone.length > 0
    if (now.failed === 0 && !isLost()) return Promise.resolve(cheap)
    full ??= lookedInto(context, cheap)
    return full
  }
}

async function lookedInto(
  { workspace, baseline }: CheckContext,
  cheap: AttributionContext,
): Promise<AttributionContext> {
  const after = await viewOf(workspace)
  const present = testIndex(after, workspace.dir)
  if (baseline === undefined) return { ...cheap, testFileOf: (_name, test) => present.fileOf(test) }
  const changedFiles = await changedSince(baseline, workspace, after.paths)
  const before = viewOf(baseline, changedFiles)
  const past = testIndex(before, workspace.dir)
  const graph = importGraph([...new Set([...after.paths, ...before.paths])], (path) => workspace.read(path))
  return {
    ...cheap,
    changedFiles,
    testFileOf: (_name, test) => present.fileOf(test) ?? past.fileOf(test),
    importsOf: (file) => graph.reach(file),
    bodyThen: (test) => past.bodyOf(test),
    bodyNow: (test) => present.bodyOf(test),
  }
}
