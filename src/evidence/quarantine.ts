import { isNamed } from '../../packages/exitgate/src/checks/test-names.ts'
import type { TestCase } from '../../packages/test-output/src/types.ts'
import type { Config } from '../core/config.ts'

/** The user's explicit choice to ignore a test for a while. exitgate never adds one by itself. */
export interface Quarantined {
  /** Name of the test as in the report. */
  readonly test: string
  /** The last day (2025-03-31) or moment (2025-03-31T12:00:00Z) it applies. */
  readonly until: string
  readonly reason: string
}

export interface Quarantine {
  /** The entry that still applies to a test. */
  active(test: Pick<TestCase, 'name' | 'file'>, file?: string): Quarantined | undefined
  /** The entry that applied until it expired. */
  expired(test: Pick<TestCase, 'name' | 'file'>, file?: string): Quarantined | undefined
  /** Entries that are not valid, as sentences. */
  readonly problems: readonly string[]
}

const DAY_MS = 86_400_000

/** The first moment after an entry; undefined if its date is not valid. A day lasts until its end, in UTC. */
function endOf({ until }: Quarantined): number | undefined {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(until)
  const moment = day || /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/.test(until) ? Date.parse(until) : Number.NaN
  // JavaScript reads the 31st of February as the 3rd of March.
  const exists = !Number.isNaN(moment) && (!day || new Date(moment).toISOString().startsWith(until))
  return exists ? moment + (day ? DAY_MS : 0) : undefined
}

/** A test that is listed by its name alone stays in quarantine. */
export const NO_END = '9999-12-31'

export function quarantineAt(listed: Config['evidence']['quarantine'], at: number): Quarantine {
  const dated = listed.map((each) => {
    const entry = typeof each === 'string' ? { test: each, until: NO_END, reason: 'listed by name' } : each
    return { entry, end: endOf(entry) }
  })
  const find = (holds: (end: number) => boolean): Quarantine['active'] => {
    const those = dated.filter(({ entry, end }) => end !== undefined && entry.reason.trim() !== '' && holds(end))
    return (test, file) => those.find(({ entry }) => isNamed(entry.test, test, file))?.entry
  }
  return {
    active: find((end) => at < end),
    expired: find((end) => at >= end),
    problems: dated.flatMap(({ entry, end }) => {
      if (end === undefined) return [`The quarantine of "${entry.test}" has no valid end date: "${entry.until}".`]
      return entry.reason.trim() === '' ? [`The quarantine of "${entry.test}" has no reason.`] : []
    }),
  }
}
