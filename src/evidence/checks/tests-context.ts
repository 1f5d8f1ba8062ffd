import { importGraph } from '../attribution/imports.ts'
import { matchTests } from '../attribution/match-tests.ts'
import { testIndex } from '../attribution/test-index.ts'
import type { AttributionContext } from '../attribution/types.ts'
import { changedSince } from '../baseline/changed.ts'
import { viewOf } from '../baseline/view.ts'
import type { TestRun } from '../test-output/types.ts'
import type { CheckContext } from '../types.ts'

type Rules = Pick<AttributionContext, 'accept' | 'mode'>

/** All that attribution may know. Files are listed and compared only when some test failed or is gone. */
export async function attributionContext(
  context: CheckContext,
  rules: Rules,
  now: TestRun,
): Promise<AttributionContext> {
  const { workspace, baseline, taskTexts } = context
  const lost = baseline?.tests !== undefined && matchTests(baseline.tests, now).gone.length > 0
  if (now.failed === 0 && !lost)
    return { ...rules, taskTexts, changedFiles: [], testFileOf: (_name, test) => test.file, importsOf: () => undefined }
  const after = await viewOf(workspace)
  const present = testIndex(after, workspace.dir)
  if (baseline === undefined) {
    return {
      ...rules,
      taskTexts,
      changedFiles: [],
      testFileOf: (_name, test) => present.fileOf(test),
      importsOf: () => undefined,
    }
  }
  const changedFiles = await changedSince(baseline, workspace)
  const before = viewOf(baseline, changedFiles)
  const past = testIndex(before, workspace.dir)
  const graph = importGraph([...new Set([...after.paths, ...before.paths])], (path) => workspace.read(path))
  return {
    ...rules,
    taskTexts,
    changedFiles,
    testFileOf: (_name, test) => present.fileOf(test) ?? past.fileOf(test),
    importsOf: (file) => graph.reach(file),
    bodyThen: (test) => past.bodyOf(test),
    bodyNow: (test) => present.bodyOf(test),
  }
}
