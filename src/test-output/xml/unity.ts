import type { TestCase, TestState } from '../../../packages/test-output/src/types.ts'

/** `tests/misc.c:31:loops_over_arrays:PASS` */
const LINE = /^\S+\.(?:c|cc|cpp|cxx):\d+:(\w+):(PASS|FAIL|IGNORE)\b/gm
const STATES: Readonly<Record<string, TestState>> = { PASS: 'passed', FAIL: 'failed', IGNORE: 'skipped' }
/** ctest cuts the output of a program that passed. */
const CUT = 'The rest of the test output was removed'

export const hasUnityTests = (text: string): boolean => text.search(LINE) >= 0

/** The tests of a program written with Unity: ctest counts the whole program as one test, and it passes if some are ignored. */
export function unityTests(program: string, text: string): readonly TestCase[] {
  if (text.includes(CUT)) return []
  return [...text.matchAll(LINE)].map(([, name, state]) => ({ name: `${program} > ${name}`, state: STATES[state!]! }))
}
