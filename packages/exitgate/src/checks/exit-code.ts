import { count } from '../../../core/src/count.ts'
import type { TestRun } from '../../../test-output/src/types.ts'

/** A test command that reports no tests, such as a shell script or bare assertions: its exit code is its result. */
const EXIT_CODE = 'exit code'

/** The command counts as one test, which has its name. */
export function runByExitCode(command: string, code: number): TestRun {
  const ok = code === 0
  return {
    passed: Number(ok),
    failed: Number(!ok),
    skipped: 0,
    total: 1,
    ok,
    framework: EXIT_CODE,
    tests: [{ name: command, state: ok ? 'passed' : 'failed' }],
  }
}

/** Whether nothing but exit codes shows what these tests did. */
export const isByExitCode = (run: Pick<TestRun, 'framework'> | undefined): boolean => run?.framework === EXIT_CODE

/** What the exit codes of so many test commands say, for people. */
export const commandsExit = (total: number, failed: number): string =>
  total === 1
    ? `The test command ${failed > 0 ? 'fails' : 'exits with 0'}`
    : failed > 0
      ? `${failed} of ${count(total, 'test command')} ${failed === 1 ? 'fails' : 'fail'}`
      : `${count(total, 'test command')} exit with 0`

/** Whether the tests of the start had this command as one of them: it reported none. */
export const wasByExitCode = (before: TestRun | undefined, command: string): boolean =>
  before?.framework.includes(EXIT_CODE) === true && before.tests?.some(({ name }) => name === command) === true
