/** `exitgate/test-output`: what a test runner printed or reported, as counts. */
export { readTestOutput, type TestCase, type TestRun, type TestState } from '../test-output/index.ts'
export { readAnyOutput, readTestReport } from '../test-output/report.ts'
