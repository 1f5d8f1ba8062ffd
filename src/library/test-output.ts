/** `exitgate/test-output`: reads counts from the output or the report of a test runner. */
export { readTestOutput, type TestCase, type TestRun, type TestState } from '../../packages/test-output/src/index.ts'
export { readAnyOutput, readTestReport } from '../../packages/test-output/src/report.ts'
