import type { Range } from '../source/token.ts'

/** How much an assertion says: a value, a part or bound of it, only that something is there, or nothing at all. */
export type Strength = 'exact' | 'partial' | 'exists' | 'vacuous'
export const LEVEL: Readonly<Record<Strength, number>> = { exact: 3, partial: 2, exists: 1, vacuous: 0 }

/** An assertion as it stands in the text, before it is weighed. */
export interface RawAssertion {
  /** Name of the matcher or method as written; `==` and its like for bare comparisons, `guard` for a conditional failure. */
  readonly matcher: string
  readonly subject: string
  readonly expected: string
  readonly negated: boolean
  readonly at: number
  readonly span: Range
  /** A call of something whose name sounds like an assertion; what it asserts stands elsewhere. */
  readonly helper?: string
  readonly awaited?: boolean
  /** Why it can never fail, where the form alone shows it. */
  readonly hollow?: string
}

export interface Assertion extends RawAssertion {
  readonly line: number
  readonly text: string
  readonly strength: Strength
  /** Both sides were computed by the same expression: a test of sameness, or an expectation that follows the code. */
  readonly echoes?: boolean
  /** For a vacuous one: why. */
  readonly why?: string
  /** Does not run, or its failure is lost: in words. */
  readonly lost?: string
  /** Runs once for each of many values. */
  readonly loops?: boolean
  /** Runs only when this holds. */
  readonly condition?: string
  /** What it speaks of, with the test's own values written out. */
  readonly scope: string
  /** How far a value may lie off: the larger, the looser. */
  readonly tolerance?: number
}
