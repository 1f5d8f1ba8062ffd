/** `exitgate/test-output`: reads counts from the output or the report of a test runner. */
export { readTestOutput, type TestCase, type TestRun, type TestState } from '../test-output/index.ts'
export { readAnyOutput, readTestReport } from '../test-output/report.ts'
