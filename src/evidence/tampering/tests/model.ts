import type { Language } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Range } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'

/** Something that keeps a test from running, or keeps others from running. */
export interface Marker {
  /** `skip`: doesn't run. `inverted`: passes only if it fails. `focus`: others don't run. */
  readonly kind: 'skip' | 'inverted' | 'focus'
  readonly text: string
  readonly line: number
  /** Skips if this is true; absent if always. */
  readonly condition?: string
}

/** A test, or a helper function in test code that may assert. */
export interface TestCase {
  readonly kind: 'test' | 'helper'
  readonly name: string
  /** Names of the groups or classes around it, outermost first. */
  readonly groups: readonly string[]
  readonly line: number
  /** From its first annotation to its end. */
  readonly span: Range
  /** The code that runs; absent for a test without a body. */
  readonly body?: Range
  /** The named function that is its code: `test('title', macro, argument)`. Its body is then the name and the arguments. */
  readonly macro?: string
  readonly markers: readonly Marker[]
  /** Rows of its tables as plain text; undefined if it has none. */
  readonly rows?: readonly string[]
}

export interface TestFile {
  readonly path: string
  readonly language: Language
  /** A bracket or string in it is not closed. */
  readonly broken: boolean
  /** It is too irregular to read, so no tests are found in it. */
  readonly unread: boolean
  /** Its tokens. They may be read again on each access. */
  readonly unit: Unit
  readonly tests: readonly TestCase[]
  readonly helpers: readonly TestCase[]
}

/** The name of the test that consists of a file's code outside of its tests and functions. */
export const FILE_TEST = 'top level'

/** The full name, as in a test report. */
export const fullName = (test: TestCase) => [...test.groups, test.name].join(' > ')
