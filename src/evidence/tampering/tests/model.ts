import type { Language } from '../../test-files.ts'
import type { Range } from '../source/tokens-and-blocks.ts'
import type { Unit } from '../source/unit.ts'

/** Something in the text that keeps a test from counting, or makes only it count. */
export interface Marker {
  /** `skip`: not run. `inverted`: must fail to pass. `focus`: others are not run. */
  readonly kind: 'skip' | 'inverted' | 'focus'
  readonly text: string
  readonly line: number
  /** When it holds; absent when always. Written so that a true condition skips. */
  readonly condition?: string
}

/** One test, or one function of the test code that is no test itself but may assert. */
export interface TestCase {
  readonly kind: 'test' | 'helper'
  readonly name: string
  /** Names of the groups or classes around it, outermost first. */
  readonly groups: readonly string[]
  readonly line: number
  /** From its first mark to its end. */
  readonly span: Range
  /** What runs; absent for a test that was only announced. */
  readonly body?: Range
  readonly markers: readonly Marker[]
  /** Rows of its tables, each as plain text; undefined when it has none. */
  readonly rows?: readonly string[]
}

export interface TestFile {
  readonly path: string
  readonly language: Language
  /** Something was left open in it. */
  readonly broken: boolean
  /** It is too strange to be read, so that no test is found in it. */
  readonly unread: boolean
  /** Its tokens; where many files are compared they are read again when they are asked for. */
  readonly unit: Unit
  readonly tests: readonly TestCase[]
  readonly helpers: readonly TestCase[]
}

/** Full name, as a reader of the report would know it. */
export const fullName = (test: TestCase) => [...test.groups, test.name].join(' > ')
