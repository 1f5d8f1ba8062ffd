export type TestState = 'passed' | 'failed' | 'skipped'

export interface TestCase {
  /** Group and title joined by ` > `, as far as the runner tells. */
  readonly name: string
  readonly state: TestState
  /** The file it stands in, as the runner wrote it. */
  readonly file?: string
  /** It failed at first and passed when it was tried again in the same run. */
  readonly flaky?: true
}

/** What a runner reported, read from its report or its printed output. */
export interface TestRun {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
  /**
   * True only when tests ran and nothing failed; false when something did; null when the text does not tell.
   * Printed text is only as good as whoever printed it: a test can print a green summary. So this is never
   * believed without the exit code, and a report that the runner wrote to a file of ours is preferred.
   */
  readonly ok: boolean | null
  readonly framework: string
  /** The tests by name, as far as they were reported. */
  readonly tests?: readonly TestCase[]
  /** Files, packages or projects that could not be loaded, compiled or finished. */
  readonly suitesFailed?: number
  /** Tests that `total` counts and that are neither passed, failed nor skipped: filtered out, or expected to fail. */
  readonly aside?: number
  /** Why it is not ok, where no failed test says so. */
  readonly problems?: readonly string[]
}

/** One run found in a text. A text may hold several, one after the other or one inside another. */
export interface Part {
  readonly framework: string
  /** Its lines, first and last, both counted from zero and both its own. */
  readonly from: number
  readonly to: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** What the runner itself gave as the sum; else the parts are added. */
  readonly total?: number
  readonly aside?: number
  readonly suitesFailed?: number
  readonly tests?: readonly TestCase[]
  /** Something other than a test failed: a suite did not load, a plan was not fulfilled, an error escaped. */
  readonly broken?: string
  /** Green is not proven: the report breaks off, or says that something is missing. */
  readonly unproven?: string
  /** A build around runs of others (Gradle, Maven, tox): it speaks only when it failed, or when nobody else does. */
  readonly wrapper?: true
}

/** Reads the printed output of one runner. */
export interface TextReader {
  readonly framework: string
  /** A text without any of these holds nothing for this reader: the cheap first look. */
  readonly hints: readonly string[]
  readonly read: (lines: readonly string[]) => readonly Part[]
}

/** Reads a JSON document of one runner. Undefined means "not my format", never "nothing failed". */
export type JsonReader = (document: unknown) => Part | undefined

/** Reads a stream of JSON objects, one a line, with other lines between them. */
export interface EventReader {
  /** A text without this holds nothing for this reader. */
  readonly hint: RegExp
  readonly read: (events: readonly Event[]) => readonly Part[]
}

export interface Event {
  readonly at: number
  readonly fields: Readonly<Record<string, unknown>>
}
