import type { Config } from '../core/config.ts'
import type { Evidence, EvidenceSet } from '../core/types.ts'

/** Ten minutes by default. */
const LONGEST_MS = 600_000
const SHORTEST_MS = 30_000
/** No earlier run shows how long new tests take. */
const NEW_TESTS_MS = 300_000
const FACTOR = 5
/** The first run of the tests shows how long they take, so it gets more than the maximum. */
const FIRST = 6
/** A suite that takes longer than the maximum allows gets this much of its own time. */
const ROOM_FOR_SLOW = 2

/**
 * How long a check may take: five times its slowest earlier run, within bounds. Without a baseline, and while it is taken, the
 * maximum. New and changed tests get at least five minutes.
 */
export function deadlineFor(history: readonly number[], maximumMs: number = LONGEST_MS, hasNewTests = false): number {
  const known = history.filter((ms) => Number.isFinite(ms) && ms >= 0)
  if (known.length === 0) return maximumMs
  return Math.min(maximumMs, Math.max(hasNewTests ? NEW_TESTS_MS : SHORTEST_MS, FACTOR * Math.max(...known)))
}

/** How long an experiment may take: five times the tests of the agent's tree, which include the new ones, and at least 30 seconds. */
export const experimentDeadline = (ownMs: number, maximumMs: number): number =>
  Math.min(maximumMs, SHORTEST_MS + FACTOR * ownMs)

/**
 * The longest that a check may take, in ms. The tests show before the first iteration how long they take, and everything that runs
 * them later gets that time too.
 */
export function longestMs(
  baseline: { readonly evidence: EvidenceSet } | undefined,
  { config, isBaseline }: { readonly config: Config; readonly isBaseline?: boolean },
): number {
  const maximumMs = config.evidence.maximumMinutes * 60_000
  if (isBaseline) return FIRST * maximumMs
  const answered = Object.values(baseline?.evidence ?? {}).filter(({ answer }) => answer !== 'unknown')
  return Math.max(maximumMs, ...answered.map(({ ms }) => ROOM_FOR_SLOW * ms))
}

/** A check that timed out gets more time in the next iteration. Saying so keeps the agent from blaming the project. */
export function withNextDeadline(evidence: Evidence, deadlineMs: number, maximumMs: number): Evidence {
  const { answer, ms, detail } = evidence
  if (answer !== 'unknown' || ms < deadlineMs) return evidence
  const next = Math.round(deadlineFor([ms], maximumMs) / 1000)
  const hint =
    deadlineMs < maximumMs
      ? `The next run may take up to ${next} s.`
      : 'To allow more time, raise evidence.maximumMinutes.'
  return { ...evidence, detail: `${detail} ${hint}` }
}
