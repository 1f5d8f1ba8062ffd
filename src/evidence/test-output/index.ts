import { plain } from './plain.ts'
import { pytest } from './pytest.ts'
import { tap } from './tap.ts'
import type { TestOutputReader, TestRun } from './types.ts'
import { vitestJest } from './vitest-jest.ts'
import { words } from './words.ts'

export type { TestRun } from './types.ts'

/** One file each; none looks at what another has read. */
const readers: readonly TestOutputReader[] = [tap, vitestJest, pytest]

/** Two runners in one output (`vitest run && pytest`): all must be good. */
function together(runs: readonly TestRun[]): TestRun {
  const sum = (pick: (run: TestRun) => number) => runs.reduce((all, run) => all + pick(run), 0)
  const tests = runs.flatMap((run) => run.tests ?? [])
  return {
    passed: sum((run) => run.passed),
    failed: sum((run) => run.failed),
    skipped: sum((run) => run.skipped),
    total: sum((run) => run.total),
    ok: runs.some((run) => run.ok === false) ? false : runs.every((run) => run.ok === true) ? true : null,
    framework: runs.map((run) => run.framework).join('+'),
    ...(tests.length > 0 && { tests }),
  }
}

/** What a test runner's printed output says, or undefined when nothing in it is recognised. */
export function readTestOutput(output: string): TestRun | undefined {
  const text = plain(output)
  const runs = readers.map((reader) => reader(text)).filter((run) => run !== undefined)
  if (runs.length > 1) return together(runs)
  return runs[0] ?? words(text)
}
