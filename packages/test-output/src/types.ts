export type TestState = 'passed' | 'failed' | 'skipped'

export interface TestCase {
  /** Group and title joined by ` > `, as far as the runner reports them. */
  readonly name: string
  readonly state: TestState
  /** The file that contains it, as the runner wrote it. */
  readonly file?: string
  /** It failed first and passed on a retry in the same run. */
  readonly flaky?: true
  /** It failed because a host could not be found or reached. */
  readonly network?: true
}

/** What a runner reported, read from its report or its printed output. */
export interface TestRun {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
  /**
   * True only if tests ran and nothing failed, false if something failed, null if the text is unclear. A test can print a fake
   * summary, so printed text is never trusted without the exit code. A report that the runner wrote to a file of ours is preferred.
   */
  readonly ok: boolean | null
  readonly framework: string
  /** The tests by name, as far as they were reported. */
  readonly tests?: readonly TestCase[]
  /** Files, packages or projects that could not be loaded, compiled or finished. */
  readonly suitesFailed?: number
  /** Tests in `total` that neither passed, failed nor were skipped: filtered out, or expected to fail. */
  readonly aside?: number
  /** Why it is not ok, if no failed test shows it. */
  readonly problems?: readonly string[]
}

/** One run found in a text. A text may contain several, one after the other or one inside another. */
export interface Part {
  readonly framework: string
  /** Its first and last line, counted from zero, both included. */
  readonly from: number
  readonly to: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The total that the runner reported; without it, the parts are added. */
  readonly total?: number | undefined
  readonly aside?: number
  readonly suitesFailed?: number
  readonly tests?: readonly TestCase[]
  /** Something other than a test failed: a suite did not load, the plan was not met, an error occurred outside the tests. */
  readonly broken?: string | undefined
  /** Success is not proven: the report breaks off, or shows that something is missing. */
  readonly unproven?: string | undefined
  /** A build around other runs (Gradle, Maven, tox): it counts only if it failed, or if there is no other run. */
  readonly wrapper?: true
}

/** Reads the printed output of one runner. */
export interface TextReader {
  /** A text without any of these is not for this reader: a cheap first check. */
  readonly hints: readonly string[]
  readonly read: (lines: readonly string[]) => readonly Part[]
}
