import type { TestCase } from '../../test-output/types.ts'

/** How a test of this iteration stands against the baseline. */
export type Standing =
  /** It fails and did not fail before. */
  | 'new'
  /** It failed before, and nothing shows that it has nothing to do with the task. */
  | 'known-related'
  /** It failed before and is about something else. */
  | 'known-unrelated'
  /** It failed before and passes now. */
  | 'fixed'
  /** It changes its mind on the same tree. */
  | 'flaky'
  /** It ran before and does not run any more. */
  | 'missing'

export interface Attributed {
  readonly name: string
  readonly file?: string
  readonly standing: Standing
  /** Whether it keeps the gate shut. */
  readonly blocks: boolean
  /** In plain words, without a full stop. */
  readonly why: string
}

export interface Attribution {
  /** Every failing, fixed, flaky and missing test; never a test that simply passes. */
  readonly tests: readonly Attributed[]
  readonly blocking: readonly Attributed[]
  /** Failing, and yet not in the way: always named. */
  readonly excused: readonly Attributed[]
  readonly fixed: readonly Attributed[]
  readonly missing: readonly Attributed[]
  readonly added: readonly string[]
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  /** Failures that the report counts and does not name: they block. */
  readonly unnamed: number
  /** By how many tests the count fell where names cannot tell which: in doubt they are missing. */
  readonly fewer: number
}

export interface AttributionContext {
  /** Paths whose content changed in the run. */
  readonly changedFiles: readonly string[]
  /** Path of the file a test stands in; undefined when nobody knows. */
  testFileOf(name: string, test: TestCase): string | undefined
  /** Every file of the project that a file reaches by its imports; undefined when that cannot be told. */
  importsOf(file: string): readonly string[] | undefined
  /** Prompt, task and plan as a person wrote them. */
  readonly taskTexts: readonly string[]
  /** Tests that the user's configuration excuses by name. */
  readonly accept: readonly string[]
  /** `strict` excuses nothing. */
  readonly mode: 'default' | 'strict'
  /** Tests that gave different results on the same tree. */
  readonly flaky?: readonly string[]
  /** What a test consists of, as plain text, then and now: renames are told by it. */
  bodyThen?(test: TestCase): string | undefined
  bodyNow?(test: TestCase): string | undefined
}
