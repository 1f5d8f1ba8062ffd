import type { TestCase } from '../test-output/types.ts'
import { isNamed } from './test-results/names.ts'

/** The user's explicit choice to live with a test for a while. Nothing puts a test here by itself. */
export interface Quarantined {
  /** Name of the test as the report has it. */
  readonly test: string
  /** The last day (2025-03-31) or moment (2025-03-31T12:00:00Z) on which it holds. */
  readonly until: string
  readonly reason: string
}

export interface Quarantine {
  /** The entry that still holds for a test. */
  holds(test: Pick<TestCase, 'name' | 'file'>, file?: string): Quarantined | undefined
  /** The entry that held until it expired. */
  expired(test: Pick<TestCase, 'name' | 'file'>, file?: string): Quarantined | undefined
  /** Entries that cannot be honoured, in sentences. */
  readonly problems: readonly string[]
}

const DAY_MS = 86_400_000

/** The first moment after an entry; undefined when its date is none. A day counts to its end, in universal time. */
function endOf({ until }: Quarantined): number | undefined {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(until)
  const moment = day || /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/.test(until) ? Date.parse(until) : Number.NaN
  // JavaScript takes the 31st of February for the 3rd of March; a person would not.
  const exists = !Number.isNaN(moment) && (!day || new Date(moment).toISOString().startsWith(until))
  return exists ? moment + (day ? DAY_MS : 0) : undefined
}

export function quarantineAt(entries: readonly Quarantined[], at: number): Quarantine {
  const dated = entries.map((entry) => ({ entry, end: endOf(entry) }))
  const find = (holds: (end: number) => boolean): Quarantine['holds'] => {
    const those = dated.filter(({ entry, end }) => end !== undefined && entry.reason.trim() !== '' && holds(end))
    return (test, file) => those.find(({ entry }) => isNamed(entry.test, test, file))?.entry
  }
  return {
    holds: find((end) => at < end),
    expired: find((end) => at >= end),
    problems: dated.flatMap(({ entry, end }) => {
      if (end === undefined) return [`The quarantine of "${entry.test}" has no date it ends on: "${entry.until}".`]
      return entry.reason.trim() === '' ? [`The quarantine of "${entry.test}" has no reason.`] : []
    }),
  }
}
