import type { PageData } from '../page/data.ts'
import type { RunRow } from './row.ts'

/** What has changed since a number, as it is now: whoever hears of it twice is told the same. */
export interface Changes {
  /** Everything there is, and not only what changed. */
  readonly all: boolean
  readonly rows: readonly RunRow[]
  readonly gone: readonly string[]
}

/** What the live page shows of one run. */
export interface ReportAnswer extends PageData {
  /** The number of the event up to which it goes. */
  readonly seq: number
}

/** What came of a button. */
export interface PressAnswer {
  readonly taken: boolean
  readonly text: string
}
