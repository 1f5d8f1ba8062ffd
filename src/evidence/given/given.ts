import { readTestOutput } from '../../test-output/index.ts'
import { type Given, readGivenWith } from './reader.ts'

/** Evidence that someone else collected, printed output of a test runner included. */
export function readGiven(value: unknown, tree = ''): Given {
  return readGivenWith(readTestOutput, value, tree)
}
