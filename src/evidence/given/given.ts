import { readTestOutput } from '../../../packages/test-output/src/index.ts'
import { type Given, readGivenWith } from './reader.ts'

/** Evidence that the caller collected, including printed output of a test runner. */
export function readGiven(value: unknown, tree = ''): Given {
  return readGivenWith(readTestOutput, value, tree)
}
