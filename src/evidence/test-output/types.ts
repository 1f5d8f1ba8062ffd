export type TestState = 'passed' | 'failed' | 'skipped'

/** What a runner reported, read from its output. */
export interface TestRun {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
  /** True only when tests ran and nothing failed; false when something did; null when the output does not tell. */
  readonly ok: boolean | null
  readonly framework: string
  /** The tests by name, as far as they were printed. */
  readonly tests?: readonly { readonly name: string; readonly state: TestState }[]
}

/** Undefined means "not my format", never "nothing failed". */
export type TestOutputReader = (output: string) => TestRun | undefined
